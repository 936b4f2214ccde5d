package console

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
)

// Note is what a member of staff wrote down about a user, who never sees it.
type Note struct {
	bun.BaseModel `bun:"table:user_note"`
	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Text          string
	MadeBy        *int64 // nil: the operator
	CreatedAt     time.Time
}

const (
	maxNote   = 2000 // characters
	maxShown  = 100
	noteTrail = "user.note"
)

// ErrNoNote is the fault of a note that is not there.
var ErrNoNote = fault.NotFound("note_not_found", "没有这条备注", "There is no such note")

// Notes returns the newest notes about a user, newest first.
func (c *Console) Notes(ctx context.Context, userID int64) (notes []Note, err error) {
	err = c.db.NewSelect().Model(&notes).Where("user_id = ?", userID).OrderExpr("id DESC").Limit(maxShown).Scan(ctx)
	return notes, err
}

// AddNote writes something down about a user.
func (c *Console) AddNote(ctx context.Context, userID int64, text string, by *int64) (Note, error) {
	n := Note{UserID: userID, Text: strings.TrimSpace(text), MadeBy: by}
	if n.Text == "" || utf8.RuneCountInString(n.Text) > maxNote || !utf8.ValidString(n.Text) {
		return n, fault.Invalid("text", "length", "备注须为 1 到 2000 个字符", "A note has 1 to 2,000 characters")
	}
	err := c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n.ID, n.CreatedAt = 0, c.db.Now()
		if _, err := tx.NewInsert().Model(&n).Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, noteTrail, audit.ID("user", userID), nil,
			map[string]any{"note": n.ID, "text": n.Text}, "")
	})
	return n, err
}

// RemoveNote removes a note about a user.
func (c *Console) RemoveNote(ctx context.Context, userID, id int64) error {
	return c.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var gone []Note
		if err := tx.NewDelete().Model(&gone).Where("id = ? AND user_id = ?", id, userID).Returning("*").
			Scan(ctx); err != nil {
			return db.Error(err)
		}
		if len(gone) == 0 {
			return ErrNoNote
		}
		return audit.Record(ctx, tx, noteTrail, audit.ID("user", userID),
			map[string]any{"note": id, "text": gone[0].Text}, nil, "")
	})
}

// MoveTo gives what staff wrote down about a user, and the labels, to another account of the same person, as part of
// tx. Labels beyond MaxLabels stay where they are.
func (c *Console) MoveTo(ctx context.Context, tx bun.Tx, from, into int64) error {
	if _, err := tx.NewUpdate().Model((*Note)(nil)).Set("user_id = ?", into).Where("user_id = ?", from).
		Exec(ctx); err != nil {
		return err
	}
	var labels []labelRow
	if err := tx.NewSelect().Model(&labels).Where("object = 'user' AND object_id = ?", from).OrderExpr("label").
		Scan(ctx); err != nil {
		return err
	}
	for _, l := range labels {
		switch err := c.AddLabel(ctx, tx, l.Object, into, l.MadeBy, l.Label, true); {
		case errors.Is(err, ErrLabels):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// Close forgets what staff wrote down about a user whose account is closed, the labels, and the views that the user
// saved as a member of staff and did not share.
func (c *Console) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := tx.NewDelete().Model((*Note)(nil)).Where("user_id = ?", userID).Exec(ctx); err != nil {
		return err
	}
	if _, err := tx.NewDelete().Model((*labelRow)(nil)).Where("object = 'user' AND object_id = ?", userID).
		Exec(ctx); err != nil {
		return err
	}
	return closeViews(ctx, tx, userID)
}
