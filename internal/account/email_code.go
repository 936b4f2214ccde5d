package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/mail"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

// EmailCodes sends one-time codes by mail and accepts them.
type EmailCodes struct {
	db              *db.DB
	key             seal.Key
	settings        *setting.Settings
	mails           *mail.Mails
	limits          *attemptLimits
	history         *History
	existenceChecks *limit.Limiter // calls whose answer tells whether an address or an invite code exists, by network
}

// Purpose is the only use of an e-mail code.
type Purpose string

// The purposes for which anybody may request a code. ForTest shows the operator that mail arrives.
const (
	ForRegister       Purpose = "register"
	ForLogin          Purpose = "login"
	ForForgotPassword Purpose = "forgot_password"
	ForTest           Purpose = "test"

	forChangeEmail Purpose = "change_email"
	forStepUp      Purpose = "step_up"
)

const (
	codeLife           = 10 * time.Minute
	maxCodeTries       = 5
	codePause          = time.Minute // between two codes that one network requests for one address
	maxCodesPerEmail   = 10          // that one network may request for one address, a day
	maxCodesPerNetwork = 30          // a day
	// for one address, a day, from networks that its account has not signed in from
	unfamiliarCodesBeforeCaptcha = 10
	maxUnfamiliarCodes           = 20 // the same, with a captcha
)

// Faults of requests for codes. The fault of a code itself names its field and has the code code_required, code_format,
// code_wrong, code_used, code_expired or code_tries.
var (
	ErrCodeTooSoon = fault.TooMany("email_code_too_soon", "验证码刚刚发送过，请稍后再获取",
		"A code was sent just now; please wait before you ask for another")
	ErrTooManyCodes = fault.TooMany("too_many_email_codes", "今天获取的验证码过多，请明天再试",
		"Too many codes were asked for today; please try again tomorrow")
)

// code is the stored form of an e-mail code.
type code struct {
	bun.BaseModel `bun:"table:email_code"`
	ID            int64 `bun:",pk,autoincrement"`
	Purpose       Purpose
	Email         string
	Hash          []byte
	Network       string // that requested it
	Tries         int    // from that network, or from one that the account has signed in from
	ForeignTries  int    // from other networks
	CreatedAt     time.Time
	ExpiresAt     time.Time
	UsedAt        *time.Time
}

// Request sends a code to the address. The answer is the same whether or not the address has an account; only the mail
// differs: the owner of an address that has an account hears that somebody tries to sign up with it, and no code to
// sign in or to set a password is sent to an address without an account.
func (e *EmailCodes) Request(ctx context.Context, purpose Purpose, email string, from Client) error {
	if err := e.existenceChecks.Allow(networkOf(from.IP)); err != nil {
		return err
	}
	site, email := e.settings.Get(), NormalEmail(email)
	domains := site.SignUpDomains
	if purpose != ForRegister {
		domains = nil
	} else if site.SignUpMode == "closed" {
		return ErrSignUpClosed
	}
	if err := invalid(checkEmail(email, domains)); err != nil {
		return err
	}
	if err := e.limits.requireCaptchaForCode(ctx, purpose, email, from); err != nil {
		return err
	}
	return e.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		content, err := e.issue(ctx, tx, presentedCode{purpose: purpose, email: email}, from)
		if err != nil {
			return err
		}
		exists, err := tx.NewSelect().Model((*row)(nil)).Where("email = ?", email).Exists(ctx)
		if err != nil {
			return err
		}
		msg := mail.Message{To: email, Lang: from.Lang, Content: content, Until: e.db.Now().Add(codeLife)}
		if purpose == ForRegister && exists {
			msg.Content = mail.EmailTaken{}
		}
		wanted := exists || purpose == ForRegister || purpose == ForTest
		return e.sendIf(ctx, tx, wanted, msg)
	})
}

// sendIf sends a mail if it is wanted. If not, it does the same work and rolls it back, so that the time of the answer
// does not tell the two apart.
func (e *EmailCodes) sendIf(ctx context.Context, tx bun.Tx, wanted bool, msg mail.Message) error {
	unwanted := errors.New("this mail is not to be sent")
	err := tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { // a savepoint
		if err := e.mails.Send(ctx, tx, msg); err != nil || wanted {
			return err
		}
		return unwanted
	})
	if errors.Is(err, unwanted) {
		return nil
	}
	return err
}

