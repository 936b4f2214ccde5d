package mail_test

import (
	"errors"
	"strings"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
)

func TestTemplates_BuiltinOnes_PassTheirOwnRules(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	for _, k := range mail.Kinds {
		for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
			template, err := mail.Builtin(k.Kind, lang)
			o.must(err)
			letter, err := o.Preview(template)
			if err != nil {
				t.Errorf("%s %s: %v", k.Kind, lang, err)
			}
			for _, text := range []string{letter.Subject, letter.Text, letter.HTML} {
				if text == "" || strings.Contains(text, "{{") || strings.Contains(text, "%!") {
					t.Errorf("%s %s: %q", k.Kind, lang, text)
				}
			}
			for _, v := range o.Variables(k, lang) {
				if v.About.ZH == "" || v.About.EN == "" {
					t.Errorf("%s: nothing says what {{%s}} is", k.Kind, v.Name)
				}
			}
		}
	}
}

// letterTo sends a message and gives how it was written.
func (o *office) letterTo(msg mail.Message) mail.Letter {
	o.Helper()
	o.send(msg)
	mails, err := o.List(o.Context(), 1)
	o.must(err)
	_, letter, err := o.Show(o.Context(), mails[0].ID)
	o.must(err)
	return letter
}

func TestSetTemplate_ChangesMailsFromThenOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := open(t, d)
		o.set("site_name", "Runway")
		before := o.letterTo(code(fault.EN))
		o.must(o.SetTemplate(t.Context(), mail.Template{
			Kind: "login", Lang: fault.EN, Subject: "Welcome to {{ site_name }}",
			Body: "# Hello\r\n\r\n{{code}}\r\n\r\n[Sign in]({{site_url}}/auth/sign-in) within **{{minutes}}** minutes.",
		}))
		letter := o.letterTo(code(fault.EN))
		if letter.Subject != "Welcome to Runway" ||
			letter.Text != "Hello\n\n    012345\n\nSign in (https://air.example.com/auth/sign-in) within 10 minutes.\n" {
			t.Errorf("%q: %q", letter.Subject, letter.Text)
		}
		for _, part := range []string{
			"<h1>Hello</h1>", ">012345</p>", `href="https://air.example.com/auth/sign-in"`, "<strong>10</strong>",
		} {
			if !strings.Contains(letter.HTML, part) {
				t.Errorf("no %s in %s", part, letter.HTML)
			}
		}
		if zh := o.letterTo(code(fault.ZH)); !strings.Contains(zh.Text, "验证码") {
			t.Errorf("the other language changed too: %s", zh.Text)
		}
		mails, err := o.List(t.Context(), 3)
		o.must(err)
		if _, kept, err := o.Show(t.Context(), mails[2].ID); err != nil || kept != before {
			t.Errorf("what was written before changed: %v %v", kept, err)
		}
		// Another server reads it, too.
		other := open(t, d)
		other.must(other.LoadTemplates(t.Context()))
		if again := other.letterTo(code(fault.EN)); again.Text != letter.Text {
			t.Errorf("another server wrote %s", again.Text)
		}
		o.must(o.ResetTemplate(t.Context(), "login", fault.EN))
		if again := o.letterTo(code(fault.EN)); again.Text != before.Text {
			t.Errorf("reset, it says %s", again.Text)
		}
	})
}

