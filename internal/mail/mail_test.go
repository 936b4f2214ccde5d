package mail_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// office is a site that sends mail, in which time is set by the test.
type office struct {
	*testing.T
	*mail.Mails
	db       *db.DB
	settings *setting.Settings
	secrets  *secret.Secrets
	queue    *job.Queue
	now      time.Time
}

func open(t *testing.T, d *db.DB) *office {
	t.Helper()
	o := &office{
		T: t, db: d, now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), queue: job.New(d),
		secrets: secret.New(d, seal.Key{1}),
	}
	d.SetClock(func() time.Time { return o.now })
	var err error
	o.settings, err = setting.New(t.Context(), d)
	o.must(err)
	o.Mails = mail.New(d, seal.Key{1}, o.settings, o.secrets, "https://air.example.com")
	o.Register(o.queue)
	return o
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) set(pairs ...any) {
	o.Helper()
	values := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		raw, err := json.Marshal(pairs[i+1])
		o.must(err)
		values[pairs[i].(string)] = raw
	}
	o.must(o.settings.Set(o.Context(), values))
}

// through makes the site send through s.
func (o *office) through(s *server, more ...any) {
	o.Helper()
	o.set(append([]any{
		"smtp_host", s.host, "smtp_port", s.port, "smtp_tls", "none", "smtp_from",
		"no-reply@example.com", "site_name", "Runway 跑道",
	}, more...)...)
}

func (o *office) send(msg mail.Message) {
	o.Helper()
	o.must(o.db.Tx(o.Context(), func(ctx context.Context, tx bun.Tx) error { return o.Send(ctx, tx, msg) }))
}

// later runs the queue after d and gives the newest mail.
func (o *office) later(d time.Duration) mail.Mail {
	o.Helper()
	o.now = o.now.Add(d)
	o.must(o.queue.Work(o.Context()))
	mails, err := o.List(o.Context(), 1)
	o.must(err)
	return mails[0]
}

func code(lang fault.Lang) mail.Message {
	return mail.Message{
		To: "ming@example.com", Lang: lang,
		Content: mail.Code{Purpose: "login", Code: "012345", Minutes: 10},
	}
}

func TestAMailArrivesOnceInBothForms(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o, s := open(t, d), listen(t, nil)
		o.through(s)
		failed := errors.New("the cause failed")
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			return errors.Join(o.Send(ctx, tx, code(fault.EN)), failed)
		}); !errors.Is(err, failed) {
			t.Fatal(err)
		}
		o.send(code(fault.ZH))
		if m := o.later(0); m.State != mail.Sent || m.Tries != 1 || m.EndedAt == nil {
			t.Fatalf("%+v", m)
		}
		o.later(time.Hour)
		got := s.all()
		if len(got) != 1 {
			t.Fatalf("%d mails arrived", len(got))
		}
		if got[0].from != "no-reply@example.com" || !slices.Equal(got[0].to, []string{"ming@example.com"}) {
			t.Errorf("from %s to %v", got[0].from, got[0].to)
		}
		header, parts := got[0].read(t)
		from, err := netmail.ParseAddress(header.Get("From"))
		if err != nil || from.Name != "Runway 跑道" || header.Get("Auto-Submitted") != "auto-generated" ||
			!strings.HasSuffix(header.Get("Message-Id"), "@air.example.com>") {
			t.Errorf("header %v", header)
		}
		for _, form := range []string{"text/plain", "text/html"} {
			if !strings.Contains(parts[form], "012345") || !strings.Contains(parts[form], "10 分钟") {
				t.Errorf("%s: %s", form, parts[form])
			}
		}
		mails, err := o.List(t.Context(), 10)
		o.must(err)
		if _, letter, err := o.Show(t.Context(), mails[0].ID); err != nil || letter != (mail.Letter{}) {
			t.Errorf("the text of a mail that was sent is still there: %v %v", letter, err)
		}
	})
}

