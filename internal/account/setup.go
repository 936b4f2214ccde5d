package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/fault"
	"airstrip/internal/setting"
	"airstrip/internal/webhook"
)

// Setup makes the first owner of a site in the browser. Who runs the server proves that by a code that the server
// printed when it started: 128 bits or more, of which the database has the hash. Each running server has a code of its
// own; all of them end with the first owner, whom the database admits once.
type Setup struct {
	db       *db.DB
	settings *setting.Settings
	limits   *attemptLimits
	signUps  *SignUps
	open     atomic.Bool // nobody owns the site
	empty    atomic.Bool // and nobody had an account when this server learned that
}

const (
	setupRevision = "first_owner"
	// A server says so often that it still runs, and its code is good for so long after it last did.
	setupBeat, setupLife = time.Minute, 3 * time.Minute
	maxSetupGuesses      = 10 // of one network within guessWindow
)

// Faults of the first steps.
var (
	ErrSetupDone = fault.Conflict("setup_done", "本站已有站长，请直接登录", "This site has an owner already; please sign in")
	// ErrSetupCode names the field of the code.
	ErrSetupCode = fault.Invalid("code", "setup_code_wrong", "设置码不正确：请使用服务器本次启动时输出的设置码",
		"This is not the code: use the one that the server printed when it last started")
)

// IsOpen tells whether the site has no owner.
func (s *Setup) IsOpen() bool { return s.open.Load() }

// Leads tells whether the pages of the site lead to its first steps: nobody owns it, and nobody uses it.
func (s *Setup) Leads() bool { return s.open.Load() && s.empty.Load() }

// Start returns the code with which one becomes the owner of the site, in groups; empty where there is an owner.
func (s *Setup) Start(ctx context.Context) (code string, err error) {
	if err := s.load(ctx); err != nil || !s.IsOpen() {
		return "", err
	}
	code = rand.Text()
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if s.db.SQLite() { // no other server runs
			if _, err := tx.NewDelete().Table("setup_code").Where("1 = 1").Exec(ctx); err != nil {
				return err
			}
		} else if _, err := tx.NewDelete().Table("setup_code").Where("alive_until < ?", s.db.Now()).
			Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw(`INSERT INTO setup_code (hash, alive_until) VALUES (?, ?)`, hashOfSetupCode(code),
			s.db.Now().Add(setupLife)).Exec(ctx)
		return err
	})
	return inGroups(code), err
}

// Run keeps the code that Start returned good until ctx ends or the site has an owner, of which it learns within a
// second whichever server made one.
func (s *Setup) Run(ctx context.Context, code string) {
	if code == "" {
		return
	}
	changes, stop := s.db.Watch(setupRevision)
	defer stop()
	beat := time.NewTicker(setupBeat)
	defer beat.Stop()
	look := func() {
		if err := s.load(ctx); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "could not see whether the site has an owner", "error", err)
		}
	}
	for look(); s.IsOpen(); {
		select {
		case <-ctx.Done():
			s.withdraw(ctx, code)
			return
		case <-changes:
			look()
		case <-beat.C:
			if err := s.extend(ctx, code); err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "could not extend the life of the setup code", "error", err)
			}
		}
	}
}

func (s *Setup) extend(ctx context.Context, code string) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`UPDATE setup_code SET alive_until = ? WHERE hash = ?`, s.db.Now().Add(setupLife),
			hashOfSetupCode(code)).Exec(ctx)
		return err
	})
}

// withdraw ends the code of a server that stops.
func (s *Setup) withdraw(ctx context.Context, code string) {
	ctx, cancel := detached.WithTimeout(ctx, time.Second)
	defer cancel()
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Table("setup_code").Where("hash = ?", hashOfSetupCode(code)).Exec(ctx)
		return err
	})
	if err != nil {
		slog.WarnContext(ctx, "the setup code stays good for some minutes", "error", err)
	}
}

