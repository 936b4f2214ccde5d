package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/permission"
)

// MailItem is a mail without its text; exported because it is embedded.
type MailItem struct {
	MailID    int64      `json:"mail_id"`
	Recipient string     `json:"recipient" format:"email"`
	Kind      string     `json:"kind" doc:"What it is about, by the name of its template" example:"forgot_password"`
	Lang      fault.Lang `json:"lang" enum:"zh-CN,en"`
	State     mail.State `json:"state" enum:"queued,sent,failed,kept" doc:"kept: there is no SMTP server"`
	Tries     int        `json:"tries"`
	LastError string     `json:"last_error" doc:"What the SMTP server or the network said last; empty: nothing"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt time.Time  `json:"expires_at" doc:"When sending it has no more sense"`
	EndedAt   *time.Time `json:"ended_at" doc:"null: still queued"`
}

func showMail(m mail.Mail) MailItem {
	return MailItem{
		m.ID, m.Recipient, m.Kind, m.Lang, m.State, m.Tries, m.LastError, m.CreatedAt, m.ExpiresAt,
		m.EndedAt,
	}
}

type mailPage struct {
	TotalCount int64      `json:"total_count"`
	Page       int64      `json:"page"`
	Size       int64      `json:"size"`
	Mails      []MailItem `json:"mails" doc:"Newest first"`
}

type mailQuery struct {
	State     mail.State `query:"state" enum:"queued,sent,failed,kept"`
	Recipient string     `query:"recipient" maxLength:"254" doc:"Part of an address"`
	Page      int64      `query:"page" minimum:"1" maximum:"1000000" default:"1"`
	Size      int64      `query:"size" minimum:"1" maximum:"100" default:"20"`
}

type mailPath struct {
	MailID int64 `path:"mail_id" minimum:"1"`
}

type mailResult struct {
	MailItem
	HasText    bool   `json:"has_text" doc:"False: the mail was sent, and its text is not kept"`
	CodeHidden bool   `json:"code_hidden" doc:"Whether dots stand in the place of a code; a code that is still good is shown with with_code alone, and none to a member of staff"`
	Subject    string `json:"subject"`
	Text       string `json:"text"`
	HTML       string `json:"html" doc:"To be shown in a frame of its own without scripts"`
}

// Mails adds the outbox, for staff. A code in a mail opens its reader's account, so one that is still good is shown
// only where it is asked for, to who has permission.MailCodeRead and a recent proof; and nobody sees one to a member
// of staff, as whom they could decide about their own acts.
func Mails(m *mail.Mails, a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/mails", permission.MailRead).
			Named("staff_mails", "The mails of the last 30 days, newest first"),
			func(ctx context.Context, _ account.Identity, in *mailQuery) (mailPage, error) {
				mails, total, err := m.Find(ctx, mail.Filter{
					State: in.State, Recipient: in.Recipient, Limit: in.Size,
					Offset: (in.Page - 1) * in.Size,
				})
				out := mailPage{total, in.Page, in.Size, make([]MailItem, len(mails))}
				for i, one := range mails {
					out.Mails[i] = showMail(one)
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/mails/{mail_id}", permission.MailRead).
			Named("staff_mail", "A mail with its text"),
			func(ctx context.Context, who account.Identity, in *struct {
				MailID   int64 `path:"mail_id" minimum:"1"`
				WithCode bool  `query:"with_code" doc:"Needs the permission mail.code.read and a recent proof"`
			},
			) (mailResult, error) {
				if in.WithCode {
					if err := who.Admit(permission.MailCodeRead, true); err != nil {
						return mailResult{}, err
					}
				}
				one, letter, err := m.Show(ctx, in.MailID)
				if err != nil {
					return mailResult{}, err
				}
				hidden := one.BringsCode() && !in.WithCode
				if one.BringsCode() && !hidden {
					if hidden, err = a.IsStaff(ctx, one.Recipient); err == nil && !hidden {
						err = audit.Note(ctx, "mail.code.read", audit.ID("mail", in.MailID), nil, "")
					}
				}
				if err != nil {
					return mailResult{}, err
				}
				if hidden {
					letter = letter.WithoutCode()
				}
				return mailResult{
					showMail(one), letter.Text != "", hidden && letter.Text != "", letter.Subject,
					letter.Text, letter.HTML,
				}, nil
			})
		v2.Handle(r, v2.StaffOp("POST /staff/mails/{mail_id}/retry", permission.MailRetry).
			Named("staff_mail_retry", "Send a mail again that failed or was kept").
			Answering(fault.Text{ZH: "已重新加入发送队列", EN: "The mail is in the queue again"}),
			func(ctx context.Context, _ account.Identity, in *mailPath) (v2.Empty, error) {
				return v2.Empty{}, m.Retry(ctx, in.MailID)
			})
	}
}
