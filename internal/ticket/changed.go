package ticket

import (
	"context"

	"airstrip/internal/db"
)

// Watch gives a channel that holds a value once tickets changed, in whichever process. Call stop when done.
func (t *Tickets) Watch() (changes <-chan int64, stop func()) { return t.db.Watch(revision) }

// Revision gives the number of the newest change of any ticket.
func (t *Tickets) Revision(ctx context.Context) (int64, error) {
	return db.Revision(ctx, t.db, revision)
}

// Changed gives the tickets that changed after a revision, in the order of their last changes.
func (t *Tickets) Changed(ctx context.Context, since, limit int64) (changed []Ticket, err error) {
	err = t.db.NewSelect().Model(&changed).Where("revision > ?", since).OrderExpr("revision").Limit(limit).Scan(ctx)
	return changed, err
}
