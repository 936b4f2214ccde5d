package link

import (
	"context"

	"github.com/uptrace/bun"
)

// Close makes the user's link unknown and deletes the log of its fetches, as part of closing the account.
func (l *Links) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	for _, kept := range []any{(*tokenRow)(nil), (*Fetch)(nil)} {
		if _, err := tx.NewDelete().Model(kept).Where("user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
	}
	if _, err := tx.NewDelete().Model((*Template)(nil)).Where("scope = ? AND scope_id = ?", ForUser,
		userID).Exec(ctx); err != nil {
		return err
	}
	_, err := tx.NewRaw(`DELETE FROM link_notice WHERE user_id = ?`, userID).Exec(ctx)
	return err
}
