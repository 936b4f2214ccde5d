package staff

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
	"airstrip/internal/ticket"
)

type ticketPerson struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

type staffTicket struct {
	ID           uuid.UUID       `json:"id"`
	No           int64           `json:"no" doc:"Takes the place of the id in paths"`
	CreatedAt    time.Time       `json:"created_at"`
	UpdatedAt    time.Time       `json:"updated_at"`
	User         ticketPerson    `json:"user"`
	Title        string          `json:"title"`
	TicketStatus ticket.State    `json:"ticket_status" enum:"pending,processing,resolved,closed"`
	Awaiting     ticket.Side     `json:"awaiting" enum:"staff,user,nobody" doc:"Who is to write next"`
	Category     ticket.Category `json:"category" enum:"general,connection,billing,account"`
	Priority     ticket.Priority `json:"priority" enum:"low,normal,high"`
	AssignedTo   *ticketPerson   `json:"assigned_to,omitempty" doc:"Absent: nobody"`
	MergedInto   *int64          `json:"merged_into" nullable:"true"`
	MessageCount int64           `json:"message_count" doc:"Without notes"`
	UserReadNo   int64           `json:"user_read_no" doc:"The last message that the user has read"`
	Revision     int64           `json:"revision" doc:"Grows with each change of any ticket"`
}

type staffTickets struct {
	Tickets    []staffTicket `json:"tickets" doc:"The one with the newest message first"`
	TotalCount int64         `json:"total_count"`
}

type staffTicketMessage struct {
	ID        uuid.UUID    `json:"id"`
	No        int64        `json:"no" doc:"Greater than those of all earlier messages"`
	CreatedAt time.Time    `json:"created_at"`
	Author    ticketPerson `json:"author"`
	ByStaff   bool         `json:"by_staff"`
	IsNote    bool         `json:"is_note" doc:"Seen by staff alone"`
	Content   string       `json:"content" doc:"Markdown; empty where there are files alone"`

	Attachments []v2.Attachment `json:"attachments"`
}

type staffConversation struct {
	Ticket   staffTicket          `json:"ticket"`
	Messages []staffTicketMessage `json:"messages" doc:"Oldest first"`
	HasMore  bool                 `json:"has_more" doc:"With after there are newer ones, else older ones"`
}

// people gives the users and members whom tickets and messages name.
func people(ctx context.Context, t *ticket.Tickets, tickets []ticket.Ticket, messages []ticket.Message,
) (func(id int64) ticketPerson, error) {
	ids := []int64{}
	for _, k := range tickets {
		ids = append(ids, k.UserID)
		if k.AssignedTo != nil {
			ids = append(ids, *k.AssignedTo)
		}
	}
	for _, m := range messages {
		ids = append(ids, m.AuthorID)
	}
	members, err := t.Members(ctx, ids)
	return func(id int64) ticketPerson { return ticketPerson{id, members[id].Name, members[id].Email} }, err
}

func newStaffTicket(k *ticket.Ticket, person func(id int64) ticketPerson) staffTicket {
	out := staffTicket{
		ID: k.UUID, No: k.ID, CreatedAt: k.CreatedAt, UpdatedAt: k.UpdatedAt, User: person(k.UserID), Title: k.Title,
		TicketStatus: k.State, Awaiting: k.Awaiting, Category: k.Category, Priority: k.Priority,
		MergedInto: k.MergedInto, MessageCount: k.MessageCount, UserReadNo: k.UserReadID, Revision: k.Revision,
	}
	if k.AssignedTo != nil {
		member := person(*k.AssignedTo)
		out.AssignedTo = &member
	}
	return out
}

func newStaffTicketMessage(m *ticket.Message, person func(id int64) ticketPerson) staffTicketMessage {
	return staffTicketMessage{
		ID: m.UUID, No: m.ID, CreatedAt: m.CreatedAt, Author: person(m.AuthorID), ByStaff: m.ByStaff,
		IsNote: m.IsNote, Content: m.Content, Attachments: v2.NewAttachments(m.Attachments),
	}
}

func showStaffTicket(ctx context.Context, t *ticket.Tickets, k *ticket.Ticket) (staffTicket, error) {
	person, err := people(ctx, t, []ticket.Ticket{*k}, nil)
	if err != nil {
		return staffTicket{}, err
	}
	return newStaffTicket(k, person), nil
}

