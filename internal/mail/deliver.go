package mail

import (
	"context"
	"errors"
	"log/slog"
	netmail "net/mail"
	"net/url"
	"time"

	"github.com/uptrace/bun"
	gomail "github.com/wneessen/go-mail"

	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/job"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// pauses are the times to wait after each failed try; the last one repeats until the mail expires. Codes are waited
// for, so it begins with short ones.
var pauses = []time.Duration{
	5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 4 * time.Hour,
}

const (
	smtpTimeout   = 20 * time.Second // of connecting, and of each answer
	tryTimeout    = 80 * time.Second // of a whole try; with recordTimeout it is shorter than a job's lease
	recordTimeout = 30 * time.Second // to write down what became of a try
)

// deliver tries to send one mail and records the result.
func (m *Mails) deliver(ctx context.Context, id int64) error {
	var r row
	err := m.db.NewSelect().Model(&r).Where("id = ?", id).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) || err == nil && r.State != Queued {
		return nil // deleted, or sent by a try whose end the job did not record
	}
	if err != nil {
		return err
	}
	site := m.settings.Get()
	switch {
	case !m.db.Now().Before(r.ExpiresAt):
		late := "it could not be sent in time"
		if r.LastError != "" {
			late += ": " + r.LastError
		}
		return m.recordResult(ctx, r, Failed, late)
	case site.SMTPHost == "":
		return m.recordResult(ctx, r, Kept, "")
	}
	r.Tries++
	failure := m.send(ctx, site, r)
	var answer *gomail.SendError
	switch {
	case failure == nil:
		return m.recordResult(ctx, r, Sent, "")
	case errors.As(failure, &answer) && answer.ErrorCode() >= 500:
		slog.WarnContext(ctx, "the SMTP server refused a mail for good", "mail", r.ID, "kind", r.Kind, "error", failure)
		return m.recordResult(ctx, r, Failed, failure.Error())
	}
	pause := pauses[min(r.Tries, len(pauses))-1]
	slog.WarnContext(ctx, "a mail could not be sent and will be tried again", "mail", r.ID, "kind", r.Kind, "in",
		pause, "error", failure)
	return m.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		r.LastError = failure.Error()
		if _, err := tx.NewUpdate().Model(&r).Column("tries", "last_error").WherePK().Exec(ctx); err != nil {
			return err
		}
		next := m.db.Now().Add(pause)
		if next.After(r.ExpiresAt) {
			next = r.ExpiresAt
		}
		return job.Add(ctx, tx, m.db.Now(), r.jobKind(), r.ID, job.Options{At: next})
	})
}

// recordResult stores the result of a mail. The text of a sent mail is deleted: it may hold a code, and nobody needs
// it.
func (m *Mails) recordResult(ctx context.Context, r row, state State, failure string) error {
	now := m.db.Now()
	r.State, r.LastError, r.EndedAt = state, failure, &now
	if state == Sent {
		r.Sealed = nil
	}
	ctx, cancel := detached.WithTimeout(ctx, recordTimeout)
	defer cancel()
	return m.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model(&r).Column("state", "tries", "last_error", "ended_at", "sealed").WherePK().
			Exec(ctx)
		return err
	})
}

// send hands the mail to the SMTP server. Once it took the mail, trouble in saying good-bye is no failure.
func (m *Mails) send(ctx context.Context, site setting.Site, r row) error {
	msg, err := m.compose(ctx, site, r)
	if err != nil {
		return err
	}
	client, err := m.client(ctx, site)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return err
	}
	defer client.Close()
	return client.Send(msg)
}

func (m *Mails) compose(ctx context.Context, site setting.Site, r row) (*gomail.Msg, error) {
	letter, err := m.open(ctx, r)
	if err != nil {
		return nil, err
	}
	from, err := netmail.ParseAddress(site.SMTPFrom)
	if err != nil {
		return nil, err
	}
	if from.Name == "" {
		from.Name = site.SiteName
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := errors.Join(msg.FromFormat(from.Name, from.Address), msg.To(r.Recipient)); err != nil {
		return nil, err
	}
	msg.Subject(letter.Subject)
	msg.SetMessageIDWithValue(r.MessageID)
	msg.SetDateWithValue(r.CreatedAt)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // so that no absence notice answers
	msg.SetGenHeader("Content-Language", string(r.Lang))
	if letter.ReplyTo != "" {
		if err := msg.ReplyTo(letter.ReplyTo); err != nil {
			return nil, err
		}
	}
	if letter.Thread != "" {
		msg.SetGenHeader("In-Reply-To", "<"+letter.Thread+">")
		msg.SetGenHeader("References", "<"+letter.Thread+">")
	}
	if letter.Unsubscribe != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+letter.Unsubscribe+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, letter.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, letter.HTML)
	return msg, nil
}

func (m *Mails) client(ctx context.Context, site setting.Site) (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(site.SMTPPort), gomail.WithTimeout(smtpTimeout),
		gomail.WithHELO(m.Host()),
	}
	switch site.SMTPTLS {
	case "tls":
		options = append(options, gomail.WithSSL())
	case "none":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if site.SMTPUsername != "" {
		password, err := m.secrets.Get(ctx, secret.SMTPPassword)
		if err != nil {
			return nil, err
		}
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(site.SMTPUsername), gomail.WithPassword(password))
	}
	return gomail.NewClient(site.SMTPHost, options...)
}

// Host is the name that the site is known by, in Message-IDs and to SMTP servers.
func (m *Mails) Host() string {
	u, err := url.Parse(m.site)
	if err != nil || u.Hostname() == "" {
		return "localhost"
	}
	return u.Hostname()
}