func TestWithoutAServerMailsAreKeptToBeRead(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := open(t, d)
		o.send(code(fault.EN))
		if m := o.later(0); m.State != mail.Kept || m.Tries != 0 {
			t.Fatalf("%+v", m)
		}
		mails, err := o.List(t.Context(), 10)
		o.must(err)
		m, letter, err := o.Show(t.Context(), mails[0].ID)
		o.must(err)
		if m.Recipient != "ming@example.com" || m.Kind != "login" || !strings.Contains(letter.Text, "012345") ||
			!strings.Contains(letter.HTML, "012345") || !strings.Contains(letter.Subject, "sign in") {
			t.Errorf("%+v %+v", m, letter)
		}
		var stored string
		o.must(d.NewRaw(`SELECT CAST(sealed AS TEXT) FROM mail`).Scan(t.Context(), &stored))
		if strings.Contains(stored, "012345") {
			t.Error("the code can be read in the database")
		}
		if _, _, err := o.Show(t.Context(), 999); !errors.Is(err, mail.ErrNoMail) {
			t.Error(err)
		}
		// A server that is set later gets what is new, not what is old.
		s := listen(t, nil)
		o.through(s)
		if o.later(time.Hour); len(s.all()) != 0 {
			t.Error("a mail of yesterday was sent")
		}
		o.now = o.now.Add(31 * 24 * time.Hour)
		o.must(o.queue.Work(t.Context()))
		if mails, err := o.List(t.Context(), 10); err != nil || len(mails) != 0 {
			t.Errorf("%v %v after a month", mails, err)
		}
	})
}

func TestWhatFailsForNowIsTriedAgainUnderTheSameID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		busy := &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "come back later"}
		// The second answer says that the mail was taken, but is lost: the mail arrives twice and can be known as one.
		o, s := open(t, d), listen(t, []error{busy, errHangUp})
		o.through(s)
		o.send(code(fault.EN))
		if m := o.later(0); m.State != mail.Queued || m.Tries != 1 ||
			!strings.Contains(m.LastError, "come back later") {
			t.Fatalf("%+v", m)
		}
		if m := o.later(time.Second); m.Tries != 1 {
			t.Fatalf("tried again at once: %+v", m)
		}
		if m := o.later(5 * time.Second); m.State != mail.Queued || m.Tries != 2 {
			t.Fatalf("%+v", m)
		}
		if m := o.later(15 * time.Second); m.State != mail.Sent || m.Tries != 3 || m.LastError != "" {
			t.Fatalf("%+v", m)
		}
		got := s.all()
		if len(got) != 2 {
			t.Fatalf("%d mails", len(got))
		}
		first, _ := got[0].read(t)
		second, _ := got[1].read(t)
		if first.Get("Message-Id") == "" || first.Get("Message-Id") != second.Get("Message-Id") {
			t.Errorf("%v and %v", first, second)
		}
	})
}

func TestARefusalForGoodAndLatenessEndTheTries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o, s := open(t, d), listen(t, []error{&smtp.SMTPError{
			Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1},
			Message: "no such person",
		}})
		o.through(s)
		o.send(code(fault.EN))
		if m := o.later(0); m.State != mail.Failed || !strings.Contains(m.LastError, "no such person") {
			t.Fatalf("%+v", m)
		}
		if m := o.later(24 * time.Hour); m.Tries != 1 || len(s.all()) != 0 {
			t.Fatalf("tried again: %+v", m)
		}
		s.Close()
		late := code(fault.EN)
		late.Until = o.now.Add(time.Minute)
		o.send(late)
		if m := o.later(0); m.State != mail.Queued || m.Tries != 1 {
			t.Fatalf("%+v", m)
		}
		if m := o.later(2 * time.Minute); m.State != mail.Failed || m.Tries != 1 {
			t.Fatalf("%+v", m)
		}
		// Without an end of its own a mail is tried for a day.
		o.send(code(fault.EN))
		for range 26 {
			o.later(time.Hour)
		}
		if m := o.later(0); m.State != mail.Failed || m.Tries < 5 {
			t.Fatalf("%+v", m)
		}
	})
}

func TestMailGoesOverTLSToAServerThatIsTrustedAndWithThePassword(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	o.must(o.secrets.Set(t.Context(), secret.SMTPPassword, "open sesame"))
	for mode, s := range map[string]*server{
		"starttls": listen(t, nil, withTLS(trusted)),
		"tls":      listen(t, nil, withTLS(trusted), fromTheStart),
	} {
		s.password = "open sesame"
		o.through(s, "smtp_tls", mode, "smtp_username", "airstrip")
		o.send(code(fault.EN))
		if m := o.later(0); m.State != mail.Sent {
			t.Errorf("%s: %+v", mode, m)
		}
		if got := s.all(); len(got) != 1 || !got[0].encrypted || got[0].user != "airstrip" {
			t.Errorf("%s: %+v", mode, got)
		}
	}
	for name, s := range map[string]*server{
		"a certificate of nobody": listen(t, nil, withTLS(stranger)),
		"no encryption at all":    listen(t, nil),
		"another password":        listen(t, nil, withTLS(trusted), func(s *server) { s.password = "something else" }),
	} {
		o.through(s, "smtp_tls", "starttls", "smtp_username", "airstrip")
		o.send(code(fault.EN))
		if m := o.later(0); m.State != mail.Queued || m.LastError == "" || strings.Contains(m.LastError, "sesame") {
			t.Errorf("%s: %+v", name, m)
		}
		if len(s.all()) != 0 || s.leaked("sesame") {
			t.Errorf("%s: got something", name)
		}
	}
}

