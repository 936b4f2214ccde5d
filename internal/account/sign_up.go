package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/invite"
	"airstrip/internal/limit"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
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

// SignUp is what a person enters to get an account.
type SignUp struct {
	Email      string
	Name       string
	Password   string
	Repeated   string // the password, typed again
	InviteCode string // of another user; required where the site admits only invited people
	EmailCode  string // sent for ForRegister; required where the site verifies addresses
	// AcceptedTerms is the version of the terms and the privacy notice that the person accepts; required where the site
	// has any.
	AcceptedTerms string
}

// SignUp makes an account and signs its user in. It follows the site's settings: who may sign up, with which e-mail
// domains, and how many a day from one network. Invalid input names the fields of the API: email, name, password,
// re_password, invite_code, email_code, accepted_terms. A taken address returns ErrEmailTaken; where the site verifies
// addresses, only to who proves to have it.
func (s *SignUps) SignUp(ctx context.Context, in SignUp, from Client) (Grant, error) {
	if err := s.existenceChecks.Allow(networkOf(from.IP)); err != nil {
		return Grant{}, err
	}
	site := s.settings.Get()
	if site.SignUpMode == "closed" {
		return Grant{}, ErrSignUpClosed
	}
	r, password := newRow(in.Email, in.Name), normalPassword(in.Password)
	invited, wrongCode, err := s.inviter(ctx, in.InviteCode, site.SignUpMode == "invite")
	if err != nil {
		return Grant{}, err
	}
	proof := presentedCode{purpose: ForRegister, email: r.Email, code: normalCode(in.EmailCode), field: "email_code"}
	var noCode *fault.Field
	if site.SignUpEmailCode {
		noCode = checkCode(proof.field, proof.code)
	}
	if err := invalid(checkEmail(r.Email, site.SignUpDomains), checkName(r.Name),
		checkPassword("password", password, r.Email, s.settings.Get().SiteName),
		checkRepeated(in.Password, in.Repeated), wrongCode, noCode,
		checkAccepted(in.AcceptedTerms, site.LegalVersion())); err != nil {
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
	r.InvitedBy, r.SignedInAt, r.Lang = invited.by, &now, from.Lang
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
		if err := acceptTerms(ctx, tx, made.ID, site.LegalVersion(), now); err != nil {
			return err
		}
		if invited.codeID != 0 {
			if err := invite.Use(ctx, tx, made.ID, invited.codeID); err != nil {
				return err
			}
		}
		if err := webhook.Emit(ctx, tx, made.created()); err != nil {
			return err
		}
		if err := s.history.recordSignIn(ctx, tx, made.Email, from, nothing); err != nil {
			return err
		}
		if err := s.history.note(ctx, tx, made.ID, SignedUp, from); err != nil {
			return err
		}
		g, err = s.sessions.begin(ctx, tx, made, byKey, false, from)
		return err
	})
	return g, cmp.Or(err, wrong)
}

func newRow(email, name string) row {
	return row{User: User{Email: NormalEmail(email), Name: normalName(name)}}
}

// insert adds a user with a wallet and a row of access.
func (s *SignUps) insert(ctx context.Context, tx bun.Tx, r row) (row, error) {
	rows := []row{r}
	err := s.insertAll(ctx, tx, rows)
	return rows[0], err
}

// insertAll adds users with wallets and rows of access, and completes their rows.
func (s *SignUps) insertAll(ctx context.Context, tx bun.Tx, rows []row) error {
	now, language := s.db.Now(), s.settings.Get().Language
	for i := range rows {
		r := &rows[i]
		r.Lang = cmp.Or(r.Lang, language)
		r.UUID, r.PasswordVersion, r.InviteCode, r.CreatedAt, r.PasswordChangedAt = newID(), uuid.New(),
			newInviteCode(), now, now
	}
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		if err = db.Error(err); errors.Is(err, db.ErrUnique) {
			err = ErrEmailTaken.Because(err)
		}
		return err
	}
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	if err := s.wallets.Open(ctx, tx, ids...); err != nil {
		return err
	}
	return s.services.Open(ctx, tx, ids...)
}

