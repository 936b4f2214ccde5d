package captcha

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
)

// Challenge is a proof of work to be done: for each i from 0 below Puzzles, an integer s such that the SHA-256, in
// hex, of the text i + ID + s begins with Zeros zeros.
type Challenge struct {
	bun.BaseModel `bun:"table:captcha_challenge"`
	ID            uuid.UUID `bun:",pk"` // version 7
	IP            string    // that asked, and that alone can answer
	Network       string
	Puzzles       int
	Zeros         int // hex digits
	CreatedAt     time.Time
	VerifiedAt    *time.Time
	ConsumedAt    *time.Time
}

const (
	challengeLife = 15 * time.Minute // to solve it, and then to use the token
	askedPer      = 10 * time.Minute
	maxChallenges = 200 // challenges of one network within askedPer
)

// Faults of challenges; wrong input is named cap_id, solutions, verify_token.
var (
	ErrUnknown = fault.NotFound("captcha_not_found", "没有这个验证，请重新获取",
		"There is no such challenge; please ask for another")
	ErrExpired = fault.Conflict("captcha_expired", "验证已过期，请重新获取",
		"The challenge is too old; please ask for another")
	ErrAlreadySolved = fault.Conflict("captcha_already_solved", "该验证已完成过", "This challenge was solved already")
	ErrNotSolved     = fault.Conflict("captcha_not_solved", "验证尚未完成", "The challenge is not solved yet")
	ErrUsed          = fault.Conflict("captcha_used", "该验证已使用过，请重新获取",
		"This challenge was used already; please ask for another")
)

// NewChallenge returns a challenge for the caller, or limit.ErrTooMany where its network asks too often.
func (c *Captchas) NewChallenge(ctx context.Context, ip netip.Addr) (Challenge, error) {
	site, now := c.settings.Get(), c.db.Now()
	ch := Challenge{
		ID: uuid.Must(uuid.NewV7()), IP: ip.String(), Network: limit.Network(ip), Puzzles: site.CaptchaPuzzles,
		Zeros: site.CaptchaZeros, CreatedAt: now,
	}
	asked, err := c.db.NewSelect().Model((*Challenge)(nil)).
		Where("network = ? AND created_at > ?", ch.Network, now.Add(-askedPer)).Count(ctx)
	if err != nil {
		return ch, err
	}
	if asked >= maxChallenges {
		return ch, limit.ErrTooMany.After(askedPer)
	}
	return ch, c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&ch).Exec(ctx)
		return err
	})
}

// Solve takes the solutions of a challenge and gives the token that shows it, good once, from this address, until the
// time given.
func (c *Captchas) Solve(
	ctx context.Context, id uuid.UUID, solutions []int64, ip netip.Addr,
) (token string, until time.Time, err error) {
	if id.Version() != 7 {
		return "", until, fault.Invalid("cap_id", "version", "cap_id 须为第 7 版 UUID",
			"cap_id must be a UUID of version 7")
	}
	now := c.db.Now()
	ch, err := c.challenge(ctx, id)
	switch {
	case err != nil:
		return "", until, err
	case ch.ConsumedAt != nil:
		return "", until, ErrUsed
	case ch.VerifiedAt != nil:
		return "", until, ErrAlreadySolved
	case now.Sub(ch.CreatedAt) > challengeLife:
		return "", until, ErrExpired
	case ch.IP != ip.String():
		return "", until, otherAddress("cap_id")
	case len(solutions) != ch.Puzzles:
		return "", until, fault.Invalid("solutions", "count", fmt.Sprintf("须有 %d 个解", ch.Puzzles),
			fmt.Sprintf("There must be %d solutions", ch.Puzzles))
	}
	for i, s := range solutions {
		if !ch.solved(i, s) {
			return "", until, fault.Invalid("solutions", "wrong", fmt.Sprintf("第 %d 个解不正确", i),
				fmt.Sprintf("Solution %d is wrong", i))
		}
	}
	n, err := c.mark(ctx, "verified_at", now, id, "verified_at IS NULL")
	if err == nil && n == 0 {
		err = ErrAlreadySolved
	}
	return c.token(ch), now.Add(challengeLife), err
}

func (ch *Challenge) solved(i int, s int64) bool {
	sum := sha256.Sum256([]byte(strconv.Itoa(i) + ch.ID.String() + strconv.FormatInt(s, 10)))
	return strings.HasPrefix(hex.EncodeToString(sum[:]), strings.Repeat("0", ch.Zeros))
}