// issue makes the code that s describes and returns the content of its mail, or returns ErrCodeTooSoon or
// ErrTooManyCodes. It replaces the codes that the same network requested for the same address and purpose; those that
// other networks requested stay valid, so nobody can end or delay another user's code. The number of mails that unknown
// networks can cause has a limit of its own.
func (e *EmailCodes) issue(ctx context.Context, tx bun.Tx, s presentedCode, from Client) (mail.Code, error) {
	if err := e.count(ctx, tx, "email "+s.email+" "+networkOf(from.IP), maxCodesPerEmail, codePause); err != nil {
		return mail.Code{}, err
	}
	known, err := e.history.knowsNetwork(ctx, tx, s.email, from)
	if err != nil {
		return mail.Code{}, err
	}
	if !known && s.purpose != forChangeEmail && s.purpose != forStepUp { // those need a session
		if err := e.count(ctx, tx, unfamiliarNetworksOf(s.email), maxUnfamiliarCodes, 0); err != nil {
			return mail.Code{}, err
		}
	}
	if err := e.count(ctx, tx, "network "+networkOf(from.IP), maxCodesPerNetwork, 0); err != nil {
		return mail.Code{}, err
	}
	return e.make(ctx, tx, s, from)
}

// make is issue without its limits, for codes that nobody but staff asked for.
func (e *EmailCodes) make(ctx context.Context, tx bun.Tx, s presentedCode, from Client) (mail.Code, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return mail.Code{}, err
	}
	s.code = fmt.Sprintf("%06d", n)
	now := e.db.Now()
	c := code{
		Purpose: s.purpose, Email: s.email, Hash: e.hash(s), Network: networkOf(from.IP), CreatedAt: now,
		ExpiresAt: now.Add(codeLife),
	}
	if _, err := tx.NewInsert().Model(&c).Exec(ctx); err != nil {
		return mail.Code{}, err
	}
	content := mail.Code{Purpose: string(s.purpose), Code: s.code, Minutes: int(codeLife.Minutes())}
	if s.purpose == ForForgotPassword {
		content.Path = "/auth/forgot-password#" + resetToken(s.email, s.code)
	}
	return content, nil
}

// unfamiliarNetworksOf names the counter of codes for an address that are requested from networks which its account has
// not signed in from.
func unfamiliarNetworksOf(email string) string { return "strangers " + email }

// count consumes one of the most codes that who may request within a day of the first, each at least pause after the
// last.
func (e *EmailCodes) count(ctx context.Context, tx bun.Tx, who string, most int, pause time.Duration) error {
	const day = 24 * time.Hour
	now := e.db.Now()
	n, err := db.Changed(tx.NewRaw(`INSERT INTO email_code_count AS c (who, since, codes, last_at)
		VALUES (?0, ?1, 1, ?1)
		ON CONFLICT (who) DO UPDATE SET last_at = ?1,
			codes = CASE WHEN c.since <= ?2 THEN 1 ELSE c.codes + 1 END,
			since = CASE WHEN c.since <= ?2 THEN ?1 ELSE c.since END
		WHERE (c.since <= ?2 OR c.codes < ?3)
		AND c.last_at <= ?4`, who, now, now.Add(-day), most, now.Add(-pause)).Exec(ctx))
	if err != nil || n == 1 {
		return err
	}
	var taken struct {
		Since, LastAt time.Time
		Codes         int
	}
	if err := tx.NewRaw(`SELECT since, last_at, codes FROM email_code_count WHERE who = ?`, who).
		Scan(ctx, &taken); err != nil {
		return err
	}
	if taken.Codes >= most && taken.Since.After(now.Add(-day)) {
		return ErrTooManyCodes.After(taken.Since.Add(day).Sub(now))
	}
	return ErrCodeTooSoon.After(taken.LastAt.Add(pause).Sub(now))
}

// presentedCode is a code that a client presents, with everything that it must be bound to.
type presentedCode struct {
	purpose Purpose
	email   string
	binding string // with change_email: whose address becomes which
	code    string
	field   string // name of the input field
}

