package app

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/uptrace/bun"

	"airstrip/internal/announcement"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/webhook"
)

// supportActs are those about tickets, announcements, guides, mails, share accounts, webhooks and views.
func (h *actSite) supportActs() map[string]func() act {
	return map[string]func() act{
		"staff_ticket_answer": func() act {
			return h.staffCall(h.support, "tickets/%d/messages", `{"content":"an answer"}`, h.addTicket())
		},
		"staff_ticket_note": func() act { return h.staffCall(h.support, "tickets/%d/notes", `{"content":"a note"}`, h.addTicket()) },
		"staff_ticket_attachment_upload": func() act {
			a := h.staffCall(h.support, "ticket-attachments/%s?name=a.log", "a log", uuid.New())
			a.media = "application/octet-stream"
			return a
		},
		"staff_ticket_attachment_remove": func() act {
			made, err := h.Tickets.Upload(h.Context(), h.support.id, uuid.New(), "a.log", []byte("a log"))
			h.must(err)
			return h.staffCall(h.support, "ticket-attachments/%s", "", made.UUID)
		},
		"staff_ticket_change": func() act {
			return h.staffCall(h.support, "tickets/%d", `{"priority":"high"}`, h.addTicket())
		},
		"staff_ticket_merge": func() act {
			return h.staffCall(h.support, "tickets/%d/merge", fmt.Sprintf(`{"into":"%d"}`, h.addTicket()), h.addTicket())
		},
		"staff_view_add": func() act {
			return h.staffCall(h.support, "views", `{"resource":"users","name":"new","is_shared":true,"search":"","columns":[],`+
				`"is_dense":false}`)
		},
		"staff_view_change": func() act {
			return h.staffCall(h.support, "views/%d", `{"name":"changed","is_shared":true,"search":"","columns":[],"is_dense":true}`,
				h.addView("users", "change"))
		},
		"staff_view_remove": func() act { return h.staffCall(h.support, "views/%d", "", h.addView("users", "remove")) },
		"staff_views_order": func() act {
			one, other := h.addView("services", "one"), h.addView("services", "other")
			return h.staffCall(h.support, "views/order", fmt.Sprintf(`{"resource":"services","views":[%d,%d]}`, other, one))
		},
		"staff_view_layout_set": func() act {
			return h.staffCall(h.support, "views/layout", `{"resource":"users","columns":["email"],"widths":{"email":240},"is_dense":true}`)
		},
		"staff_canned_answer_add": func() act {
			return h.staffCall(h.support, "canned-answers", `{"name":"new","content_zh":"test","content_en":""}`)
		},
		"staff_canned_answer_change": func() act {
			return h.staffCall(h.support, "canned-answers/%d", `{"name":"changed","content_zh":"test","content_en":""}`,
				h.addCannedAnswer("change"))
		},
		"staff_canned_answer_remove": func() act { return h.staffCall(h.support, "canned-answers/%d", "", h.addCannedAnswer("remove")) },
		"staff_announcement_add":     func() act { return h.staffCall(h.admin, "announcements", `{"title":"Welcome"}`) },
		"staff_announcement_change": func() act {
			return h.staffCall(h.admin, "announcements/%d", `{"title":"Goodbye"}`, h.addAnnouncement())
		},
		"staff_announcement_broadcast": func() act {
			return h.staffCall(h.admin, "announcements/%d/broadcast", `{"channel":"mail"}`, h.addAnnouncement())
		},
		"staff_announcement_broadcast_stop": func() act {
			id := h.addAnnouncement()
			_, err := h.Broadcasts.Start(h.Context(), id, announcement.ByMail, "")
			h.must(err)
			return h.staffCall(h.admin, "announcements/%d/broadcast/stop", `{"channel":"mail"}`, id)
		},
		"staff_announcement_remove": func() act { return h.staffCall(h.admin, "announcements/%d", "", h.addAnnouncement()) },
		"admin_announcement_set": func() act {
			return act{as: h.admin, path: "/api/v2/admin_api/announcement", body: "# Hello", media: "text/plain"}
		},
		"POST /v1/admin/announcement": func() act {
			return act{as: h.admin, path: "/v1/admin/announcement", body: "# Good morning", media: "text/plain"}
		},
		"staff_guide_add": func() act {
			return h.staffCall(h.admin, "guides", `{"slug":"hello","title":"Hello","body":"Hello","category":"Hello"}`)
		},
		"staff_guide_change": func() act { return h.staffCall(h.admin, "guides/%d", `{"title":"Goodbye"}`, h.addGuide()) },
		"staff_guide_remove": func() act { return h.staffCall(h.admin, "guides/%d", "", h.addGuide()) },
		"staff_webhook_add": func() act {
			return h.staffCall(h.owner, "webhooks", `{"name":"ops","url":"https://ops.example/","events":["order.paid"],`+
				`"is_enabled":false}`)
		},
		"staff_webhook_change": func() act {
			return h.staffCall(h.owner, "webhooks/%d", `{"name":"other","url":"https://ops.example/","events":["user.created"],`+
				`"is_enabled":false}`, h.addWebhook())
		},
		"staff_webhook_rotate": func() act { return h.staffCall(h.owner, "webhooks/%d/rotate", "", h.addWebhook()) },
		"staff_webhook_remove": func() act { return h.staffCall(h.owner, "webhooks/%d", "", h.addWebhook()) },
		"staff_webhook_test":   func() act { return h.staffCall(h.admin, "webhooks/%d/test", "", h.addWebhook()) },
		"staff_webhook_redeliver": func() act {
			id := h.addWebhook()
			_, err := h.Webhooks.SendTest(h.Context(), id)
			h.must(err)
			sent, _, err := h.Webhooks.Deliveries(h.Context(), id, webhook.DeliveryFilter{Limit: 1})
			h.must(err)
			return h.staffCall(h.admin, "webhooks/%d/deliveries/%d/redeliver", "", id, sent[0].ID)
		},
		"staff_share_account_add": func() act {
			return h.staffCall(h.admin, "share-accounts", `{"name":"Netflix","is_enabled":true,`+
				`"password":"correct-horse-of-netflix","totp":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}`)
		},
		"staff_share_account_change": func() act {
			return h.staffCall(h.admin, "share-accounts/%d", `{"name":"Other","is_enabled":false}`, h.addShare().ID)
		},
		"staff_share_account_rotate": func() act {
			return h.staffCall(h.admin, "share-accounts/%d/rotate", `{"password":"correct-horse-of-netflix"}`, h.addShare().ID)
		},
		"staff_share_account_remove": func() act {
			return h.staffCall(h.admin, "share-accounts/%d", "", h.addShare().ID)
		},
		"staff_link_template_preview": func() act {
			a := h.staffCall(h.admin, "link-templates/preview", `{"client_type":"SingBox"}`)
			a.reads = true
			return a
		},
		"staff_mail_template_set": func() act {
			return h.staffCall(h.owner, "mail-templates/login/en", `{"subject":"Your code","body":"{{code}}"}`)
		},
		"staff_mail_template_reset": func() act {
			h.must(h.Mails.SetTemplate(h.Context(), mail.Template{
				Kind: "login", Lang: fault.ZH, Subject: "验证码", Body: "{{code}}",
			}))
			return h.staffCall(h.owner, "mail-templates/login/zh-CN", "")
		},
		"staff_mail_template_preview": func() act {
			a := h.staffCall(h.admin, "mail-templates/login/en/preview", `{"subject":"Your code","body":"{{code}}"}`)
			a.reads = true
			return a
		},
		"staff_mail_template_test": func() act {
			return h.staffCall(h.owner, "mail-templates/login/en/test", `{"subject":"Your code","body":"{{code}}"}`)
		},
		"staff_mail_retry": func() act {
			h.must(h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
				return h.Mails.Send(ctx, tx, mail.Message{To: "someone@example.com", Content: mail.EmailTaken{}})
			}))
			h.must(h.Outbox.Work(h.Context()))
			mails, _, err := h.Mails.Find(h.Context(), mail.Filter{Recipient: "someone@example.com", Limit: 1})
			h.must(err)
			return h.staffCall(h.admin, "mails/%d/retry", "", mails[0].ID)
		},
		"staff_statement_preview": func() act {
			preview := h.staffCall(h.bob, "statements/preview", `{"text":"time,id,amount\n2026-01-02,SB1,1.00\n"}`)
			preview.reads = true
			return preview
		},
		"staff_user_password_mail": func() act {
			return h.staffCall(h.support, "users/%d/password-mail", `{"reason":"asked"}`, h.user.id)
		},
		"staff_user_email_replace": func() act {
			former := h.email
			h.email = "b" + h.email
			return h.staffCall(h.admin, "users/%d/email", fmt.Sprintf(`{"present_email":%q,"email":%q,"reason":"lost"}`, former,
				h.email), h.users[2].id)
		},
		"staff_shared_key_set": func() act {
			return h.staffCall(h.owner, "node-shared-key",
				`{"key":"aVeryLong1SharedKey9zQ"}`)
		},
		"replace_user_email":               h.replace("/api/v2/admin_api/replace_user_email"),
		"GET /v1/admin/replace_user_email": h.replace("/v1/admin/replace_user_email"),
	}
}
