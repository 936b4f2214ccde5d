package user

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/fault"
	"airstrip/internal/ticket"
)

// TicketItem is a ticket as its user sees it; exported because it is embedded.
type TicketItem struct {
	ID           uuid.UUID       `json:"id"`
	No           int64           `json:"no" doc:"Takes the place of the id in paths"`
	CreatedAt    time.Time       `json:"created_at"`
	UpdatedAt    time.Time       `json:"updated_at"`
	Title        string          `json:"title"`
	TicketStatus ticket.State    `json:"ticket_status" enum:"pending,processing,resolved,closed"`
	Awaiting     ticket.Side     `json:"awaiting" enum:"staff,user,nobody" doc:"Who is to write next"`
	Category     ticket.Category `json:"category" enum:"general,connection,billing,account"`
	Priority     ticket.Priority `json:"priority" enum:"low,normal,high"`
	MessageCount int64           `json:"message_count"`
	Unread       bool            `json:"unread" doc:"Staff wrote something that the user has not read"`
	UserReadNo   int64           `json:"user_read_no" doc:"The last message that the user has read"`
	MergedInto   *int64          `json:"merged_into" nullable:"true" doc:"The ticket that has the messages of this one now"`
}

type ticketMessage struct {
	ID        uuid.UUID `json:"id"`
	No        int64     `json:"no" doc:"Greater than those of all earlier messages"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at" doc:"Messages do not change: the same as created_at"`
	UserID    int64     `json:"user_id" doc:"0 for staff"`
	ByStaff   bool      `json:"by_staff"`
	Content   string    `json:"content" doc:"Markdown; empty where there are files alone"`

	Attachments []v2.Attachment `json:"attachments"`
}

type ticketSummary struct {
	TicketItem
	Content     string          `json:"content" doc:"Of the first message"`
	MessageData []ticketMessage `json:"message_data" doc:"The newest message alone; all of them are at …/messages"`
}

type ticketList struct {
	TotalCount int64           `json:"total_count"`
	Unread     int64           `json:"unread" doc:"Tickets with an answer that the user has not read"`
	Tickets    []ticketSummary `json:"tickets" doc:"The one with the newest message first"`
}

type ticketConversation struct {
	Ticket   TicketItem      `json:"ticket"`
	Messages []ticketMessage `json:"messages" doc:"Oldest first"`
	HasMore  bool            `json:"has_more" doc:"With after there are newer ones, else older ones"`
}

type ticketUnread struct {
	Unread int64 `json:"unread"`
}

func newTicketItem(k *ticket.Ticket) TicketItem {
	return TicketItem{
		ID: k.UUID, No: k.ID, CreatedAt: k.CreatedAt, UpdatedAt: k.UpdatedAt, Title: k.Title, TicketStatus: k.State,
		Awaiting: k.Awaiting, Category: k.Category, Priority: k.Priority, MessageCount: k.MessageCount,
		Unread: k.Unread(), UserReadNo: k.UserReadID, MergedInto: k.MergedInto,
	}
}

func newTicketMessage(m *ticket.Message) ticketMessage {
	out := ticketMessage{
		ID: m.UUID, No: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.CreatedAt, UserID: m.AuthorID, ByStaff: m.ByStaff,
		Content: m.Content, Attachments: v2.NewAttachments(m.Attachments),
	}
	if m.ByStaff {
		out.UserID = 0
	}
	return out
}

// Tickets adds the user's tickets.
func Tickets(t *ticket.Tickets) v2.Resource {
	return func(r *v2.Router) {
		listTickets(r, t)
		openTicket(r, t)
		readTicket(r, t)
		writeTicket(r, t)
		ticketFiles(r, t)
		followTickets(r, t)
	}
}