func TestEveryMailIsWrittenInBothLanguages(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	o.set("site_name", "A & <B> Bcc: x@example.com")
	at := o.now
	var contents []mail.Content
	for _, purpose := range []string{"register", "login", "forgot_password", "change_email", "step_up", "test"} {
		contents = append(contents, mail.Code{
			Purpose: purpose, Code: "012345", Minutes: 10,
			Path: "/auth/forgot-password#x", Other: "new@example.com",
		})
	}
	contents = append(contents, mail.Renewed{Service: "<Plan>", EndsAt: at, Amount: 1000, Currency: "CNY"},
		mail.NotRenewed{Service: "Plan", EndsAt: at, Missing: 1, Currency: "CNY"},
		mail.NotRenewed{Service: "Plan", EndsAt: at}, mail.NotRenewed{Service: "Plan", EndsAt: at, Last: true},
		mail.NotRenewed{Service: "Plan", EndsAt: at, Price: 1200, Agreed: 1000, Currency: "CNY"},
		mail.ServiceEnding{Service: "Plan", EndsAt: at, Days: 1},
		mail.TrafficUsed{Service: "Plan", Percent: 80}, mail.TrafficUsed{Service: "Plan", Percent: 100, ResetsAt: &at})
	contents = append(contents, mail.PaymentCase{
		At: at, No: 1, Gateway: "epay", TransactionID: "<T1>", Amount: 1000,
		Currency: "CNY", Doubled: true,
	}, mail.PaymentCase{
		At: at, No: 2, Gateway: "epay", TransactionID: "T2",
		Amount: 1000, Currency: "CNY",
	})
	contents = append(contents, mail.LinkSpread{Networks: 12, Areas: 1}, mail.LinkSpread{Networks: 20, Areas: 3},
		mail.EmailTaken{}, mail.PasswordChanged{At: at, IP: "192.0.2.1"},
		mail.EmailChanged{At: at, IP: "192.0.2.1", Other: "new@example.com"}, mail.Banned{},
		mail.LoginAlert{At: at, IP: "192.0.2.1"},
		mail.LoginAlert{At: at, IP: "192.0.2.1", Area: "JP", Device: "Firefox 140 · Windows"},
		mail.Banned{Reason: "<abuse>", Until: &at},
		mail.TicketAnswered{No: 1, Title: "<B>\r\nBcc: x@example.com", Text: "<B>"},
		mail.TicketAnswered{No: 1, Title: "B", Text: "<B>", ReplyTo: "a+t1-x@example.com", Thread: "t@example.com"},
		mail.TicketMailRefused{No: 1, Reason: fault.Text{ZH: "工单已关闭", EN: "the ticket is closed"}},
		mail.TicketWaiting{No: 1, Title: "<B>", Text: "<B>", Opened: true},
		mail.TicketWaiting{No: 1, Title: "<B>", Text: "<B>"},
		mail.TrafficAnomalies{More: 1, Days: []mail.TrafficAnomaly{
			{ID: 1, Name: "ming@example.com", Day: "2026-01-31", Bytes: 600 << 30, Usual: 5 << 30},
			{IsNode: true, ID: 2, Name: "<B>", Day: "2026-01-31", Bytes: 9000 << 30, Usual: 90 << 30},
			{IsNode: true, IsInterface: true, ID: 2, Name: "<B>", Day: "2026-01-31", Bytes: 30 << 30, Usual: 10 << 30},
		}})
	for _, c := range contents {
		letters := map[fault.Lang]mail.Letter{}
		for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
			o.send(mail.Message{To: "ming@example.com", Lang: lang, Content: c})
			mails, err := o.List(t.Context(), 1)
			o.must(err)
			_, l, err := o.Show(t.Context(), mails[0].ID)
			o.must(err)
			letters[lang] = l
			if strings.ContainsAny(l.Subject, "\r\n") || !strings.Contains(l.Subject, "A & <B>") {
				t.Errorf("%T %s: subject %q", c, lang, l.Subject)
			}
			if strings.Contains(l.HTML, "<B>") || !strings.Contains(l.HTML, "&lt;B&gt;") ||
				!strings.Contains(l.HTML, `lang="`+string(lang)+`"`) || !strings.Contains(l.Text, "<B>") {
				t.Errorf("%T %s: %+v", c, lang, l)
			}
			if code, is := c.(mail.Code); is &&
				(!strings.Contains(l.Text, code.Code) || !strings.Contains(l.HTML, code.Code)) {
				t.Errorf("%s %s has no code", code.Purpose, lang)
			}
		}
		if letters[fault.ZH].Subject == letters[fault.EN].Subject || letters[fault.ZH].Text == letters[fault.EN].Text {
			t.Errorf("%T is the same in both languages", c)
		}
	}
}

