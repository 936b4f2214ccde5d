package mail

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
)

// Faults of sending a mail once more.
var (
	ErrUnderWay = fault.Conflict("mail_under_way", "这封邮件已发送或正在发送", "This mail was sent or is on its way")
	ErrTooLate  = fault.Conflict("mail_expired", "邮件中的验证码已过期，请让对方重新获取",
		"The code in this mail has expired; let its reader ask for another")
)

// Filter says which mails are looked for.
type Filter struct {
	State         State  // empty: all
	Recipient     string // part of an address; empty: all
	Limit, Offset int64
}

// Find gives the mails that fit, newest first, and how many there are in all.
func (m *Mails) Find(ctx context.Context, f Filter) (mails []Mail, total int64, err error) {
	var rows []row
	q := m.db.NewSelect().Model(&rows).ExcludeColumn("sealed").OrderExpr("id DESC").Limit(f.Limit).Offset(f.Offset)
	if f.State != "" {
		q.Where("state = ?", f.State)
	}
	if f.Recipient != "" {
		q.Where(`recipient LIKE ? ESCAPE '\'`, "%"+literally.Replace(strings.ToLower(f.Recipient))+"%")
	}
	total, err = q.ScanAndCount(ctx)
	mails = make([]Mail, len(rows))
	for i, r := range rows {
		mails[i] = r.Mail
	}
	return mails, total, err
}

var literally = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Retry puts a mail that failed, or was kept, into the queue again: ErrNoMail, ErrUnderWay, ErrTooLate.
func (m *Mails) Retry(ctx context.Context, id int64) error {
	r, _, err := m.Show(ctx, id)
	if err != nil {
		return err
	}
	now := m.db.Now()
	switch {
	case !r.BringsCode():
		r.ExpiresAt = now.Add(maxDelivery)
	case !now.Before(r.ExpiresAt):
		return ErrTooLate
	}
	return m.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*row)(nil)).Set("state = ?", Queued).Set("ended_at = NULL").
			Set("expires_at = ?", r.ExpiresAt).
			Where("id = ? AND state IN (?, ?) AND sealed IS NOT NULL", id, Failed, Kept).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrUnderWay
		}
		if err != nil {
			return err
		}
		if err := job.Add(ctx, tx, now, r.jobKind(), id, job.Options{}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "mail.retry", audit.ID("mail", id), nil, nil, "")
	})
}

// BringsCode tells whether the mail has a code in it, which opens something until the mail expires.
func (m Mail) BringsCode() bool {
	return slices.Contains([]string{"register", "login", "forgot_password", "change_email", "step_up"}, m.Kind)
}

// WithoutCode gives the letter with dots in the place of its code.
func (l Letter) WithoutCode() Letter {
	l.Subject, l.Text, l.HTML = hide(l.Subject), hide(l.Text), hide(l.HTML)
	return l
}

func hide(text string) string { return sixDigits.ReplaceAllString(text, "${1}••••••") }

var sixDigits = regexp.MustCompile(`(^|[^#\w])\d{6}\b`) // with # before them they are a colour
