package mail

import "airstrip/internal/fault"

// TicketAnswered tells a user that staff wrote in their ticket.
type TicketAnswered struct {
	No    int64
	Title string
	Text  string // the message

	ReplyTo string // address whose mails are added to the ticket; empty: there is none
	Thread  string // what all mails about the ticket have in common, so that clients show them together
}

// ReplyMark is the line of a notice above which its reader answers.
const ReplyMark = "##- 请在此行上方回复 · Please reply above this line -##"

// ReplyMark gives the line to the templates.
func (TicketAnswered) ReplyMark() string { return ReplyMark }

// TicketMailRefused tells a user that their answer by mail was not added to the ticket.
type TicketMailRefused struct {
	No     int64
	Reason fault.Text
}

// Why gives the reason in a language.
func (r TicketMailRefused) Why(lang fault.Lang) string { return r.Reason.In(lang) }

// TicketWaiting tells staff that a user wrote in a ticket.
type TicketWaiting struct {
	No     int64
	Title  string
	Text   string // the message
	Opened bool   // the ticket is new
}

func (TicketAnswered) kind() string { return "ticket_answered" }
func (TicketWaiting) kind() string  { return "ticket_waiting" }

func (TicketMailRefused) kind() string { return "ticket_mail_refused" }