// redeem consumes the presented codes: all, or none where one is wrong. Each call costs a try, so the transaction must
// be committed also where wrong is not nil. That a code was used before is reported only to a client that presents the
// right code.
func (e *EmailCodes) redeem(
	ctx context.Context, tx bun.Tx, from Client, codes ...presentedCode,
) (wrong error, err error) {
	now := e.db.Now()
	var fields []*fault.Field
	var good []code
	for _, s := range codes {
		c, problem, err := e.try(ctx, tx, s, from, now)
		if err != nil {
			return nil, err
		}
		fields, good = append(fields, problem), append(good, c)
	}
	if wrong := invalid(fields...); wrong != nil {
		return wrong, nil
	}
	for _, c := range good { // and the other codes of the same purpose, which are not needed any longer
		_, err := tx.NewUpdate().Model((*code)(nil)).Set("used_at = ?", now).
			Where("email = ? AND purpose = ? AND used_at IS NULL", c.Email, c.Purpose).Exec(ctx)
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// try compares a presented code with the newest code that each network requested. Each try counts against one of two
// limits of five: that of the codes which the same network requested, and of all codes where the account has signed in
// from the network; or one that all other networks share. So nobody can use up another user's tries, and no code is
// tried more than ten times. The lock on the codes makes simultaneous tries wait.
func (e *EmailCodes) try(
	ctx context.Context, tx bun.Tx, s presentedCode, from Client, now time.Time,
) (c code, problem *fault.Field, err error) {
	if problem := checkCode(s.field, s.code); problem != nil {
		return c, problem, nil
	}
	candidates, err := e.candidates(ctx, tx, s, now)
	if err != nil {
		return c, nil, err
	}
	known, err := e.history.knowsNetwork(ctx, tx, s.email, from)
	if err != nil {
		return c, nil, err
	}
	tried, usedUp := map[string][]int64{}, false
	var found *code
	for i := range candidates {
		c := &candidates[i]
		column, tries := "foreign_tries", c.ForeignTries
		if known || c.Network == networkOf(from.IP) {
			column, tries = "tries", c.Tries
		}
		matches, expired := hmac.Equal(c.Hash, e.hash(s)), !now.Before(c.ExpiresAt)
		switch {
		case expired && !matches: // does not reveal whether somebody requested a code before
			continue
		case tries >= maxCodeTries:
			usedUp = true
			continue
		}
		tried[column] = append(tried[column], c.ID)
		if matches && (found == nil || found.UsedAt != nil) {
			found = c
		}
	}
	for column, ids := range tried {
		if _, err := tx.NewUpdate().Model((*code)(nil)).Set("? = ? + 1", bun.Ident(column), bun.Ident(column)).
			Where("id IN (?)", bun.List(ids)).Exec(ctx); err != nil {
			return c, nil, err
		}
	}
	switch {
	case found == nil && usedUp:
		return c, field(s.field, "code_tries", "验证码输错次数过多，请重新获取", "Too many wrong tries; please ask for a new code"),
			nil
	case found == nil:
		return c, field(s.field, "code_wrong", "验证码不正确，请使用最新邮件中的验证码",
			"The code is wrong; please use the one in the newest mail"), nil
	case !now.Before(found.ExpiresAt):
		return c, field(s.field, "code_expired", "验证码已过期，请重新获取", "The code has expired; please ask for a new one"), nil
	case found.UsedAt != nil:
		return c, field(s.field, "code_used", "验证码已使用过，请重新获取", "The code was used already; please ask for a new one"),
			nil
	}
	return *found, nil, nil
}

// candidates returns the newest code that each network requested within a day, and locks them.
func (e *EmailCodes) candidates(
	ctx context.Context, tx bun.Tx, s presentedCode, now time.Time,
) (newest []code, err error) {
	var all []code
	err = db.Locked(tx.NewSelect().Model(&all).
		Where("purpose = ? AND email = ? AND created_at > ?", s.purpose, s.email, now.Add(-24*time.Hour)).
		OrderExpr("id DESC").Limit(100)).Scan(ctx)
	seen := map[string]bool{}
	for _, c := range all {
		if !seen[c.Network] {
			seen[c.Network] = true
			newest = append(newest, c)
		}
	}
	return newest, err
}

// hash binds a code to this server's key, so that a copy of the database does not reveal codes.
func (e *EmailCodes) hash(s presentedCode) []byte {
	mac := hmac.New(sha256.New, e.key.For("e-mail code"))
	mac.Write([]byte(strings.Join([]string{string(s.purpose), s.email, s.binding, s.code}, "\x00")))
	return mac.Sum(nil)
}

// normalCode returns a code as it was sent, without the spaces that people type between digits.
func normalCode(code string) string { return strings.Join(strings.Fields(code), "") }

func checkCode(name, code string) *fault.Field {
	switch {
	case code == "":
		return field(name, "code_required", "请输入邮件中的验证码", "Please enter the code from the mail")
	case len(code) != 6 || strings.Trim(code, "0123456789") != "":
		return field(name, "code_format", "验证码为 6 位数字", "The code has six digits")
	}
	return nil
}
