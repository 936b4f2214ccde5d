package clickhouse_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clickhouse"
)

func TestHistory_HasAStateForEachHourInWhichItChanged(t *testing.T) {
	each(t, func(w *world) {
		began := w.now.Truncate(time.Hour)
		expires := began.AddDate(0, 1, 0)
		w.states = []clickhouse.State{
			{UserID: 1, Up: 1, Down: 2, Quota: 100, Balance: 250, Expires: expires},
			{UserID: 2, Quota: 1 << 50, Expires: expires},
			{UserID: 3, Balance: -1, Expires: expires},
		}
		w.copy()
		w.states[0].Up = 5
		w.copy() // within the hour: the job alone sends it again
		if done, err := w.c.ImportEvents(w.Context()); err != nil || done.Rows != 1 {
			w.Fatal(done, err)
		}
		w.now = w.now.Add(time.Hour)
		w.copy() // nothing changed
		w.states[0].Up, w.states[2].Balance = 9, 0
		w.now = w.now.Add(time.Hour)
		w.copy()
		want := w.states[0]
		want.Up, want.At = 5, began
		later := w.states[0]
		later.At = began.Add(2 * time.Hour)
		q := clickhouse.Query{UserID: 1, From: began, To: w.now, Limit: 10}
		got, source, err := w.c.History(w.Context(), q)
		if err != nil || source != clickhouse.FromClickHouse || !slices.Equal(got, []clickhouse.State{want, later}) {
			w.Errorf("%v from %s, %v; want %v and %v", got, source, err, want, later)
		}
		q.Limit, q.Offset = 1, 1
		if got, _, err := w.c.History(w.Context(), q); err != nil || !slices.Equal(got, []clickhouse.State{want}) {
			w.Errorf("%v, %v; want the one before the newest", got, err)
		}

		// A server that was started again sends all once, in the next hour.
		w.c = w.server()
		w.now = w.now.Add(time.Hour)
		w.copy()
		if rows := w.query(`SELECT toString(count()) FROM user_state FINAL`); rows[0] != "8" {
			w.Errorf("%s states, want 3, 2 and 3", rows[0])
		}

		// Who closes the account is deleted, and sent no more.
		if err := w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			return w.c.Forget(ctx, tx, 1)
		}); err != nil {
			w.Fatal(err)
		}
		w.states[0].Up = 11
		w.now = w.now.Add(time.Hour)
		w.copy()
		if rows := w.query(`SELECT toString(count()) FROM user_state FINAL WHERE user_id = 1`); rows[0] != "0" {
			w.Errorf("%s states of who closed the account", rows[0])
		}
	})
}
