package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// SignUp is what a person gives to get an account.
type SignUp struct {
	Email      string
	Name       string
	Password   string
	Repeated   string // the password once more
	InviteCode string // of another user; needed where the site admits only the invited
	EmailCode  string // sent for ForRegister; needed where the site wants the address proven
}

// SignUp makes an account and signs its user in. It follows the site's settings: who may sign up, with which e-mail
// domains, how many a day from one network. Wrong input is named as in the API: email, name, password, re_password,
// invite_code, email_code. A taken e-mail answers ErrEmailTaken; where the site wants the address proven, only to who
// proves it.
func (a *Accounts) SignUp(ctx context.Context, in SignUp, from Client) (Grant, error) {
	if err := a.strangers.Allow(network(from.IP)); err != nil {
		return Grant{}, err
	}
	site := a.settings.Get()
	if site.SignUpMode == "closed" {
		return Grant{}, ErrSignUpClosed
	}
	r, password := draft(in.Email, in.Name), normalPassword(in.Password)
	inviter, wrongCode, err := a.inviter(ctx, in.InviteCode, site.SignUpMode == "invite")
	if err != nil {
		return Grant{}, err
	}
	proof := shown{purpose: ForRegister, email: r.Email, code: normalCode(in.EmailCode), field: "email_code"}
	var noCode *fault.Field
	if site.SignUpEmailCode {
		noCode = checkCode(proof.field, proof.code)
	}
	if err := invalid(checkEmail(r.Email, site.SignUpDomains), checkName(r.Name), a.checkPassword("password", password, r.Email),
		checkRepeated(in.Password, in.Repeated), wrongCode, noCode); err != nil {
		return Grant{}, err
	}
	if !site.SignUpEmailCode {
		if err := a.askAtSignUp(ctx, from); err != nil {
			return Grant{}, err
		}
	}
	if r.Password, err = a.hash.hash(ctx, shareOf(r.Email, from), password); err != nil {
		return Grant{}, err
	}
	now := a.db.Now()
	r.InvitedBy, r.SignedInAt, r.Lang = inviter, &now, from.Lang
	var g Grant
	var wrong error
	err = a.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if site.SignUpEmailCode {
			if wrong, err = a.redeem(ctx, tx, from, proof); err != nil || wrong != nil {
				return err
			}
			r.EmailVerifiedAt = &now
		}
		if err := a.countSignUp(ctx, tx, from); err != nil {
			return err
		}
		if wrong, err = a.taken(ctx, tx, r.Email); err != nil || wrong != nil {
			return err
		}
		if err := a.takeInvite(ctx, tx, r.InvitedBy); err != nil {
			return err
		}
		made, err := a.insert(ctx, tx, r)
		if err != nil {
			return err
		}
		if err := a.record(ctx, tx, made.Email, from, nothing); err != nil {
			return err
		}
		if err := a.note(ctx, tx, made.ID, SignedUp, from); err != nil {
			return err
		}
		g, err = a.begin(ctx, tx, made, false, from)
		return err
	})
	return g, cmp.Or(err, wrong)
}

func draft(email, name string) row {
	return row{User: User{Email: NormalEmail(email), Name: normalName(name)}}
}

// insert adds a user with everything that belongs to one.
func (a *Accounts) insert(ctx context.Context, tx bun.Tx, r row) (row, error) {
	now := a.db.Now()
	r.Lang = cmp.Or(r.Lang, fault.ZH)
	r.UUID, r.PasswordVersion, r.InviteCode, r.NoticeByMail, r.CreatedAt, r.PasswordChangedAt = newID(), uuid.New(), newInviteCode(), true, now, now
	if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			err = ErrEmailTaken.Because(err)
		}
		return r, err
	}
	if err := a.wallets.Open(ctx, tx, r.ID); err != nil {
		return r, err
	}
	return r, a.services.Open(ctx, tx, r.ID)
}

// taken gives ErrEmailTaken where the e-mail has an account. Without a code sent to the address its answer tells a
// stranger so; therefore each costs one of the network's sign-ups of the day, as a new account does.
func (a *Accounts) taken(ctx context.Context, tx bun.Tx, email string) (wrong, err error) {
	exists, err := tx.NewSelect().Model((*row)(nil)).Where("email = ?", email).Exists(ctx)
	if err == nil && exists {
		wrong = ErrEmailTaken
	}
	return wrong, err
}

// countSignUp takes one of the day's sign-ups of the client's network, or answers ErrTooManySignUps.
func (a *Accounts) countSignUp(ctx context.Context, tx bun.Tx, from Client) error {
	site := a.settings.Get()
	today := a.db.Now().In(site.Zone())
	n, err := db.Changed(tx.NewRaw(`INSERT INTO sign_up_count (network, day, accounts) VALUES (?, ?, 1)
		ON CONFLICT (network, day) DO UPDATE SET accounts = sign_up_count.accounts + 1 WHERE sign_up_count.accounts < ?`,
		network(from.IP), day(today), site.SignUpPerIPDaily).Exec(ctx))
	if err == nil && n == 0 {
		tomorrow := time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, today.Location())
		err = ErrTooManySignUps.After(tomorrow.Sub(today))
	}
	return err
}

// day is a date as YYYYMMDD.
func day(t time.Time) int { return t.Year()*10000 + int(t.Month())*100 + t.Day() }

// CheckInviteCode answers nil where the code brings in a new user, or what is wrong with the field invite_code.
func (a *Accounts) CheckInviteCode(ctx context.Context, code string, from Client) error {
	if err := a.strangers.Allow(network(from.IP)); err != nil {
		return err
	}
	_, wrong, err := a.inviter(ctx, code, true)
	if err != nil {
		return err
	}
	return invalid(wrong)
}

// inviter gives the user whose code it is: nil for no code where none is needed.
func (a *Accounts) inviter(ctx context.Context, code string, needed bool) (*int64, *fault.Field, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	if code == "" && !needed {
		return nil, nil, nil
	}
	if code == "" {
		return nil, field("invite_code", "required", "需要邀请码", "An invite code is needed"), nil
	}
	unknown := field("invite_code", "invite_code_unknown", "邀请码无效", "This invite code is not valid")
	if !inviteCode.MatchString(code) {
		return nil, unknown, nil
	}
	r, err := find(ctx, a.db, "invite_code = ? AND banned_at IS NULL AND closed_at IS NULL", code)
	if errors.Is(err, ErrNoUser) {
		return nil, unknown, nil
	}
	if err != nil {
		return nil, nil, err
	}
	used, err := a.noInvites(ctx, a.db, r.ID)
	return &r.ID, used, err
}

var inviteCode = regexp.MustCompile(`^[A-Z2-7]{10}$`)

// newInviteCode gives ten characters of base32, 50 bits.
func newInviteCode() string { return rand.Text()[:10] }
