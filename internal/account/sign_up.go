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
	"airstrip/internal/limit"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

// SignUps makes accounts for people who sign up.
type SignUps struct {
	db              *db.DB
	settings        *setting.Settings
	hasher          *hasher
	limits          *attemptLimits
	codes           *EmailCodes
	sessions        *Sessions
	history         *History
	wallets         *wallet.Wallets
	services        *service.Services
	existenceChecks *limit.Limiter
}

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
func (s *SignUps) SignUp(ctx context.Context, in SignUp, from Client) (Grant, error) {
	if err := s.existenceChecks.Allow(network(from.IP)); err != nil {
		return Grant{}, err
	}
	site := s.settings.Get()
	if site.SignUpMode == "closed" {
		return Grant{}, ErrSignUpClosed
	}
	r, password := draft(in.Email, in.Name), normalPassword(in.Password)
	inviter, wrongCode, err := s.inviter(ctx, in.InviteCode, site.SignUpMode == "invite")
	if err != nil {
		return Grant{}, err
	}
	proof := shown{purpose: ForRegister, email: r.Email, code: normalCode(in.EmailCode), field: "email_code"}
	var noCode *fault.Field
	if site.SignUpEmailCode {
		noCode = checkCode(proof.field, proof.code)
	}
	if err := invalid(checkEmail(r.Email, site.SignUpDomains), checkName(r.Name), checkPassword("password", password, r.Email, s.settings.Get().SiteName),
		checkRepeated(in.Password, in.Repeated), wrongCode, noCode); err != nil {
		return Grant{}, err
	}
	if !site.SignUpEmailCode {
		if err := s.limits.requireCaptchaAtSignUp(ctx, from); err != nil {
			return Grant{}, err
		}
	}
	if r.Password, err = s.hasher.hash(ctx, shareOf(r.Email, from), password); err != nil {
		return Grant{}, err
	}
	now := s.db.Now()
	r.InvitedBy, r.SignedInAt, r.Lang = inviter, &now, from.Lang
	var g Grant
	var wrong error
	err = s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if site.SignUpEmailCode {
			if wrong, err = s.codes.redeem(ctx, tx, from, proof); err != nil || wrong != nil {
				return err
			}
			r.EmailVerifiedAt = &now
		}
		if err := s.count(ctx, tx, from); err != nil {
			return err
		}
		if wrong, err = s.taken(ctx, tx, r.Email); err != nil || wrong != nil {
			return err
		}
		if err := s.consumeInvite(ctx, tx, r.InvitedBy); err != nil {
			return err
		}
		made, err := s.insert(ctx, tx, r)
		if err != nil {
			return err
		}
		if err := s.history.recordSignIn(ctx, tx, made.Email, from, nothing); err != nil {
			return err
		}
		if err := s.history.note(ctx, tx, made.ID, SignedUp, from); err != nil {
			return err
		}
		g, err = s.sessions.begin(ctx, tx, made, false, from)
		return err
	})
	return g, cmp.Or(err, wrong)
}

func draft(email, name string) row {
	return row{User: User{Email: NormalEmail(email), Name: normalName(name)}}
}

// insert adds a user with everything that belongs to one.
func (s *SignUps) insert(ctx context.Context, tx bun.Tx, r row) (row, error) {
	now := s.db.Now()
	r.Lang = cmp.Or(r.Lang, fault.ZH)
	r.UUID, r.PasswordVersion, r.InviteCode, r.NoticeByMail, r.CreatedAt, r.PasswordChangedAt = newID(), uuid.New(), newInviteCode(), true, now, now
	if _, err := tx.NewInsert().Model(&r).Exec(ctx); err != nil {
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			err = ErrEmailTaken.Because(err)
		}
		return r, err
	}
	if err := s.wallets.Open(ctx, tx, r.ID); err != nil {
		return r, err
	}
	return r, s.services.Open(ctx, tx, r.ID)
}

// taken gives ErrEmailTaken where the e-mail has an account. Without a code sent to the address its answer tells a
// stranger so; therefore each costs one of the network's sign-ups of the day, as a new account does.
func (s *SignUps) taken(ctx context.Context, tx bun.Tx, email string) (wrong, err error) {
	exists, err := tx.NewSelect().Model((*row)(nil)).Where("email = ?", email).Exists(ctx)
	if err == nil && exists {
		wrong = ErrEmailTaken
	}
	return wrong, err
}

// countSignUp takes one of the day's sign-ups of the client's network, or answers ErrTooManySignUps.
func (s *SignUps) count(ctx context.Context, tx bun.Tx, from Client) error {
	site := s.settings.Get()
	today := s.db.Now().In(site.Zone())
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
func (s *SignUps) CheckInviteCode(ctx context.Context, code string, from Client) error {
	if err := s.existenceChecks.Allow(network(from.IP)); err != nil {
		return err
	}
	_, wrong, err := s.inviter(ctx, code, true)
	if err != nil {
		return err
	}
	return invalid(wrong)
}

// inviter gives the user whose code it is: nil for no code where none is needed.
func (s *SignUps) inviter(ctx context.Context, code string, needed bool) (*int64, *fault.Field, error) {
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
	r, err := find(ctx, s.db, "invite_code = ? AND banned_at IS NULL AND closed_at IS NULL", code)
	if errors.Is(err, ErrNoUser) {
		return nil, unknown, nil
	}
	if err != nil {
		return nil, nil, err
	}
	used, err := s.inviteQuotaUsedUp(ctx, s.db, r.ID)
	return &r.ID, used, err
}

var inviteCode = regexp.MustCompile(`^[A-Z2-7]{10}$`)

// newInviteCode gives ten characters of base32, 50 bits.
func newInviteCode() string { return rand.Text()[:10] }