func (s *Setup) load(ctx context.Context) error {
	var found struct{ Owner, Account bool }
	err := s.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM first_owner) AS owner, EXISTS (SELECT 1 FROM account) AS account`).
		Scan(ctx, &found)
	if err == nil {
		s.empty.Store(!found.Account)
		s.open.Store(!found.Owner)
	}
	return err
}

// CheckCode returns ErrSetupCode unless the code is that of a running server. Wrong codes are counted by network.
func (s *Setup) CheckCode(ctx context.Context, code string, from Client) error {
	var wrong error
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		wrong, err = s.redeem(ctx, tx, code, from)
		return err
	})
	return cmp.Or(err, wrong)
}

// redeem counts a guess and takes it back where it was right.
func (s *Setup) redeem(ctx context.Context, tx bun.Tx, code string, from Client) (wrong, err error) {
	guesses := allowance{"setup " + networkOf(from.IP), maxSetupGuesses}
	left, wait, err := s.limits.consumeGuess(ctx, tx, guesses)
	if err != nil || !left {
		return nil, cmp.Or(err, error(ErrTooManyFailures.After(wait)))
	}
	var found struct{ Owner, Code bool }
	if err := tx.NewRaw(`SELECT EXISTS (SELECT 1 FROM first_owner) AS owner,
		EXISTS (SELECT 1 FROM setup_code WHERE hash = ? AND alive_until > ?) AS code`, hashOfSetupCode(code),
		s.db.Now()).Scan(ctx, &found); err != nil {
		return nil, err
	}
	switch {
	case found.Owner:
		return ErrSetupDone, nil
	case !found.Code:
		return ErrSetupCode, nil
	}
	return nil, s.limits.returnGuess(ctx, tx, guesses)
}

// FirstOwner is what who sets a site up enters.
type FirstOwner struct {
	Code     string
	Email    string
	Name     string // empty: the part of the address before the @
	Password string
	Site     map[string]json.RawMessage // settings, by their names
}

// Make makes the owner, sets what was said of the site, and signs the owner in, all or nothing. Of several that come at
// once one becomes the owner and the others get ErrSetupDone. What is wrong names its field.
func (s *Setup) Make(ctx context.Context, in FirstOwner, from Client) (Grant, error) {
	if err := s.CheckCode(ctx, in.Code, from); err != nil { // before a password is hashed for anybody
		return Grant{}, err
	}
	r := newRow(in.Email, in.Name)
	if r.Name == "" {
		local, _, _ := strings.Cut(r.Email, "@")
		r.Name = normalName(local[:min(len(local), 32)])
	}
	r.Role = Owner
	password := normalPassword(in.Password)
	if err := invalid(checkEmail(r.Email, nil), checkName(r.Name),
		checkPassword("password", password, r.Email, s.settings.Get().SiteName)); err != nil {
		return Grant{}, err
	}
	var err error
	if r.Password, err = s.signUps.hasher.hash(ctx, shareOf(r.Email, from), password); err != nil {
		return Grant{}, err
	}
	now := s.db.Now()
	r.SignedInAt, r.Lang = &now, from.Lang
	var g Grant
	err = s.settings.Change(ctx, setting.Change{
		Values: in.Site,
		Also: func(ctx context.Context, tx bun.Tx) error {
			wrong, err := s.redeem(ctx, tx, in.Code, from)
			if err := cmp.Or(err, wrong); err != nil {
				return err
			}
			g, err = s.insert(ctx, tx, r, from)
			return err
		},
	})
	if err == nil {
		s.open.Store(false)
	}
	return g, err
}

func (s *Setup) insert(ctx context.Context, tx bun.Tx, r row, from Client) (g Grant, err error) {
	made, err := s.signUps.insert(ctx, tx, r)
	if err != nil {
		return g, err
	}
	// The one who comes second waits here for the first and is refused by the key; the transaction then runs again.
	if _, err := tx.NewRaw(`INSERT INTO first_owner (id, account_id, at) VALUES (1, ?, ?)`, made.ID,
		made.CreatedAt).Exec(ctx); err != nil {
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			err = ErrSetupDone.Because(err)
		}
		return g, err
	}
	if err := endSetup(ctx, tx); err != nil {
		return g, err
	}
	if err := webhook.Emit(ctx, tx, made.created()); err != nil {
		return g, err
	}
	after := map[string]any{"email": made.Email, "name": made.Name, "role": made.Role}
	if err := audit.Record(ctx, tx, "user.add", audit.ID("user", made.ID), nil, after, ""); err != nil {
		return g, err
	}
	if err := s.signUps.history.recordSignIn(ctx, tx, made.Email, from, nothing); err != nil {
		return g, err
	}
	if err := s.signUps.history.note(ctx, tx, made.ID, SignedUp, from); err != nil {
		return g, err
	}
	return s.signUps.sessions.begin(ctx, tx, made, byKey, false, from)
}

// noteOwner ends the first steps where r is an owner, however they became one.
func noteOwner(ctx context.Context, tx bun.Tx, r row) error {
	if r.Role != Owner {
		return nil
	}
	n, err := db.Changed(tx.NewRaw(`INSERT INTO first_owner (id, account_id, at) VALUES (1, ?, ?)
		ON CONFLICT (id) DO NOTHING`, r.ID, r.CreatedAt).Exec(ctx))
	if err != nil || n == 0 {
		return err
	}
	return endSetup(ctx, tx)
}

// endSetup ends all codes and lets all servers know.
func endSetup(ctx context.Context, tx bun.Tx) error {
	if _, err := tx.NewDelete().Table("setup_code").Where("1 = 1").Exec(ctx); err != nil {
		return err
	}
	_, err := db.Bump(ctx, tx, setupRevision)
	return err
}

// hashOfSetupCode takes the code as people type it: in small letters, with or without its groups.
func hashOfSetupCode(code string) []byte {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.ToUpper(code))
	sum := sha256.Sum256([]byte(plain))
	return sum[:]
}

// inGroups writes a code so that it can be read and typed.
func inGroups(code string) string {
	var groups []string
	for len(code) > 5 {
		groups, code = append(groups, code[:5]), code[5:]
	}
	return strings.Join(append(groups, code), "-")
}
