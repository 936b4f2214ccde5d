package account

import (
	"context"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
)

// Recipient is a user whom the operator may write to: neither banned nor closed.
type Recipient struct {
	ID         int64
	Email      string
	Lang       fault.Lang
	TelegramID *int64
}

func recipients(q *bun.SelectQuery, onTelegram bool) *bun.SelectQuery {
	q.Model((*row)(nil)).Where("banned_at IS NULL AND closed_at IS NULL")
	if onTelegram {
		q.Where("telegram_id IS NOT NULL")
	}
	return q
}

// Recipients gives the first users with an id after one and up to another, by id. With onTelegram only those who linked
// Telegram.
func (a *Accounts) Recipients(ctx context.Context, after, last int64, onTelegram bool, limit int64) (
	list []Recipient, err error,
) {
	err = recipients(a.db.NewSelect(), onTelegram).Column("id", "email", "lang", "telegram_id").
		Where("id > ? AND id <= ?", after, last).Order("id").Limit(limit).Scan(ctx, &list)
	return list, err
}

// RecipientCount gives how many such users there are, and the highest id among them, as part of tx.
func (a *Accounts) RecipientCount(ctx context.Context, tx bun.IDB, onTelegram bool) (count, last int64, err error) {
	err = recipients(tx.NewSelect(), onTelegram).ColumnExpr("COUNT(*), COALESCE(MAX(id), 0)").Scan(ctx, &count, &last)
	return count, last, err
}
