package invite

import (
	"context"
	"time"

	"airstrip/internal/money"
)

// Figures are what invites brought in a time, and what they cost.
type Figures struct {
	SignUps     int64 // of people whom somebody invited
	Payers      int64 // of them, who bought something
	Commissions []StateFigure
	Owed        money.Amount // of commission that was taken back after its withdrawal, of all times
	Payouts     StateFigure  // that staff is still to decide, of all times
	Codes       []CodeFigure // that brought most people in, the first ones first
}

// StateFigure is how many commissions or payouts are in a state, and their sum. Of commissions that is what was not
// taken back; the reversed ones are all of which something was, and the sum of that.
type StateFigure struct {
	State  State
	Count  int64
	Amount money.Amount
}

// CodeFigure is what one code brought in a time.
type CodeFigure struct {
	InviterID  int64
	Email      string // of the inviter
	Code       string
	Label      string
	IsDisabled bool
	SignUps    int64
	Payers     int64
	Commission money.Amount // that was not taken back
}

// shownCodes is how many codes figures name.
const shownCodes = 20

// of what a code brought: ?0 is when the time begins.
const (
	broughtBy = `FROM user_facts f LEFT JOIN invite_use u ON u.user_id = f.user_id
		WHERE f.created_at >= ?0 AND f.inviter_id IS NOT NULL`
	hasPaid = `EXISTS (SELECT 1 FROM shop_order o WHERE o.user_id = f.user_id AND o.state = 'paid')`
)

// Figures returns what invites brought since a time.
func (i *Invites) Figures(ctx context.Context, since time.Time) (f Figures, err error) {
	if err := i.db.NewRaw(`SELECT COUNT(*) AS sign_ups,
		CAST(COALESCE(SUM(CASE WHEN `+hasPaid+` THEN 1 ELSE 0 END), 0) AS BIGINT) AS payers FROM user_facts f
		WHERE f.created_at >= ?0 AND f.inviter_id IS NOT NULL`, since).Scan(ctx, &f.SignUps, &f.Payers); err != nil {
		return f, err
	}
	if err := i.db.NewRaw(`SELECT state, COUNT(*) AS count, CAST(SUM(amount - reversed) AS BIGINT) AS amount
			FROM commission WHERE created_at >= ?0 AND state <> 'reversed' GROUP BY state
		UNION ALL SELECT 'reversed', COUNT(*), CAST(SUM(reversed) AS BIGINT)
			FROM commission WHERE created_at >= ?0 AND reversed > 0 HAVING COUNT(*) > 0
		ORDER BY state`, since).Scan(ctx, &f.Commissions); err != nil {
		return f, err
	}
	var owed, open, amount int64
	if err := i.db.NewRaw(`SELECT (SELECT CAST(COALESCE(SUM(owed), 0) AS BIGINT) FROM commission WHERE owed > 0),
		COUNT(*), CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM commission_payout WHERE ended_at IS NULL`).
		Scan(ctx, &owed, &open, &amount); err != nil {
		return f, err
	}
	f.Owed, f.Payouts = money.Amount(owed), StateFigure{Pending, open, money.Amount(amount)}
	err = i.db.NewRaw(`SELECT top.inviter_id, a.email, COALESCE(c.code, a.invite_code) AS code,
			COALESCE(c.label, '') AS label, c.disabled_at IS NOT NULL AS is_disabled, top.sign_ups,
			(SELECT COUNT(*) `+broughtBy+` AND f.inviter_id = top.inviter_id AND COALESCE(u.code_id, 0) = top.code_id
				AND `+hasPaid+`) AS payers,
			(SELECT CAST(COALESCE(SUM(m.amount - m.reversed), 0) AS BIGINT) FROM commission m
				LEFT JOIN invite_use u ON u.user_id = m.user_id WHERE m.inviter_id = top.inviter_id
				AND COALESCE(u.code_id, 0) = top.code_id AND m.created_at >= ?0) AS commission
		FROM (SELECT f.inviter_id, COALESCE(u.code_id, 0) AS code_id, COUNT(*) AS sign_ups `+broughtBy+`
			GROUP BY f.inviter_id, COALESCE(u.code_id, 0)
			ORDER BY COUNT(*) DESC, f.inviter_id, COALESCE(u.code_id, 0) LIMIT ?1) top
		JOIN account a ON a.id = top.inviter_id LEFT JOIN invite_code c ON c.id = top.code_id
		ORDER BY top.sign_ups DESC, top.inviter_id, top.code_id`, since, shownCodes).Scan(ctx, &f.Codes)
	return f, err
}

// Invitation is who invited whom.
type Invitation struct {
	UserID       int64
	Email        string
	InviterID    int64
	InviterEmail string
	Code         string
	JoinedAt     time.Time
	Orders       int64 // paid ones
	Earned       money.Amount
}

// Newest returns who was invited last, the newest first.
func (i *Invites) Newest(ctx context.Context, limit int64) (list []Invitation, err error) {
	err = i.db.NewRaw(`SELECT a.id AS user_id, a.email, a.created_at AS joined_at, b.id AS inviter_id,
			b.email AS inviter_email, COALESCE(c.code, b.invite_code) AS code, `+paidOrders+` AS orders,
			(SELECT CAST(COALESCE(SUM(amount - reversed), 0) AS BIGINT) FROM commission WHERE user_id = a.id
				AND inviter_id = b.id) AS earned`+invitedPeople+`
		JOIN account b ON b.id = a.invited_by LEFT JOIN invite_use u ON u.user_id = a.id
		LEFT JOIN invite_code c ON c.id = u.code_id
		WHERE a.invited_by IS NOT NULL ORDER BY a.id DESC LIMIT ?`, limit).Scan(ctx, &list)
	return list, err
}
