package db_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/dberr"
)

// A server that was frozen for longer than a transaction may take goes on in the middle of it. database/sql may have
// rolled the transaction back by then without the next statement seeing that the context ended.
func TestTx_RolledBackAtItsDeadline_IsBusy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		db.ShortenWaits(t, 50*time.Millisecond)

		err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			<-ctx.Done()
			for {
				if _, err := tx.ExecContext(context.WithoutCancel(ctx), `SELECT 1`); err != nil {
					if !errors.Is(err, sql.ErrTxDone) {
						t.Fatalf("a statement after the deadline gives %v, want sql.ErrTxDone", err)
					}
					return err
				}
			}
		})

		if !errors.Is(err, dberr.ErrBusy) {
			t.Errorf("the transaction gives %v, want %v", err, dberr.ErrBusy)
		}
	})
}
