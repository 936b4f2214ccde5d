// Package mail writes and sends the site's e-mails. A mail is a row written in the transaction that is its cause; a job
// hands it to the SMTP server, at least once, with one Message-ID for all tries. Without an SMTP server mails are kept,
// to be read by the operator.
package mail

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Mails are all mails.
type Mails struct {
	db       *db.DB
	key      seal.Key
	settings *setting.Settings
	secrets  *secret.Secrets
	site     string
	logo     func() string // address of the site's own logo; nil or empty: there is none
	changed  *db.Snapshot[map[templateKey]Template]
}

// New gives the mails kept in d. site is the address that users see, without closing slash.
func New(d *db.DB, key seal.Key, settings *setting.Settings, secrets *secret.Secrets, site string) *Mails {
	m := &Mails{db: d, key: key, settings: settings, secrets: secrets, site: site}
	m.changed = db.NewSnapshot(d, templateRevision, "templates of mails", m.readTemplates)
	return m
}

// UseLogo makes mails show the site's own logo. address returns where it is, and an empty text where there is none. It
// must be called before the server starts.
func (m *Mails) UseLogo(address func() string) { m.logo = address }

// Message is a mail to one person.
type Message struct {
	To      string     // address, without a name
	Lang    fault.Lang // empty: the site's
	Content Content
	Until   time.Time // after it the mail is not sent any more; zero: tried for a day
}

// State is what became of a mail.
type State string

// The states: waiting for a try, handed to the SMTP server, given up, kept since there is no SMTP server.
const (
	Queued State = "queued"
	Sent   State = "sent"
	Failed State = "failed"
	Kept   State = "kept"
)

// Mail is one mail as the operator sees it.
type Mail struct {
	ID        int64 `bun:",pk,autoincrement"`
	MessageID string
	Recipient string
	Kind      string
	Lang      fault.Lang
	State     State
	Tries     int
	LastError string
	CreatedAt time.Time
	ExpiresAt time.Time
	EndedAt   *time.Time
}

type row struct {
	bun.BaseModel `bun:"table:mail"`
	Mail
	Sealed []byte
	TextID *int64 // the text that it shares with others; Sealed is then what it has of its own
}

// ErrNoMail is the fault of an id that no mail has.
var ErrNoMail = fault.NotFound("mail_not_found", "没有这封邮件", "There is no such mail")

const (
	maxDelivery = 24 * time.Hour      // how long sending is tried where the message does not say
	retention   = 30 * 24 * time.Hour // how long a mail is remembered
	sealPurpose = "mail"              // of the key that seals the text
	kind        = "mail.send"
	bulkKind    = "mail.send_bulk"
)

// Send puts a mail into the queue as part of tx. The text is written now, in the words of today's settings.
func (m *Mails) Send(ctx context.Context, tx bun.Tx, msg Message) error {
	r, err := m.write(msg)
	if err != nil {
		return err
	}
	if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
		return err
	}
	return job.Add(ctx, tx, m.db.Now(), r.jobKind(), r.ID, job.Options{})
}

// SendExample puts the example of a template into the queue, to somebody who wants to see it arrive.
func (m *Mails) SendExample(ctx context.Context, t Template, to string) error {
	letter, err := m.Preview(t)
	if err != nil {
		return err
	}
	plain, err := json.Marshal(letter)
	if err != nil {
		return err
	}
	r := m.newRow(Message{To: to, Lang: t.Lang, Content: exampleCode("test")}, plain)
	return m.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
			return err
		}
		if err := job.Add(ctx, tx, m.db.Now(), r.jobKind(), r.ID, job.Options{}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "mail.template.test", Object(t.Kind, t.Lang), nil, map[string]any{"to": to}, "")
	})
}

func (m *Mails) write(msg Message) (row, error) {
	msg.Lang = cmp.Or(msg.Lang, m.settings.Get().Language)
	letter, err := m.Write(msg)
	if err != nil {
		return row{}, err
	}
	plain, err := json.Marshal(letter)
	if err != nil {
		return row{}, err
	}
	return m.newRow(msg, plain), nil
}

// newRow returns the row of a message, with plain sealed in it.
func (m *Mails) newRow(msg Message, plain []byte) row {
	now := m.db.Now()
	r := row{Sealed: m.key.Seal(sealPurpose, plain), Mail: Mail{
		MessageID: uuid.NewString() + "@" + m.Host(), Recipient: msg.To, Kind: msg.Content.kind(), Lang: msg.Lang,
		State:     Queued,
		CreatedAt: now, ExpiresAt: msg.Until,
	}}
	if r.ExpiresAt.IsZero() {
		r.ExpiresAt = now.Add(maxDelivery)
	}
	return r
}

// List gives the newest mails, newest first.
func (m *Mails) List(ctx context.Context, limit int64) ([]Mail, error) {
	mails, _, err := m.Find(ctx, Filter{Limit: limit})
	return mails, err
}

// Show gives a mail and its text. Of a mail that was sent the text is gone and the Letter empty.
func (m *Mails) Show(ctx context.Context, id int64) (Mail, Letter, error) {
	var r row
	err := m.db.NewSelect().Model(&r).Where("id = ?", id).Scan(ctx)
	if errors.Is(err, db.ErrNoRows) {
		err = ErrNoMail
	}
	if err != nil || r.Sealed == nil {
		return r.Mail, Letter{}, err
	}
	letter, err := m.open(ctx, r)
	return r.Mail, letter, err
}

func (m *Mails) open(ctx context.Context, r row) (letter Letter, err error) {
	plain, err := m.key.Open(sealPurpose, r.Sealed)
	if err == nil && r.TextID != nil {
		return m.openShared(ctx, r, plain)
	}
	if err == nil {
		err = json.Unmarshal(plain, &letter)
	}
	return letter, err
}

// Register makes q send the mails. It should be a queue of its own: an SMTP server may be slow.
func (m *Mails) Register(q *job.Queue) {
	job.Handle(q, kind, m.deliver)
	q.Every("mail.forget", m.deleteOld)
}

func (m *Mails) deleteOld(ctx context.Context) error {
	return m.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		before := m.db.Now().Add(-retention)
		if _, err := tx.NewDelete().Model((*row)(nil)).Where("created_at < ?", before).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*sharedText)(nil)).Where("created_at < ?", before).
			Where("NOT EXISTS (SELECT 1 FROM mail WHERE text_id = ?TableAlias.id)").Exec(ctx)
		return err
	})
}