// created is the event of a new user.
func (r *row) created() webhook.Event {
	return webhook.Event{Type: webhook.UserCreated, At: r.CreatedAt, Data: map[string]any{
		"user_id": r.ID, "email": r.Email, "name": r.Name, "inviter_id": r.InvitedBy, "created_at": r.CreatedAt,
	}}
}

// taken returns ErrEmailTaken where the address has an account. Where no code was sent to the address this reveals that
// it has one; therefore each such answer costs one of the network's sign-ups of the day, as a new account does.
func (s *SignUps) taken(ctx context.Context, tx bun.Tx, email string) (wrong, err error) {
	exists, err := tx.NewSelect().Model((*row)(nil)).Where("email = ?", email).Exists(ctx)
	if err == nil && exists {
		wrong = ErrEmailTaken
	}
	return wrong, err
}

// count consumes one of the day's sign-ups of the client's network, or returns ErrTooManySignUps.
func (s *SignUps) count(ctx context.Context, tx bun.Tx, from Client) error {
	site := s.settings.Get()
	today := s.db.Now().In(site.Zone())
	n, err := db.Changed(tx.NewRaw(`INSERT INTO sign_up_count (network, day, accounts) VALUES (?, ?, 1)
		ON CONFLICT (network, day) DO UPDATE SET accounts = sign_up_count.accounts + 1
		WHERE sign_up_count.accounts < ?`,
		networkOf(from.IP), day(today), site.SignUpPerIPDaily).Exec(ctx))
	if err == nil && n == 0 {
		tomorrow := time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, today.Location())
		err = ErrTooManySignUps.After(tomorrow.Sub(today))
	}
	return err
}

// day returns a date as YYYYMMDD.
func day(t time.Time) int { return t.Year()*10000 + int(t.Month())*100 + t.Day() }

// CheckInviteCode returns nil where a new user can sign up with the code, or the fault of the field invite_code.
func (s *SignUps) CheckInviteCode(ctx context.Context, code string, from Client) error {
	if err := s.existenceChecks.Allow(networkOf(from.IP)); err != nil {
		return err
	}
	_, wrong, err := s.inviter(ctx, code, true)
	if err != nil {
		return err
	}
	return invalid(wrong)
}

// invitation is what an invite code stands for.
type invitation struct {
	by     *int64 // who invites; nil: nobody
	codeID int64  // of a code that its user made; 0: it is the one that the account was given
}

// inviter returns what the invite code stands for; nothing where there is no code and none is required.
func (s *SignUps) inviter(ctx context.Context, code string, needed bool) (in invitation, wrong *fault.Field,
	err error,
) {
	code = strings.TrimSpace(code)
	if code == "" && !needed {
		return in, nil, nil
	}
	if code == "" {
		return in, field("invite_code", "required", "需要邀请码", "An invite code is needed"), nil
	}
	unknown := field("invite_code", "invite_code_unknown", "邀请码无效", "This invite code is not valid")
	made, err := invite.FindCode(ctx, s.db, code)
	if err != nil {
		return in, nil, err
	}
	where, value := "invite_code = ?", any(strings.ToUpper(code))
	switch {
	case made != nil && made.DisabledAt != nil:
		return in, unknown, nil
	case made != nil && !made.IsGiven:
		where, value, in.codeID = "id = ?", made.UserID, made.ID
	case !invite.IsGiven(code):
		return in, unknown, nil
	}
	r, err := find(ctx, s.db, where+" AND banned_at IS NULL AND closed_at IS NULL", value)
	if errors.Is(err, ErrNoUser) {
		return invitation{}, unknown, nil
	}
	if err != nil {
		return in, nil, err
	}
	in.by = &r.ID
	wrong, err = s.inviteQuotaUsedUp(ctx, s.db, r.ID)
	return in, wrong, err
}

// newInviteCode returns ten characters of base32, 50 random bits.
func newInviteCode() string { return rand.Text()[:10] }