// token names a solved challenge and binds it to the address that solved it.
func (c *Captchas) token(ch Challenge) string { return c.sign(ch, "") }

// passToken is the token of a pass. It differs from that of a solved challenge, which no other provider's captcha
// takes.
func (c *Captchas) passToken(ch Challenge) string { return c.sign(ch, "\npass") }

func (c *Captchas) sign(ch Challenge, purpose string) string {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(ch.ID.String() + "\n" + ch.IP + purpose))
	return ch.ID.String() + ":" + hex.EncodeToString(mac.Sum(nil))
}

// Pass returns a token that the next call takes in place of a captcha, whatever the provider: for the second step of
// what began with a captcha that Demand used up. It is good once, from this address, for 15 minutes.
func (c *Captchas) Pass(ctx context.Context, ip netip.Addr) (token string, err error) {
	now := c.db.Now()
	ch := Challenge{
		ID: uuid.Must(uuid.NewV7()), IP: ip.String(), Network: limit.Network(ip), Puzzles: 1, Zeros: 1,
		CreatedAt: now, VerifiedAt: &now,
	}
	return c.passToken(ch), c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&ch).Exec(ctx)
		return err
	})
}

// isPass reports whether token was made by Pass for this address. Whether it is used up, Consume says.
func (c *Captchas) isPass(token string, ip netip.Addr) bool {
	if !tokenForm.MatchString(token) {
		return false
	}
	id, err := uuid.Parse(token[:36])
	return err == nil && hmac.Equal([]byte(token), []byte(c.passToken(Challenge{ID: id, IP: ip.String()})))
}

var tokenForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:[0-9a-f]{64}$`)

// Consume uses a token of Solve or Pass up, or says why it is not good.
func (c *Captchas) Consume(ctx context.Context, token string, ip netip.Addr) error {
	if !tokenForm.MatchString(token) {
		return fault.Invalid("verify_token", "format", "verify_token 格式不正确", "The verify_token has the wrong form")
	}
	id, err := uuid.Parse(token[:36])
	if err != nil {
		return err
	}
	ch, err := c.challenge(ctx, id)
	if err != nil {
		return err
	}
	now, expected := c.db.Now(), Challenge{ID: ch.ID, IP: ip.String()}
	switch {
	case !hmac.Equal([]byte(token), []byte(c.token(expected))) && !c.isPass(token, ip):
		return otherAddress("verify_token")
	case ch.VerifiedAt == nil:
		return ErrNotSolved
	case ch.ConsumedAt != nil:
		return ErrUsed
	case now.Sub(*ch.VerifiedAt) > challengeLife:
		return ErrExpired
	}
	n, err := c.mark(ctx, "consumed_at", now, id, "consumed_at IS NULL")
	if err == nil && n == 0 {
		err = ErrUsed
	}
	return err
}

func otherAddress(field string) error {
	return fault.Invalid(field, "mismatch", "验证与当前网络地址不符，请重新获取",
		"The challenge belongs to another address; please ask for another")
}

func (c *Captchas) challenge(ctx context.Context, id uuid.UUID) (ch Challenge, err error) {
	err = c.db.NewSelect().Model(&ch).Where("id = ?", id).Scan(ctx)
	return ch, db.OrMissing(err, ErrUnknown)
}

// mark sets a time of a challenge where it is not set yet.
func (c *Captchas) mark(
	ctx context.Context, column string, now time.Time, id uuid.UUID, still string,
) (n int64, err error) {
	err = c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err = db.Changed(tx.NewUpdate().Model((*Challenge)(nil)).Set("? = ?", bun.Ident(column), now).
			Where("id = ?", id).Where(still).Exec(ctx))
		return err
	})
	return n, err
}

func (c *Captchas) forget(ctx context.Context) error {
	return c.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewDelete().Model((*Challenge)(nil)).Where("created_at < ?", c.db.Now().Add(-24*time.Hour)).
			Exec(ctx)
		return err
	})
}

// ownVerifier takes the tokens of Solve.
type ownVerifier struct{ captchas *Captchas }

func (v ownVerifier) verify(ctx context.Context, answer string, ip netip.Addr) error {
	return v.captchas.Consume(ctx, answer, ip)
}