func TestSetTemplate_WhatIsWrong_IsNamed(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	const body = "Your code:\n\n{{code}}"
	for name, c := range map[string]struct{ kind, subject, body, field, code string }{
		"no subject":               {"login", " ", body, "subject", "required"},
		"no text":                  {"login", "A", "", "body", "required"},
		"a subject of two lines":   {"login", "A\r\nBcc: x@example.com", body, "subject", "line_break"},
		"a separator in a subject": {"login", "A\u2028B", body, "subject", "line_break"},
		"a long subject":           {"login", strings.Repeat("字", 151), body, "subject", "too_long"},
		"a long text":              {"login", "A", body + strings.Repeat("字", 10_000), "body", "too_long"},
		"an unknown variable":      {"login", "{{balance}}", body, "subject", "unknown_variable"},
		"a variable of others":     {"login", "A", body + "\n\n{{link}}", "body", "unknown_variable"},
		"another template language": {
			"login", "A", body + "\n\n{{.Content.Code}}", "body", "unknown_variable",
		},
		"no code":                   {"login", "A", "Your code", "body", "missing_variable"},
		"no link":                   {"forgot_password", "A", body, "body", "missing_variable"},
		"a code in the subject":     {"login", "{{code}}", body, "subject", "block_variable"},
		"a code among words":        {"login", "A", "Your code is {{code}}.", "body", "block_variable"},
		"a code in an address":      {"login", "A", "[a](https://x.example/{{code}})", "body", "block_variable"},
		"an address of a reader":    {"login", "A", body + "\n\n[a](https://x.example/?u={{recipient}})", "body", "variable_in_address"},
		"an address by a mail":      {"login", "A", body + "\n\n<mailto:{{recipient}}>", "body", "variable_in_address"},
		"the site as a subdomain":   {"login", "A", body + "\n\n[a]({{site_url}}.x.example/)", "body", "variable_in_address"},
		"the site as another's key": {"login", "A", body + "\n\nhttps://x.example/?from={{site_url}}", "body", "variable_in_address"},
		"a site without a scheme":   {"login", "A", body + "\n\n[a](//x.example/{{recipient}})", "body", "variable_in_address"},
	} {
		err := o.SetTemplate(t.Context(), mail.Template{Kind: c.kind, Lang: fault.EN, Subject: c.subject, Body: c.body})
		var wrong *fault.Error
		if !errors.As(err, &wrong) || len(wrong.Fields) == 0 || wrong.Fields[0].Name != c.field ||
			wrong.Fields[0].Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := o.SetTemplate(t.Context(), mail.Template{Kind: "nothing", Lang: fault.EN, Subject: "A", Body: "B"})
	if !errors.Is(err, mail.ErrNoTemplate) {
		t.Error(err)
	}
}

func TestSetTemplate_WhatUsersWrote_StaysText(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	o.must(o.SetTemplate(t.Context(), mail.Template{
		Kind: "ticket_answered", Lang: fault.EN, Subject: "{{ticket_title}}",
		Body: "About **{{ticket_title}}**\n\n{{message}}\n\n{{site_url}}/user/tickets/view/{{ticket_no}}",
	}))
	const hostile = "[a](https://x.example) <img src=x> **b** {{site_url}} www.x.example"
	letter := o.letterTo(mail.Message{To: "ming@example.com", Lang: fault.EN, Content: mail.TicketAnswered{
		No: 7, Title: hostile + "\r\nBcc: x", Text: hostile,
	}})
	if letter.Subject != hostile+" Bcc: x" || strings.Count(letter.Text, hostile) != 2 {
		t.Errorf("%q: %q", letter.Subject, letter.Text)
	}
	for _, part := range []string{"<img", `href="https://x.example`, `href="http://www.x.example`, "<strong>b"} {
		if strings.Contains(letter.HTML, part) {
			t.Errorf("%s in %s", part, letter.HTML)
		}
	}
	if !strings.Contains(letter.HTML, `href="https://air.example.com/user/tickets/view/7"`) {
		t.Errorf("no link to the ticket: %s", letter.HTML)
	}
}

func TestFrame_FooterOfTheOperator_IsBelowEachMail(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	o.set("mail_footer_en", "Runway Ltd <1 Street>\nTokyo")
	letter := o.letterTo(code(fault.EN))
	if !strings.HasSuffix(letter.Text, "\n\nRunway Ltd <1 Street>\nTokyo\n") ||
		!strings.Contains(letter.HTML, "Runway Ltd &lt;1 Street&gt;\nTokyo</p>") {
		t.Errorf("%s\n%s", letter.Text, letter.HTML)
	}
	if zh := o.letterTo(code(fault.ZH)); strings.Contains(zh.Text, "Runway Ltd") {
		t.Error("the footer of the other language is there")
	}
}
