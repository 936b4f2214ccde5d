package mail_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/mail"
)

func TestMailsAreFoundByStateAndRecipient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o, s := open(t, d), listen(t, nil)
		o.send(mail.Message{To: "a_b@example.com", Content: mail.EmailTaken{}})
		o.later(0) // kept: there is no server yet
		o.through(s)
		for _, to := range []string{"axb@example.com", "100%@example.com"} {
			o.send(mail.Message{To: to, Content: mail.EmailTaken{}})
		}
		o.later(0)
		o.send(code(fault.EN))
		for _, c := range []struct {
			filter mail.Filter
			total  int64
			newest string
		}{
			{mail.Filter{Limit: 10}, 4, "ming@example.com"},
			{mail.Filter{Limit: 10, State: mail.Sent}, 2, "100%@example.com"},
			{mail.Filter{Limit: 10, State: mail.Kept}, 1, "a_b@example.com"},
			{mail.Filter{Limit: 10, State: mail.Queued}, 1, "ming@example.com"},
			{mail.Filter{Limit: 10, Recipient: "A_B@"}, 1, "a_b@example.com"}, // no wildcard
			{mail.Filter{Limit: 10, Recipient: "%"}, 1, "100%@example.com"},
			{mail.Filter{Limit: 10, Recipient: `\`}, 0, ""},
			{mail.Filter{Limit: 10, Recipient: "example.com", State: mail.Sent}, 2, "100%@example.com"},
			{mail.Filter{Limit: 1, Offset: 1, State: mail.Sent}, 2, "axb@example.com"},
			{mail.Filter{Limit: 10, Offset: 9}, 4, ""},
		} {
			mails, total, err := o.Find(t.Context(), c.filter)
			o.must(err)
			newest := ""
			if len(mails) > 0 {
				newest = mails[0].Recipient
			}
			if total != c.total || newest != c.newest || int64(len(mails)) > c.filter.Limit {
				t.Errorf("%+v: %d, first %q; want %d, %q", c.filter, total, newest, c.total, c.newest)
			}
		}
	})
}

func TestAMailThatFailedOrWasKeptIsSentAgainOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o, s := open(t, d), listen(t, []error{&smtp.SMTPError{
			Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1},
			Message: "no such person",
		}})
		o.send(mail.Message{To: "kept@example.com", Content: mail.EmailTaken{}})
		kept := o.later(0)
		o.through(s)
		o.send(mail.Message{To: "failed@example.com", Content: mail.EmailTaken{}})
		failed := o.later(0)
		if kept.State != mail.Kept || failed.State != mail.Failed {
			t.Fatalf("%+v %+v", kept, failed)
		}
		o.now = o.now.Add(3 * 24 * time.Hour)
		for _, m := range []mail.Mail{kept, failed} {
			o.must(o.Retry(t.Context(), m.ID))
			if err := o.Retry(t.Context(), m.ID); !errors.Is(err, mail.ErrUnderWay) {
				t.Errorf("twice: %v", err)
			}
			o.later(0)
			if again, _, err := o.Show(t.Context(), m.ID); err != nil || again.State != mail.Sent ||
				again.LastError != "" {
				t.Errorf("%+v, %v", again, err)
			}
			if err := o.Retry(t.Context(), m.ID); !errors.Is(err, mail.ErrUnderWay) {
				t.Errorf("after it was sent: %v", err)
			}
		}
		if got := s.all(); len(got) != 2 {
			t.Errorf("%d mails arrived", len(got))
		}
		if err := o.Retry(t.Context(), 999); !errors.Is(err, mail.ErrNoMail) {
			t.Error(err)
		}
	})
}

func TestACodeThatHasExpiredIsNotSentAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		o := open(t, d)
		msg := code(fault.EN)
		msg.Until = o.now.Add(10 * time.Minute)
		o.send(msg)
		m := o.later(0)
		o.now = o.now.Add(9 * time.Minute)
		o.must(o.Retry(t.Context(), m.ID))
		o.later(0)
		o.now = o.now.Add(time.Minute)
		if err := o.Retry(t.Context(), m.ID); !errors.Is(err, mail.ErrTooLate) {
			t.Error(err)
		}
	})
}

func TestACodeCanBeHiddenFromALetter(t *testing.T) {
	o := open(t, dbtest.SQLite(t))
	o.send(mail.Message{
		To: "ming@example.com",
		Content: mail.Code{
			Purpose: "forgot_password", Code: "012345", Minutes: 10,
			Path: "/auth/forgot-password#bWluZw.012345",
		},
	})
	m := o.later(0)
	_, l, err := o.Show(t.Context(), m.ID)
	o.must(err)
	if !m.BringsCode() || strings.Count(l.Text, "012345") != 2 || strings.Count(l.HTML, "012345") != 2 {
		t.Fatalf("%+v %+v", m, l)
	}
	hidden := l.WithoutCode()
	if strings.Contains(hidden.Text+hidden.HTML, "012345") || !strings.Contains(hidden.Text, "••••••") ||
		!strings.Contains(hidden.HTML, "••••••") {
		t.Errorf("%+v", hidden)
	}
	if strings.Count(hidden.HTML, "#ffffff") != strings.Count(l.HTML, "#ffffff") ||
		strings.Count(hidden.HTML, "••••••") != 2 {
		t.Errorf("more was hidden than the code: %s", hidden.HTML)
	}
}