// Tickets adds, for staff, the tickets of all users.
func Tickets(t *ticket.Tickets, accounts *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		findTickets(r, t, accounts)
		readStaffTicket(r, t)
		answerTicket(r, t)
		ticketFiles(r, t)
		manageTicket(r, t)
		cannedAnswers(r, t)
	}
}

func findTickets(r *v2.Router, t *ticket.Tickets, accounts *account.Accounts) {
	type ticketFilter struct {
		Text       string          `query:"q" maxLength:"200" doc:"Words that the title, a message or a note has"`
		State      []ticket.State  `query:"status" enum:"pending,processing,resolved,closed" doc:"In one of these states"`
		Awaiting   ticket.Side     `query:"awaiting" enum:"staff,user,nobody"`
		Category   ticket.Category `query:"category" enum:"general,connection,billing,account"`
		Priority   ticket.Priority `query:"priority" enum:"low,normal,high"`
		UserID     int64           `query:"user_id" minimum:"0" default:"0"`
		Email      string          `query:"email" maxLength:"254" doc:"Of the user, whole"`
		Assigned   int64           `query:"assigned_to" minimum:"0" default:"0" doc:"Id of a member"`
		Unassigned bool            `query:"unassigned" doc:"Only those that nobody has"`
		Limit      int64           `query:"limit" minimum:"1" maximum:"500" default:"50"`
		Offset     int64           `query:"offset" minimum:"0" default:"0"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/tickets", permission.TicketRead).
		Named("staff_tickets_list", "The tickets of all users"),
		func(ctx context.Context, _ account.Identity, in *ticketFilter) (staffTickets, error) {
			out := staffTickets{Tickets: []staffTicket{}}
			f := ticket.Filter{
				UserID: in.UserID, States: in.State, Awaiting: in.Awaiting, Category: in.Category,
				Priority: in.Priority, AssignedTo: in.Assigned, Unassigned: in.Unassigned, Text: in.Text, Notes: true,
				Limit: in.Limit, Offset: in.Offset,
			}
			if in.Email != "" {
				u, err := accounts.ByEmail(ctx, in.Email)
				if err != nil {
					return out, err
				}
				f.UserID = u.ID
			}
			tickets, total, err := t.List(ctx, f)
			if err != nil {
				return out, err
			}
			person, err := people(ctx, t, tickets, nil)
			out.TotalCount = total
			for i := range tickets {
				out.Tickets = append(out.Tickets, newStaffTicket(&tickets[i], person))
			}
			return out, err
		})
}

func readStaffTicket(r *v2.Router, t *ticket.Tickets) {
	type staffTicketPart struct {
		ID     string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		After  int64  `query:"after" minimum:"0" default:"0" doc:"Only messages with a greater number"`
		Before int64  `query:"before" minimum:"0" default:"0" doc:"The last messages with a smaller number; 0: the newest"`
		Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/tickets/{ticket_id}", permission.TicketRead).
		Named("staff_ticket_get", "A ticket with its messages and notes"),
		func(ctx context.Context, _ account.Identity, in *staffTicketPart) (staffConversation, error) {
			out := staffConversation{Messages: []staffTicketMessage{}}
			k, err := t.Find(ctx, in.ID)
			if err != nil {
				return out, err
			}
			messages, more, err := t.Messages(ctx, k, ticket.Page{
				After: in.After, Before: in.Before, Limit: in.Limit,
			}, true)
			if err != nil {
				return out, err
			}
			person, err := people(ctx, t, []ticket.Ticket{*k}, messages)
			out.Ticket, out.HasMore = newStaffTicket(k, person), more
			for i := range messages {
				out.Messages = append(out.Messages, newStaffTicketMessage(&messages[i], person))
			}
			return out, err
		})
}

func answerTicket(r *v2.Router, t *ticket.Tickets) {
	written := func(ctx context.Context, m *ticket.Message, err error) (staffTicketMessage, error) {
		if err != nil {
			return staffTicketMessage{}, err
		}
		person, err := people(ctx, t, nil, []ticket.Message{*m})
		return newStaffTicketMessage(m, person), err
	}
	type ticketAnswer struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body struct {
			Content     string   `json:"content" maxLength:"10000" doc:"Markdown; may be empty beside files"`
			Attachments []string `json:"attachments,omitempty" maxItems:"5" format:"uuid" doc:"Ids of uploads"`

			Status ticket.State `json:"status,omitempty" enum:"pending,processing,resolved,closed" doc:"Of the ticket from now on; absent: processing where it was pending, else as it was"`
		}
	}
	v2.Handle(r, v2.StaffOp("POST /staff/tickets/{ticket_id}/messages", permission.TicketAnswer).WithKey().
		Named("staff_ticket_answer", "Answer a ticket. 409 ticket_closed unless the status opens it again"),
		func(ctx context.Context, who account.Identity, in *ticketAnswer) (staffTicketMessage, error) {
			m, err := t.Answer(ctx, who.UserID, in.ID, ticket.Answer{
				Content: in.Body.Content, Files: in.Body.Attachments, State: in.Body.Status,
			})
			return written(ctx, m, err)
		})

	type ticketNote struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body struct {
			Content     string   `json:"content" maxLength:"10000" doc:"Markdown; may be empty beside files"`
			Attachments []string `json:"attachments,omitempty" maxItems:"5" format:"uuid" doc:"Ids of uploads"`
		}
	}
	v2.Handle(r, v2.StaffOp("POST /staff/tickets/{ticket_id}/notes", permission.TicketAnswer).WithKey().
		Named("staff_ticket_note", "Write a note that only staff sees"),
		func(ctx context.Context, who account.Identity, in *ticketNote) (staffTicketMessage, error) {
			m, err := t.Answer(ctx, who.UserID, in.ID, ticket.Answer{
				Content: in.Body.Content, Files: in.Body.Attachments, Note: true,
			})
			return written(ctx, m, err)
		})
}

func manageTicket(r *v2.Router, t *ticket.Tickets) {
	type ticketChange struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body struct {
			Status     *ticket.State    `json:"status,omitempty" enum:"pending,processing,resolved,closed"`
			Category   *ticket.Category `json:"category,omitempty" enum:"general,connection,billing,account"`
			Priority   *ticket.Priority `json:"priority,omitempty" enum:"low,normal,high"`
			AssignedTo *int64           `json:"assigned_to,omitempty" minimum:"0" doc:"Id of a member who may answer tickets; 0: nobody"`

			WasStatus     *ticket.State `json:"was_status,omitempty" enum:"pending,processing,resolved,closed" doc:"Which the member saw; 409 ticket_changed where it is another by now"`
			WasAssignedTo *int64        `json:"was_assigned_to,omitempty" minimum:"0" doc:"The same of who has the ticket; 0: nobody"`
		}
	}
	v2.Handle(r, v2.StaffOp("PATCH /staff/tickets/{ticket_id}", permission.TicketManage).
		Named("staff_ticket_change", "Change the state, category or priority of a ticket, or who has it; 409 ticket_changed").
		WithoutVersion("each field is a choice of its own with what it was, and what is not sent stays"),
		func(ctx context.Context, _ account.Identity, in *ticketChange) (staffTicket, error) {
			k, err := t.Manage(ctx, in.ID, ticket.Change{
				State: in.Body.Status, Category: in.Body.Category, Priority: in.Body.Priority,
				AssignedTo: in.Body.AssignedTo, WasState: in.Body.WasStatus, WasAssignedTo: in.Body.WasAssignedTo,
			})
			if err != nil {
				return staffTicket{}, err
			}
			return showStaffTicket(ctx, t, k)
		})

	type ticketMerge struct {
		ID   string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		Body struct {
			Into string `json:"into" minLength:"1" maxLength:"36" doc:"Number or id of the ticket that gets the messages"`
		}
	}
	v2.Handle(r, v2.StaffOp("POST /staff/tickets/{ticket_id}/merge", permission.TicketMerge).
		Named("staff_ticket_merge", "Move a ticket's messages into another one of the same user, and close it"),
		func(ctx context.Context, _ account.Identity, in *ticketMerge) (staffTicket, error) {
			k, err := t.Merge(ctx, in.ID, in.Body.Into)
			if err != nil {
				return staffTicket{}, err
			}
			return showStaffTicket(ctx, t, k)
		})
}

type cannedAnswerItem struct {
	ID int64 `json:"id"`
	CannedAnswerTexts
	UpdatedAt time.Time `json:"updated_at"`
	v2.Version
}

// CannedAnswerTexts are what a member of staff writes; exported because it is embedded.
type CannedAnswerTexts struct {
	Name      string `json:"name" minLength:"1" maxLength:"120"`
	ContentZH string `json:"content_zh" maxLength:"10000" doc:"Markdown in Chinese, with the variables {{name}}, {{email}}, {{site_name}}, {{ticket_no}} and {{title}}; may be empty"`
	ContentEN string `json:"content_en" maxLength:"10000" doc:"The same in English"`
}

type cannedAnswerList struct {
	CannedAnswers []cannedAnswerItem `json:"canned_answers"`
	Variables     []string           `json:"variables"`
}

type filledAnswer struct {
	Content string `json:"content" doc:"In the language of the ticket's user where there is one"`
}

func newCannedAnswerItem(c ticket.CannedAnswer, version v2.Version) cannedAnswerItem {
	return cannedAnswerItem{c.ID, CannedAnswerTexts{c.Name, c.ContentZH, c.ContentEN}, c.UpdatedAt, version}
}

func cannedAnswers(r *v2.Router, t *ticket.Tickets) {
	v2.Handle(r, v2.StaffOp("GET /staff/canned-answers", permission.TicketRead).
		Named("staff_canned_answers_list", "The canned answers"),
		func(ctx context.Context, _ account.Identity, _ *struct{}) (cannedAnswerList, error) {
			out := cannedAnswerList{[]cannedAnswerItem{}, ticket.Variables}
			versions, err := r.Versions(ctx, "canned_answer")
			if err != nil {
				return out, err
			}
			all, err := t.CannedAnswers(ctx)
			for _, c := range all {
				out.CannedAnswers = append(out.CannedAnswers, newCannedAnswerItem(c, versions.Of(c.ID)))
			}
			return out, err
		})
	set := func(ctx context.Context, id int64, texts CannedAnswerTexts) (cannedAnswerItem, error) {
		c, err := t.SetCannedAnswer(ctx, ticket.CannedAnswer{
			ID: id, Name: texts.Name, ContentZH: texts.ContentZH, ContentEN: texts.ContentEN,
		})
		if err != nil {
			return cannedAnswerItem{}, err
		}
		return newCannedAnswerItem(c, v2.Version{}), nil
	}
	v2.HandleMake(r, v2.StaffOp("POST /staff/canned-answers", permission.CannedWrite).
		Named("staff_canned_answer_add", "Add a canned answer"), "canned_answer",
		func(ctx context.Context, _ account.Identity, in *v2.Body[CannedAnswerTexts]) (cannedAnswerItem, error) {
			return set(ctx, 0, in.Body)
		})
	type cannedAnswerChange struct {
		ID   int64 `path:"answer_id" minimum:"1"`
		Body CannedAnswerTexts
	}
	v2.HandleChange(r, v2.StaffOp("PUT /staff/canned-answers/{answer_id}", permission.CannedWrite).
		Named("staff_canned_answer_change", "Change a canned answer"),
		func(in *cannedAnswerChange) audit.Object { return audit.ID("canned_answer", in.ID) },
		func(ctx context.Context, in *cannedAnswerChange) (cannedAnswerItem, error) {
			all, err := t.CannedAnswers(ctx)
			if err != nil {
				return cannedAnswerItem{}, err
			}
			i := slices.IndexFunc(all, func(c ticket.CannedAnswer) bool { return c.ID == in.ID })
			if i < 0 {
				return cannedAnswerItem{}, ticket.ErrNoCannedAnswer
			}
			return newCannedAnswerItem(all[i], v2.Version{}), nil
		},
		func(ctx context.Context, _ account.Identity, in *cannedAnswerChange) (cannedAnswerItem, error) {
			return set(ctx, in.ID, in.Body)
		})
	type cannedAnswerID struct {
		ID int64 `path:"answer_id" minimum:"1"`
	}
	v2.Handle(r, v2.StaffOp("DELETE /staff/canned-answers/{answer_id}", permission.CannedWrite).
		Named("staff_canned_answer_remove", "Remove a canned answer"),
		func(ctx context.Context, _ account.Identity, in *cannedAnswerID) (v2.Empty, error) {
			return v2.Empty{}, t.RemoveCannedAnswer(ctx, in.ID)
		})
	type fill struct {
		TicketID string `path:"ticket_id" maxLength:"36" doc:"Number or id of the ticket"`
		ID       int64  `path:"answer_id" minimum:"1"`
	}
	v2.Handle(r, v2.StaffOp("GET /staff/tickets/{ticket_id}/canned-answers/{answer_id}", permission.TicketRead).
		Named("staff_canned_answer_fill", "A canned answer with its variables filled in for a ticket"),
		func(ctx context.Context, _ account.Identity, in *fill) (filledAnswer, error) {
			content, err := t.Fill(ctx, in.ID, in.TicketID)
			return filledAnswer{content}, err
		})
}
