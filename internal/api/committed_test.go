package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

// What a request saved stays saved where its answer cannot be read any more. A caller who hears that nothing was saved
// would do it once more.
func TestFaultOf_AfterACommit_DoesNotSayThatNothingWasSaved(t *testing.T) {
	lost := &dberr.LostConnection{Err: errors.New("reset by peer")}
	refused := errors.New("refused")
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, c := range map[string]struct {
			tracked bool
			write   error // what the transaction ends with
			err     error
			want    *fault.Error
		}{
			"a read after the commit":             {true, nil, lost, dberr.ErrOutcomeUnknown},
			"a second transaction":                {true, nil, dberr.ErrBusy, dberr.ErrOutcomeUnknown},
			"a read after what was rolled back":   {true, refused, lost, dberr.ErrUnreachable},
			"a request that only reads":           {false, nil, lost, dberr.ErrUnreachable},
			"another fault after the commit":      {true, nil, api.ErrTooLarge, api.ErrTooLarge},
			"something unexpected after a commit": {true, nil, refused, fault.ErrInternal},
		} {
			ctx := t.Context()
			if c.tracked {
				ctx = dberr.TrackCommits(ctx)
			}
			err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				if _, err := db.Bump(ctx, tx, "here"); err != nil {
					return err
				}
				return c.write
			})
			if !errors.Is(err, c.write) {
				t.Fatal(err)
			}
			if got := api.FaultOf(ctx, c.err); got.Code != c.want.Code {
				t.Errorf("%s: %s, want %s", name, got.Code, c.want.Code)
			}
		}
	})
}
