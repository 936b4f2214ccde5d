package mail

import (
	"strconv"

	"airstrip/internal/fault"
)

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

// TicketMailRefused tells a user that their answer by mail was not added to the ticket.
type TicketMailRefused struct {
	No     int64
	Reason fault.Text
}

// TicketWaiting tells staff that a user wrote in a ticket.
type TicketWaiting struct {
	No     int64
	Title  string
	Text   string // the message
	Opened bool   // the ticket is new
}

func (c TicketAnswered) fill(v *values) {
	v.text("ticket_no", strconv.FormatInt(c.No, 10))
	v.text("ticket_title", c.Title)
	v.message("message", c.Text)
}

func (c TicketMailRefused) fill(v *values) {
	v.text("ticket_no", strconv.FormatInt(c.No, 10))
	v.text("reason", c.Reason.In(v.lang))
}

func (c TicketWaiting) fill(v *values) {
	no := strconv.FormatInt(c.No, 10)
	v.text("ticket_no", no)
	v.text("ticket_title", c.Title)
	v.message("message", c.Text)
	site := v.texts["site_name"]
	v.say("event", "用户在 "+site+" 的工单 "+no+" 中发来消息", "The user wrote in ticket "+no+" of "+site)
	if c.Opened {
		v.say("event", site+" 的用户提交了工单 "+no, "A user of "+site+" opened ticket "+no)
	}
}

func (TicketAnswered) kind() string { return "ticket_answered" }
func (TicketWaiting) kind() string  { return "ticket_waiting" }

func (TicketMailRefused) kind() string { return "ticket_mail_refused" }
