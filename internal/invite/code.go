package invite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// MaxCode and MaxLabel are the greatest lengths of codes and of what their users call them, in characters.
const (
	MaxCode  = 32
	MaxLabel = 40
)

// Faults of codes.
var (
	ErrNoCode       = fault.NotFound("invite_code_not_found", "没有这个邀请码", "There is no such invite code")
	ErrTooManyCodes = fault.Conflict("too_many_invite_codes", "邀请码已达上限，可先删除没有人用过的",
		"You have as many invite codes as you may; remove one that nobody has used")
	ErrCodeUsed = fault.Conflict("invite_code_used", "已有人用这个邀请码注册，只能停用",
		"Somebody signed up with this code, so it can only be disabled")
)

// Code is an invite code of a user, and what it brought.
type Code struct {
	bun.BaseModel `bun:"table:invite_code"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Code          string
	Folded        string // in lower case
	Label         string
	IsGiven       bool // whether it is the one that every account has
	CreatedAt     time.Time
	DisabledAt    *time.Time

	SignUps    int64        `bun:"-"`
	Payers     int64        `bun:"-"` // of them, who bought something
	Commission money.Amount `bun:"-"` // all that they brought and that was not taken back
}

var (
	given  = regexp.MustCompile(`^[a-z2-7]{10}$`)
	chosen = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$`)
)

// IsGiven tells whether a code has the form of those that accounts are given. Nobody can choose such a one.
func IsGiven(code string) bool { return given.MatchString(strings.ToLower(code)) }

// reserved are words that would pass for the site's own; signs between letters do not count.
var reserved = strings.Fields(`about account admin administrator airstrip api app auth billing casher code contact dashboard
	discount free guest help helpdesk home info invite link login mail mod moderator null official operator owner payment
	promote refund register root sales service settings shop signin signup site staff support system team test token
	undefined user vip wallet webhook www`)

// closedPrefix begins what takes the place of the codes of closed accounts.
const closedPrefix = "closed-"

// checkCode names what is wrong with a code that a user chose.
func (i *Invites) checkCode(code string) error {
	var wrong fault.Problems
	site, folded := i.settings.Get(), strings.ToLower(code)
	wrong.When(len(code) < site.InviteCodeMin || len(code) > MaxCode, "code", "length",
		fmt.Sprintf("邀请码须为 %d 到 %d 个字符", site.InviteCodeMin, MaxCode),
		fmt.Sprintf("A code has %d to %d characters", site.InviteCodeMin, MaxCode))
	wrong.When(!chosen.MatchString(folded), "code", "characters", "只能使用字母、数字、- 和 _，首尾须为字母或数字",
		"Please use letters, digits, - and _, with a letter or digit at both ends")
	bare := strings.NewReplacer("-", "", "_", "").Replace(folded)
	ofSite := func(word string) bool { return strings.EqualFold(word, bare) }
	wrong.When(slices.Contains(reserved, bare) || slices.ContainsFunc(site.InviteReserved, ofSite) ||
		strings.HasPrefix(folded, closedPrefix), "code", "reserved", "这个邀请码不可使用，请换一个",
		"This code is not to be had; please choose another one")
	wrong.When(IsGiven(code), "code", "reserved", "这个邀请码的格式保留给系统分配的邀请码，请换一个",
		"Codes of this form are given by the site; please choose another one")
	return wrong.Err()
}

func checkLabel(label string) error {
	var wrong fault.Problems
	wrong.When(utf8.RuneCountInString(label) > MaxLabel, "label", "too_long", "备注最多 40 字",
		"A name has at most 40 characters")
	wrong.When(label != "" && (!text.IsVisible(label) || strings.ContainsAny(label, "\r\n\t")), "label", "characters",
		"备注包含看不见的字符", "The name has characters that cannot be seen")
	return wrong.Err()
}

// AddCode makes a code of the user, who must not be banned; an empty one is made up. ErrTooManyCodes; wrong input names
// code, label. A code that somebody has is taken, whatever the case of its letters, and also while it is disabled.
func (i *Invites) AddCode(ctx context.Context, userID int64, code, label string) (*Code, error) {
	code, label = strings.TrimSpace(code), strings.TrimSpace(label)
	if err := checkLabel(label); err != nil {
		return nil, err
	}
	if code == "" {
		code = rand.Text()[:10]
	} else if err := i.checkCode(code); err != nil {
		return nil, err
	}
	made := &Code{UserID: userID, Code: code, Folded: strings.ToLower(code), Label: label, CreatedAt: i.db.Now()}
	err := i.changeCodes(ctx, userID, func(ctx context.Context, tx bun.Tx) error {
		if err := wallet.RefuseBanned(ctx, tx, userID); err != nil {
			return err
		}
		n, err := tx.NewSelect().Model((*Code)(nil)).Where("user_id = ? AND NOT is_given", userID).Count(ctx)
		if err != nil {
			return err
		}
		if n >= int64(i.settings.Get().InviteCodes) {
			return ErrTooManyCodes
		}
		_, err = tx.NewInsert().Model(made).Exec(ctx)
		return err
	})
	if errors.Is(err, db.ErrUnique) {
		err = fault.Invalid("code", "taken", "这个邀请码已被使用，请换一个", "This code is taken; please choose another one")
	}
	return made, err
}

