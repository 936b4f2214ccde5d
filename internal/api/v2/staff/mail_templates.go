package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
	"airstrip/internal/permission"
)

type mailTemplateItem struct {
	Kind      string     `json:"kind" example:"forgot_password"`
	Lang      fault.Lang `json:"lang" enum:"zh-CN,en"`
	Name      string     `json:"name" doc:"In the caller's language"`
	ToStaff   bool       `json:"to_staff" doc:"Whether it goes to members of staff, else to users"`
	Subject   string     `json:"subject"`
	IsChanged bool       `json:"is_changed" doc:"False: the built-in one is used"`
	ChangedBy string     `json:"changed_by" doc:"Address of the member of staff; empty: the operator, or nobody"`
	ChangedAt *time.Time `json:"changed_at" nullable:"true"`
}

type mailTemplateResult struct {
	Kind           string     `json:"kind"`
	Lang           fault.Lang `json:"lang" enum:"zh-CN,en"`
	Subject        string     `json:"subject"`
	Body           string     `json:"body" doc:"Markdown, with variables"`
	BuiltinSubject string     `json:"builtin_subject"`
	BuiltinBody    string     `json:"builtin_body"`
	IsChanged      bool       `json:"is_changed"`
	ChangedAt      *time.Time `json:"changed_at" nullable:"true"`

	Name      string             `json:"name" doc:"In the caller's language"`
	ToStaff   bool               `json:"to_staff"`
	Variables []mailVariableItem `json:"variables"`
	v2.Version
}

type mailVariableItem struct {
	Name     string `json:"name" doc:"Written as {{name}}" example:"site_name"`
	About    string `json:"about" doc:"What it stands for, in the caller's language"`
	Example  string `json:"example"`
	IsBlock  bool   `json:"is_block" doc:"Whether it needs a line of its own"`
	IsNeeded bool   `json:"is_needed" doc:"Whether no template is taken without it"`
}

type mailTemplatePath struct {
	Kind string     `path:"kind" maxLength:"40"`
	Lang fault.Lang `path:"lang" enum:"zh-CN,en"`
}

type mailTemplateText struct {
	Subject string `json:"subject" maxLength:"150" doc:"One line, with variables"`
	Body    string `json:"body" maxLength:"10000" doc:"Markdown, with variables"`
}

type mailTemplateChange struct {
	Kind string     `path:"kind" maxLength:"40"`
	Lang fault.Lang `path:"lang" enum:"zh-CN,en"`
	Body mailTemplateText
}

func (c *mailTemplateChange) template() mail.Template {
	return mail.Template{Kind: c.Kind, Lang: c.Lang, Subject: c.Body.Subject, Body: c.Body.Body}
}

type mailPreview struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html" doc:"To be shown in a frame of its own without scripts"`
}

type mailTemplates struct {
	mails    *mail.Mails
	accounts *account.Accounts
}

