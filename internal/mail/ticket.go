package mail

// TicketAnswered tells a user that staff wrote in their ticket.
type TicketAnswered struct {
	No    int64
	Title string
	Text  string // the message
}

// TicketWaiting tells staff that a user wrote in a ticket.
type TicketWaiting struct {
	No     int64
	Title  string
	Text   string // the message
	Opened bool   // the ticket is new
}

func (TicketAnswered) kind() string { return "ticket_answered" }
func (TicketWaiting) kind() string  { return "ticket_waiting" }
