package v1

import (
	"cmp"
	"net/http"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/ticket"
)

// Ticket adds the older routes of a user's tickets. A ticket is its number or its UUID.
func (r *Router) Ticket(t *ticket.Tickets) {
	r.user("GET /v1/user/ticket", paged, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		p := in.paging()
		tickets, total, err := t.List(req.Context(), ticket.Filter{
			UserID: who.UserID, Limit: p.size, Offset: p.offset(),
		})
		if err != nil {
			return Answer{}, err
		}
		rows := []map[string]any{}
		for i := range tickets {
			rows = append(rows, ticketRow(&tickets[i]))
		}
		return p.answer(rows, total, "id", "created_at", "updated_at", "title", "ticket_status"), nil
	})
	r.user("GET /v1/user/ticket/create", nil, func(*http.Request, account.Identity, Input) (Answer, error) {
		return Answer{Msg: "ok", Data: map[string]any{
			"max_title_length": ticket.MaxTitle, "max_content_length": ticket.MaxContent,
			"categories": []ticket.Category{ticket.General, ticket.Connection, ticket.Billing, ticket.Account},
			"priorities": []ticket.Priority{ticket.Low, ticket.Normal, ticket.High},
		}}, nil
	})
	draft := params{need("title"), need("content"), may("category"), may("priority")}
	r.user("POST /v1/user/ticket", draft.and(verified), func(req *http.Request, who account.Identity,
		in Input,
	) (Answer, error) {
		k, err := t.Open(req.Context(), who.UserID, ticket.Draft{
			Title: in.Get("title"), Content: in.Get("content"), Category: ticket.Category(in.Get("category")),
			Priority: ticket.Priority(in.Get("priority")), Captcha: answeredBy(req, in).Captcha,
			IP: api.CallerOf(req.Context()).IP,
		})
		if err != nil {
			return Answer{}, err
		}
		text := fault.Text{ZH: "工单已提交", EN: "The ticket is open"}
		return Answer{
			Msg: text.In(api.CallerOf(req.Context()).Lang), Data: ticketRow(k), More: map[string]any{"id": k.ID},
		}, nil
	})
	// What SSPanel calls status 0 is closed, and 1 open.
	change := params{need("ticket_id"), may("content"), may("status").oneOf("0", "1", "open", "pending", "processing",
		"closed")}
	const put = "PUT /v1/user/ticket/{ticket_id}"
	r.user(put, change, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		if in.Get("status") == "" {
			if err := in.Need(put, "content"); err != nil {
				return Answer{}, err
			}
		}
		var change ticket.Update
		change.Close = in.Get("status") == "0" || in.Get("status") == "closed"
		change.Open = in.Get("status") != "" && !change.Close // a closed one takes no message before it is open
		if content := in.Get("content"); content != "" {
			change.Content = &content
		}
		k, err := t.Update(req.Context(), who.UserID, in.Get("ticket_id"), change)
		if err != nil {
			return Answer{}, err
		}
		text := fault.Text{ZH: "操作成功", EN: "Done"}
		return Answer{Msg: text.In(api.CallerOf(req.Context()).Lang), Data: ticketRow(k)}, nil
	})
	r.user("GET /v1/user/ticket/{ticket_id}/view", params{need("ticket_id")}.and(paged), func(req *http.Request,
		who account.Identity, in Input,
	) (Answer, error) {
		p := in.paging()
		p.size = cmp.Or(in.Int("size"), 5)
		k, err := t.Show(req.Context(), who.UserID, in.Get("ticket_id"))
		if err != nil {
			return Answer{}, err
		}
		messages, err := t.NewestMessages(req.Context(), k, p.size, p.offset())
		if err != nil {
			return Answer{}, err
		}
		rows := []map[string]any{}
		for _, m := range messages {
			author := m.AuthorID
			if m.ByStaff {
				author = 0
			}
			files := []map[string]any{}
			for _, a := range m.Attachments {
				files = append(files, map[string]any{
					"id": a.UUID, "name": a.Name, "media_type": a.MediaType, "size": a.Size,
					"url": "/api/v2/user/ticket-attachments/" + a.UUID.String(),
				})
			}
			rows = append(rows, map[string]any{
				"attachments": files,
				"id":          m.ID, "created_at": m.CreatedAt, "updated_at": m.CreatedAt, "ticket_id": k.ID,
				"user_id": author, "by_staff": m.ByStaff, "content": m.Content,
			})
		}
		answer := p.answer(rows, k.MessageCount, "id", "created_at", "user_id", "by_staff", "content")
		if answer.CSV == nil {
			answer.More["ticket"] = ticketRow(k)
		}
		return answer, nil
	})
}

func ticketRow(k *ticket.Ticket) map[string]any {
	return map[string]any{
		"id": k.ID, "uuid": k.UUID, "created_at": k.CreatedAt, "updated_at": k.UpdatedAt, "user_id": k.UserID,
		"title": k.Title, "ticket_status": k.State, "is_markdown": true, "awaiting": k.Awaiting,
		"category": k.Category, "priority": k.Priority, "unread": k.Unread(), "merged_into": k.MergedInto,
	}
}