func followTickets(r *v2.Router, t *ticket.Tickets) {
	v2.HandleEvents(r, v2.UserOp("GET /user/tickets-v2/changes").OpenToVisits().
		Named("tickets_changes", "How many tickets have an answer that the user has not read; with stream again after "+
			"each change of a ticket, at most 10 streams of a user at once, and 5 of a visit"),
		func(ctx context.Context, who account.Identity) (<-chan struct{}, func(), error) {
			return t.Listen(ctx, who.UserID, who.Visit())
		},
		func(ctx context.Context, who account.Identity) (ticketUnread, error) {
			unread, err := t.CountUnread(ctx, who.UserID)
			return ticketUnread{unread}, err
		})
}

func listTickets(r *v2.Router, t *ticket.Tickets) {
	type part struct {
		Page  int64        `query:"page" minimum:"1" maximum:"1000000000" default:"1"`
		Size  int64        `query:"size" minimum:"1" maximum:"100" default:"10"`
		State ticket.State `query:"state" enum:"pending,processing,resolved,closed" doc:"Only those in this state"`
		Text  string       `query:"q" maxLength:"200" doc:"Words that the title or a message has"`
	}
	v2.Handle(r, v2.UserOp("GET /user/tickets-v2").OpenToVisits().Named("tickets_list", "The user's tickets"),
		func(ctx context.Context, who account.Identity, in *part) (ticketList, error) {
			f := ticket.Filter{UserID: who.UserID, Text: in.Text, Limit: in.Size, Offset: (in.Page - 1) * in.Size}
			if in.State != "" {
				f.States = []ticket.State{in.State}
			}
			tickets, total, err := t.List(ctx, f)
			if err != nil {
				return ticketList{}, err
			}
			ids := []int64{}
			for _, k := range tickets {
				ids = append(ids, k.FirstMessageID, k.LastMessageID)
			}
			messages, err := t.Named(ctx, ids)
			if err != nil {
				return ticketList{}, err
			}
			unread, err := t.CountUnread(ctx, who.UserID)
			out := ticketList{total, unread, []ticketSummary{}}
			for _, k := range tickets {
				last := messages[k.LastMessageID]
				out.Tickets = append(out.Tickets, ticketSummary{
					newTicketItem(&k), messages[k.FirstMessageID].Content, []ticketMessage{newTicketMessage(&last)},
				})
			}
			return out, err
		})
	v2.Handle(r, v2.UserOp("GET /user/tickets-v2/unread").OpenToVisits().
		Named("tickets_unread", "How many of the user's tickets have an answer that they have not read"),
		func(ctx context.Context, who account.Identity, _ *struct{}) (ticketUnread, error) {
			unread, err := t.CountUnread(ctx, who.UserID)
			return ticketUnread{unread}, err
		})
}

func openTicket(r *v2.Router, t *ticket.Tickets) {
	type ticketDraft struct {
		Title       string          `json:"title" minLength:"1" maxLength:"120"`
		Content     string          `json:"content" minLength:"1" maxLength:"10000" doc:"Markdown"`
		Category    ticket.Category `json:"category,omitempty" enum:"general,connection,billing,account" doc:"Absent: general"`
		Priority    ticket.Priority `json:"priority,omitempty" enum:"low,normal,high" doc:"Absent: normal"`
		Attachments []string        `json:"attachments,omitempty" maxItems:"5" format:"uuid" doc:"Ids of uploads"`
		VerifyToken string          `json:"verify_token,omitempty" maxLength:"4096" doc:"The answer to a captcha of the kind ticket, where 403 captcha_required asks for one"`
	}
	v2.Handle(r, v2.UserOp("POST /user/tickets-v2").WithKey().
		Named("ticket_open", "Open a ticket. 409 too_many_open_tickets, 429 too_many_ticket_messages").
		Answering(fault.Text{ZH: "工单已提交", EN: "The ticket is open"}),
		func(ctx context.Context, who account.Identity, in *v2.Body[ticketDraft]) (TicketItem, error) {
			k, err := t.Open(ctx, who.UserID, ticket.Draft{
				Title: in.Body.Title, Content: in.Body.Content, Category: in.Body.Category,
				Priority: in.Body.Priority, Captcha: in.Body.VerifyToken, Files: in.Body.Attachments,
				IP: api.CallerOf(ctx).IP,
			})
			if err != nil {
				return TicketItem{}, err
			}
			return newTicketItem(k), nil
		})
}

