// Package secret keeps passwords and keys of other services that the operator tells the server: sealed, used by the
// part that needs them, never shown again.
package secret

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
)

// Names are the secrets there can be.
var Names = []string{SMTPPassword, CaptchaKey, TelegramToken, EmbyKey, LokiPassword, AttachmentS3Key, IMAPPassword}

// The secrets of settings.
const (
	SMTPPassword = "smtp_password" // belongs to smtp_username
	CaptchaKey   = "captcha_key"   // belongs to captcha_site_key

	EmbyKey = "emby_key" // API key of the media server at emby_url

	LokiPassword = "loki_password" // belongs to loki_username

	AttachmentS3Key = "attachment_s3_key" // belongs to attachment_s3_access_key

	IMAPPassword = "imap_password" // belongs to imap_username

	TelegramToken = "telegram_token" // of the bot, as BotFather gave it; without it there is no bot
)

// ErrUnknown is the fault of a name that no secret has.
var ErrUnknown = fault.Invalid("name", "unknown", "没有这个密钥项，可选："+strings.Join(Names, "、"),
	"There is no secret of this name; there are "+strings.Join(Names, ", "))

// Secrets are all secrets.
type Secrets struct {
	db  *db.DB
	key seal.Key
}

// New gives the secrets kept in d, sealed with key.
func New(d *db.DB, key seal.Key) *Secrets { return &Secrets{d, key} }

// Set keeps value under name; an empty value removes it.
func (s *Secrets) Set(ctx context.Context, name, value string) error {
	if !slices.Contains(Names, name) {
		return ErrUnknown
	}
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error { return s.setIn(ctx, tx, name, value, "") })
}

// setIn is Set as part of tx, for a reason.
func (s *Secrets) setIn(ctx context.Context, tx bun.Tx, name, value, reason string) error {
	if !slices.Contains(Names, name) {
		return ErrUnknown
	}
	was, err := s.read(ctx, tx, name)
	if err != nil { // what another key sealed is replaced all the same
		was = "sealed with another key"
	}
	before, after := map[string]any{"value": audit.Secret(was)}, map[string]any{"value": audit.Secret(value)}
	if err := audit.Record(ctx, tx, "setting.secret.set", audit.Object{Kind: "secret", ID: name}, before, after,
		reason); err != nil {
		return err
	}
	if value == "" {
		_, err := tx.NewRaw(`DELETE FROM secret WHERE name = ?`, name).Exec(ctx)
		return err
	}
	_, err = tx.NewRaw(`INSERT INTO secret (name, sealed, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET sealed = EXCLUDED.sealed, updated_at = EXCLUDED.updated_at`,
		name, s.key.Seal(purpose(name), []byte(value)), s.db.Now()).Exec(ctx)
	return err
}

// Setting returns what sets several secrets by name as part of a transaction, for a reason.
func (s *Secrets) Setting(values map[string]string, reason string) func(ctx context.Context, tx bun.Tx) error {
	return func(ctx context.Context, tx bun.Tx) error {
		for name, value := range values {
			if err := s.setIn(ctx, tx, name, value, reason); err != nil {
				return err
			}
		}
		return nil
	}
}

// Present returns when each secret was set that there is, by name.
func (s *Secrets) Present(ctx context.Context) (map[string]time.Time, error) {
	var rows []struct {
		Name      string
		UpdatedAt time.Time
	}
	if err := s.db.NewRaw(`SELECT name, updated_at FROM secret`).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	present := map[string]time.Time{}
	for _, r := range rows {
		present[r.Name] = r.UpdatedAt.UTC()
	}
	return present, nil
}

// Get gives the secret called name; empty where none was set.
func (s *Secrets) Get(ctx context.Context, name string) (string, error) {
	return s.read(ctx, s.db, name)
}

func (s *Secrets) read(ctx context.Context, idb bun.IDB, name string) (string, error) {
	var sealed []byte
	err := idb.NewRaw(`SELECT sealed FROM secret WHERE name = ?`, name).Scan(ctx, &sealed)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	value, err := s.key.Open(purpose(name), sealed)
	return string(value), err
}

// Sealed gives the secrets in d that key does not open.
func Sealed(ctx context.Context, d *db.DB, key seal.Key) (closed []string, err error) {
	var rows []struct {
		Name   string
		Sealed []byte
	}
	if err := d.NewRaw(`SELECT name, sealed FROM secret`).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if _, err := key.Open(purpose(row.Name), row.Sealed); err != nil {
			closed = append(closed, "secret "+row.Name)
		}
	}
	return closed, nil
}

func purpose(name string) string { return "secret " + name }