// MailTemplates adds what mails say. Whoever changes the mail that brings a code can have its reader give the code
// away, so that needs a permission of its own and a recent proof.
func MailTemplates(m *mail.Mails, a *account.Accounts) v2.Resource {
	t := mailTemplates{m, a}
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/mail-templates", permission.MailTemplateRead).
			Named("staff_mail_templates", "The kinds of mails in both languages, and who changed what they say"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) ([]mailTemplateItem, error) {
				return t.list(ctx)
			})
		v2.Handle(r, v2.StaffOp("GET /staff/mail-templates/{kind}/{lang}", permission.MailTemplateRead).
			Named("staff_mail_template", "What a kind of mail says in a language, and the variables that it may have"),
			func(ctx context.Context, _ account.Identity, in *mailTemplatePath) (mailTemplateResult, error) {
				version, err := r.Version(ctx, mail.Object(in.Kind, in.Lang))
				if err != nil {
					return mailTemplateResult{}, err
				}
				out, err := t.get(ctx, in.Kind, in.Lang)
				out.Version = version
				return out, err
			})
		v2.HandleChange(r, v2.StaffOp("PUT /staff/mail-templates/{kind}/{lang}", permission.MailTemplateWrite).
			Named("staff_mail_template_set", "Change what a kind of mail says in a language. The version of one that was "+
				"never changed is 0"),
			func(in *mailTemplateChange) audit.Object { return mail.Object(in.Kind, in.Lang) },
			func(ctx context.Context, in *mailTemplateChange) (mailTemplateResult, error) {
				return t.get(ctx, in.Kind, in.Lang)
			},
			func(ctx context.Context, who account.Identity, in *mailTemplateChange) (mailTemplateResult, error) {
				template := in.template()
				template.UpdatedBy = &who.UserID
				if err := m.SetTemplate(ctx, template); err != nil {
					return mailTemplateResult{}, err
				}
				return t.get(ctx, in.Kind, in.Lang)
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/mail-templates/{kind}/{lang}", permission.MailTemplateWrite).
			Named("staff_mail_template_reset", "Use the built-in text again").
			Answering(fault.Text{ZH: "已恢复内置模板", EN: "The built-in text is used again"}),
			func(ctx context.Context, _ account.Identity, in *mailTemplatePath) (v2.Empty, error) {
				return v2.Empty{}, m.ResetTemplate(ctx, in.Kind, in.Lang)
			})
		v2.Handle(r, v2.StaffOp("POST /staff/mail-templates/{kind}/{lang}/preview", permission.MailTemplateRead).
			Named("staff_mail_template_preview", "A mail with example data by a template that is not stored"),
			func(_ context.Context, _ account.Identity, in *mailTemplateChange) (mailPreview, error) {
				letter, err := m.Preview(in.template())
				return mailPreview{letter.Subject, letter.Text, letter.HTML}, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/mail-templates/{kind}/{lang}/test", permission.MailTemplateWrite).
			Named("staff_mail_template_test", "Send a mail with example data to oneself").
			Answering(fault.Text{ZH: "测试邮件已加入发送队列", EN: "The test mail is in the queue"}),
			func(ctx context.Context, who account.Identity, in *mailTemplateChange) (v2.Empty, error) {
				return v2.Empty{}, t.test(ctx, who.UserID, in.template())
			})
	}
}

func (t mailTemplates) list(ctx context.Context) (out []mailTemplateItem, err error) {
	changed, err := t.mails.Templates(ctx)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, one := range changed {
		if one.UpdatedBy != nil {
			ids = append(ids, *one.UpdatedBy)
		}
	}
	emails, err := t.accounts.Emails(ctx, ids)
	if err != nil {
		return nil, err
	}
	type key struct {
		kind string
		lang fault.Lang
	}
	byKey := map[key]mail.Template{}
	for _, one := range changed {
		byKey[key{one.Kind, one.Lang}] = one
	}
	for _, k := range mail.Kinds {
		for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
			template, isChanged := byKey[key{k.Kind, lang}]
			if !isChanged {
				if template, err = mail.Builtin(k.Kind, lang); err != nil {
					return nil, err
				}
			}
			item := mailTemplateItem{
				Kind: k.Kind, Lang: lang, Name: k.Name.In(api.CallerOf(ctx).Lang), ToStaff: k.ToStaff,
				Subject: template.Subject, IsChanged: isChanged,
			}
			if isChanged {
				item.ChangedAt = &template.UpdatedAt
			}
			if template.UpdatedBy != nil {
				item.ChangedBy = emails[*template.UpdatedBy]
			}
			out = append(out, item)
		}
	}
	return out, nil
}

func (t mailTemplates) get(ctx context.Context, kind string, lang fault.Lang) (mailTemplateResult, error) {
	k, err := mail.KindNamed(kind)
	if err != nil {
		return mailTemplateResult{}, err
	}
	builtin, err := mail.Builtin(kind, lang)
	if err != nil {
		return mailTemplateResult{}, err
	}
	now, err := t.mails.Template(ctx, kind, lang)
	if err != nil {
		return mailTemplateResult{}, err
	}
	reader := api.CallerOf(ctx).Lang
	out := mailTemplateResult{
		Kind: kind, Lang: lang, Subject: now.Subject, Body: now.Body, BuiltinSubject: builtin.Subject,
		BuiltinBody: builtin.Body, IsChanged: !now.IsBuiltin(), Name: k.Name.In(reader), ToStaff: k.ToStaff,
		Variables: []mailVariableItem{},
	}
	if out.IsChanged {
		out.ChangedAt = &now.UpdatedAt
	}
	for _, v := range t.mails.Variables(k, lang) {
		out.Variables = append(out.Variables, mailVariableItem{
			v.Name, v.About.In(reader), v.Example, v.IsBlock, v.Needed,
		})
	}
	return out, nil
}

func (t mailTemplates) test(ctx context.Context, userID int64, template mail.Template) error {
	emails, err := t.accounts.Emails(ctx, []int64{userID})
	if err != nil {
		return err
	}
	return t.mails.SendExample(ctx, template, emails[userID])
}