func TestNotRenewed_PriceRaised_NamesBothPrices(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	const page = "https://air.example.com/user/services/renewals"
	raised := mail.NotRenewed{Service: "Plan", EndsAt: o.now, Price: 1250, Agreed: 1000, Currency: "CNY"}
	last, first := raised, raised
	last.Last, first.Agreed = true, 0
	for _, c := range []struct {
		content mail.NotRenewed
		lang    fault.Lang
		says    string
		next    string // the page that the mail leads to
	}{
		{raised, fault.ZH, "价格由 10.00 CNY 变为 12.50 CNY", page},
		{raised, fault.EN, "the price is 12.50 CNY now instead of 10.00 CNY", page},
		{last, fault.ZH, "价格由 10.00 CNY 变为 12.50 CNY", "https://air.example.com/user/services"},
		{last, fault.EN, "the price is 12.50 CNY now instead of 10.00 CNY", "https://air.example.com/user/services"},
		{first, fault.ZH, "价格变为 12.50 CNY", page},
		{first, fault.EN, "the price is 12.50 CNY now, and", page},
	} {
		o.send(mail.Message{To: "ming@example.com", Lang: c.lang, Content: c.content})
		mails, err := o.List(t.Context(), 1)
		o.must(err)
		_, l, err := o.Show(t.Context(), mails[0].ID)
		o.must(err)
		for form, text := range map[string]string{"text": l.Text, "HTML": l.HTML} {
			if !strings.Contains(text, c.says) || !strings.Contains(text, c.next) {
				t.Errorf("%+v in %s as %s: %s\nwant %q and %s", c.content, c.lang, form, text, c.says, c.next)
			}
		}
	}
}

// Announcements that differ only in their readers share one stored text, and go with it.
func TestBulk_StoresTheTextOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := open(t, d)
		var messages []mail.Message
		for i, lang := range []fault.Lang{fault.EN, fault.ZH, fault.EN} {
			messages = append(messages, mail.Message{
				To: fmt.Sprintf("u%d@example.com", i), Lang: lang, Content: mail.Announcement{
					Title: "News " + string(lang), Text: "Words", HTML: "<p>Words</p>", URL: "https://air.example.com/a",
					Unsubscribe: fmt.Sprintf("https://air.example.com/unsubscribe/%d", i),
				},
			})
		}
		batch, err := o.Prepare(messages)
		o.must(err)
		o.must(d.Tx(t.Context(), batch.Send))
		texts := func() int64 {
			n, err := d.NewSelect().Table("mail_text").Count(t.Context())
			o.must(err)
			return n
		}
		if n := texts(); n != 2 {
			t.Errorf("%d texts of two languages", n)
		}
		mails, err := o.List(t.Context(), 10)
		o.must(err)
		if len(mails) != 3 {
			t.Fatalf("%d mails", len(mails))
		}
		for i, one := range mails {
			_, letter, err := o.Show(t.Context(), one.ID)
			o.must(err)
			want := messages[2-i]
			own := want.Content.(mail.Announcement).Unsubscribe
			if one.Recipient != want.To || letter.Unsubscribe != own || !strings.Contains(letter.Text, own) ||
				!strings.Contains(letter.HTML, own) || !strings.Contains(letter.Subject, "News "+string(want.Lang)) {
				t.Errorf("%+v %+v", one, letter)
			}
		}
		if _, err := o.Prepare([]mail.Message{{To: "a@example.com", Content: mail.NoticeTest{}}}); err == nil {
			t.Error("another mail is sent in bulk")
		}
		o.now = o.now.AddDate(0, 0, 31)
		o.must(o.queue.Work(t.Context()))
		if n := texts(); n != 0 {
			t.Errorf("%d texts stay without mails", n)
		}
	})
}
