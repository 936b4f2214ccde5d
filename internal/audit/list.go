package audit

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/listing"
)

// List declares what the log is narrowed and sorted by. Its search is added by the package that knows users.
func List() *listing.Resource {
	return &listing.Resource{
		Name: "audit", Table: "audit_entry", ID: "id", Default: "-at",
		Filters: []listing.Filter{
			{
				Key: "actor", Kind: listing.Choice, Column: "actor", Doc: "Who acted; operator: at the command line",
				Choices: []string{string(Member), string(Token), string(Operator)},
			},
			{
				Key: "member", Kind: listing.Reference, Of: "users", Column: "actor_id", None: true,
				Doc: "The account that acted; of a token its owner's",
			},
			{Key: "action", Kind: listing.Text, Column: "action", Doc: "What was done, such as node. or node.add"},
			{Key: "object", Kind: listing.Choice, Column: "object", Doc: "Kind of what was changed"},
			{Key: "object_id", Kind: listing.Choice, Column: "object_id", Doc: "Number or name of what was changed"},
			{Key: "address", Kind: listing.Text, Column: "address", Doc: "Address of who acted"},
			{Key: "at", Kind: listing.Date, Column: "at", Doc: "When"},
		},
		Sorts: []listing.Sort{{Key: "at", Column: "at", Kind: listing.Time}},
	}
}

// ErrNoEntry is the fault of a number that no entry has.
var ErrNoEntry = fault.NotFound("no_audit_entry", "没有这条审计记录", "There is no such entry of the audit log")

// ByID returns the entries with these numbers, in any order.
func (l *Log) ByID(ctx context.Context, ids []int64) (entries []Entry, err error) {
	err = l.db.NewSelect().Model(&entries).ColumnExpr("entry.*, s.seq").
		Join("LEFT JOIN audit_seal AS s ON s.entry_id = entry.id").
		Where("entry.id IN (?)", bun.List(ids)).Scan(ctx)
	return entries, err
}

// State is how far the log is sealed.
type State struct {
	Seq      int64     // seals; 0: none yet
	EntryID  int64     // the newest sealed entry
	SealedAt time.Time // when that was; the zero time: nothing is sealed
	Waiting  int64     // entries that came after it
	Intact   bool      // whether the chain ends where a server signed that it ends; false: it is not continued
}

// State tells how far the log is sealed. Check and CheckKey walk the whole chain; this looks at its end alone.
func (l *Log) State(ctx context.Context) (s State, err error) {
	err = l.db.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		last := sealRow{}
		err := tx.NewSelect().Model(&last).OrderExpr("seq DESC").Limit(1).Scan(ctx)
		if err != nil && !errors.Is(err, db.ErrNoRows) {
			return err
		}
		s = State{Seq: last.Seq, EntryID: last.EntryID, SealedAt: last.At}
		_, err = l.end(ctx, tx)
		if s.Intact = err == nil; err != nil && !errors.Is(err, errTampered) {
			return err
		}
		return tx.NewRaw(`SELECT COUNT(*) FROM audit_entry WHERE id > ?`, s.EntryID).Scan(ctx, &s.Waiting)
	})
	return s, err
}