// changeCodes runs fn while nobody else changes the user's codes.
func (i *Invites) changeCodes(ctx context.Context, userID int64, fn func(context.Context, bun.Tx) error) error {
	return i.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := i.wallets.LockCommission(ctx, tx, userID); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// CodeChange is what a user changes of a code. What is nil stays.
type CodeChange struct {
	Label    *string
	Disabled *bool
}

// ChangeCode changes a code of the user: ErrNoCode. Nobody signs up with one that is disabled. Wrong input names label.
func (i *Invites) ChangeCode(ctx context.Context, userID int64, code string, c CodeChange) error {
	if c.Label != nil {
		*c.Label = strings.TrimSpace(*c.Label)
		if err := checkLabel(*c.Label); err != nil {
			return err
		}
	}
	own, err := i.Earnings(ctx, userID)
	if err != nil {
		return err
	}
	return i.changeCodes(ctx, userID, func(ctx context.Context, tx bun.Tx) error {
		found, err := FindCode(ctx, tx, code)
		switch {
		case err != nil:
			return err
		case found == nil && strings.EqualFold(code, own.Code):
			found = &Code{
				UserID: userID, Code: own.Code, Folded: strings.ToLower(own.Code), IsGiven: true, CreatedAt: i.db.Now(),
			}
			if _, err := tx.NewInsert().Model(found).Exec(ctx); err != nil {
				return err
			}
		case found == nil || found.UserID != userID:
			return ErrNoCode
		}
		if c.Label != nil {
			found.Label = *c.Label
		}
		if c.Disabled != nil && *c.Disabled != (found.DisabledAt != nil) {
			found.DisabledAt = nil
			if *c.Disabled {
				found.DisabledAt = new(i.db.Now())
			}
		}
		_, err = tx.NewUpdate().Model(found).Column("label", "disabled_at").WherePK().Exec(ctx)
		return err
	})
}

// RemoveCode removes a code that the user made and nobody has used: ErrNoCode, ErrCodeUsed.
func (i *Invites) RemoveCode(ctx context.Context, userID int64, code string) error {
	err := i.changeCodes(ctx, userID, func(ctx context.Context, tx bun.Tx) error {
		found, err := FindCode(ctx, tx, code)
		if err == nil && (found == nil || found.UserID != userID || found.IsGiven) {
			err = ErrNoCode
		}
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model(found).WherePK().Exec(ctx)
		return err
	})
	if errors.Is(err, db.ErrForeignKey) {
		err = ErrCodeUsed
	}
	return err
}

// FindCode gives what is known of a code besides that an account was given it; nil: nothing.
func FindCode(ctx context.Context, idb bun.IDB, code string) (*Code, error) {
	folded := strings.ToLower(strings.TrimSpace(code))
	if len(folded) > MaxCode || !chosen.MatchString(folded) {
		return nil, nil
	}
	var found []Code
	err := idb.NewSelect().Model(&found).Where("folded = ?", folded).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Use notes, as part of the transaction that adds a user, with which code they signed up.
func Use(ctx context.Context, tx bun.Tx, userID, codeID int64) error {
	_, err := tx.NewRaw(`INSERT INTO invite_use (user_id, code_id) VALUES (?, ?)`, userID, codeID).Exec(ctx)
	return err
}

// Codes gives the codes of a user with what each brought: the given one first, then the others as they were made.
func (i *Invites) Codes(ctx context.Context, userID int64) ([]Code, error) {
	own, err := i.Earnings(ctx, userID)
	if err != nil {
		return nil, err
	}
	codes := []Code{{UserID: userID, Code: own.Code, IsGiven: true}}
	var made []Code
	if err := i.db.NewSelect().Model(&made).Where("user_id = ?", userID).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	for _, c := range made {
		if c.IsGiven {
			codes[0] = c
		} else {
			codes = append(codes, c)
		}
	}
	var brought []struct{ CodeID, SignUps, Payers, Commission int64 }
	err = i.db.NewRaw(`SELECT COALESCE(u.code_id, 0) AS code_id, COUNT(*) AS sign_ups,
			CAST(SUM(CASE WHEN `+paidOrders+` > 0 THEN 1 ELSE 0 END) AS BIGINT) AS payers,
			CAST(SUM(`+earnedBy+`) AS BIGINT) AS commission`+invitedPeople+`
		LEFT JOIN invite_use u ON u.user_id = a.id
		WHERE a.invited_by = ?0 GROUP BY COALESCE(u.code_id, 0)`, userID).Scan(ctx, &brought)
	if err != nil {
		return nil, err
	}
	for _, b := range brought {
		for n := range codes {
			if codes[n].ID == b.CodeID || (codes[n].IsGiven && b.CodeID == 0) {
				codes[n].SignUps, codes[n].Payers, codes[n].Commission = b.SignUps, b.Payers, money.Amount(b.Commission)
				break
			}
		}
	}
	return codes, nil
}

// closeCodes takes the user's codes away, as part of the closing of the account. What was signed up with them stays
// counted, so their rows stay, without what the user had chosen.
func (i *Invites) closeCodes(ctx context.Context, tx bun.Tx, userID int64) error {
	_, err := tx.NewRaw(`UPDATE invite_code SET code = ?0 || CAST(id AS TEXT), folded = ?0 || CAST(id AS TEXT), label = '',
		disabled_at = ?1 WHERE user_id = ?2`, closedPrefix, i.db.Now(), userID).Exec(ctx)
	return err
}