func readTicket(r *v2.Router, t *ticket.Tickets) {
	type conversationPart struct {
		ID     string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		After  int64  `query:"after" minimum:"0" default:"0" doc:"Only messages with a greater number"`
		Before int64  `query:"before" minimum:"0" default:"0" doc:"The last messages with a smaller number; 0: the newest"`
		Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
	}
	v2.Handle(r, v2.UserOp("GET /user/tickets-v2/{ticket_id}/messages").OpenToVisits().
		Named("ticket_messages", "A ticket with its messages"),
		func(ctx context.Context, who account.Identity, in *conversationPart) (ticketConversation, error) {
			k, err := t.Show(ctx, who.UserID, in.ID)
			if err != nil {
				return ticketConversation{}, err
			}
			messages, more, err := t.Messages(ctx, k, ticket.Page{
				After: in.After, Before: in.Before, Limit: in.Limit,
			}, false)
			out := ticketConversation{newTicketItem(k), []ticketMessage{}, more}
			for i := range messages {
				out.Messages = append(out.Messages, newTicketMessage(&messages[i]))
			}
			return out, err
		})

	type readMark struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body struct {
			UpTo int64 `json:"up_to" minimum:"1" doc:"Number of the last message that was read"`
		}
	}
	v2.Handle(r, v2.UserOp("POST /user/tickets-v2/{ticket_id}/read").
		Named("ticket_read", "Note that the messages of a ticket were read"),
		func(ctx context.Context, who account.Identity, in *readMark) (ticketUnread, error) {
			if err := t.Read(ctx, who.UserID, in.ID, in.Body.UpTo); err != nil {
				return ticketUnread{}, err
			}
			unread, err := t.CountUnread(ctx, who.UserID)
			return ticketUnread{unread}, err
		})
}

func writeTicket(r *v2.Router, t *ticket.Tickets) {
	type newMessage struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body struct {
			Content     string   `json:"content" maxLength:"10000" doc:"Markdown; may be empty beside files"`
			Attachments []string `json:"attachments,omitempty" maxItems:"5" format:"uuid" doc:"Ids of uploads"`
		}
	}
	send := func(ctx context.Context, who account.Identity, in *newMessage) (ticketMessage, error) {
		m, err := t.Send(ctx, who.UserID, in.ID, in.Body.Content, in.Body.Attachments...)
		if err != nil {
			return ticketMessage{}, err
		}
		return newTicketMessage(m), nil
	}
	v2.Handle(r, v2.UserOp("POST /user/tickets-v2/{ticket_id}/messages").WithKey().
		Named("ticket_message_send", "Write in a ticket. 409 ticket_closed, 409 ticket_merged, "+
			"429 too_many_ticket_messages"), send)
	v2.Handle(r, v2.UserOp("POST /user/tickets-v2/{ticket_id}/send_messages").WithKey().
		Named("ticket_message_send_old", "The same as POST …/messages, where the original has it"), send)

	type statusChange struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body *struct {
			Status string `json:"status,omitempty" enum:"open,closed" doc:"Absent: closes an open ticket and opens a closed one"`
		}
	}
	v2.Handle(r, v2.UserOp("PUT /user/tickets-v2/{ticket_id}/edit-status").
		Named("ticket_status_set", "Close a ticket, or open it again"),
		func(ctx context.Context, who account.Identity, in *statusChange) (TicketItem, error) {
			var open bool
			if in.Body != nil && in.Body.Status != "" {
				open = in.Body.Status == "open"
			} else {
				k, err := t.Show(ctx, who.UserID, in.ID)
				if err != nil {
					return TicketItem{}, err
				}
				open = k.State == ticket.Closed
			}
			k, err := t.SetOpen(ctx, who.UserID, in.ID, open)
			if err != nil {
				return TicketItem{}, err
			}
			return newTicketItem(k), nil
		})
}
