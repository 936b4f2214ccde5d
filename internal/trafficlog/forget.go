package trafficlog

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// nobody is the user who has the bytes of those who were forgotten, so that sums of nodes and days stay as they were.
const nobody = 0

// lateFor is how long after an account was closed its last bytes may come.
const lateFor = 40 * 24 * time.Hour

// ForgetUser has the next run of the job take a user's name from the log, as part of tx.
func ForgetUser(ctx context.Context, tx bun.Tx, user int64, now time.Time) error {
	_, err := tx.NewRaw(`INSERT INTO traffic_forget (user_id, closed_at) VALUES (?, ?) ON CONFLICT (user_id) DO NOTHING`,
		user, now).Exec(ctx)
	return err
}

// Forgotten returns the users whose bytes are, or will be, those of user 0, and user 0.
func (l *Log) Forgotten(ctx context.Context, idb bun.IDB) (map[int64]bool, error) {
	var users []int64
	err := idb.NewRaw(`SELECT user_id FROM traffic_forget`).Scan(ctx, &users)
	all := map[int64]bool{nobody: true}
	for _, user := range users {
		all[user] = true
	}
	return all, err
}

// ForgetUsers gives the bytes of closed accounts to user 0. It waits until the rows of earlier versions have been
// moved.
func (l *Log) ForgetUsers(ctx context.Context) error {
	p, err := l.place(ctx, l.db)
	if err != nil || p != (place{maxPlace, maxPlace}) {
		return err
	}
	now := l.db.Now()
	var users []int64
	if err := l.db.NewRaw(`SELECT user_id FROM traffic_forget WHERE done_at IS NULL OR closed_at > ? ORDER BY user_id`,
		now.Add(-lateFor)).Scan(ctx, &users); err != nil {
		return err
	}
	for _, user := range users {
		if err := l.forgetUser(ctx, user); err != nil {
			return err
		}
		if err := l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE traffic_forget SET done_at = ? WHERE user_id = ?`, now, user).Exec(ctx)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// forgetParts is how many blobs one transaction changes.
const forgetParts = 20

func (l *Log) forgetUser(ctx context.Context, user int64) error {
	chunk := user >> chunkBits
	if err := l.locked(ctx, func(ctx context.Context, tx bun.Tx) error {
		var now []nowRow
		if err := tx.NewRaw(`SELECT chunk, hour, node_id, rate_permille, data FROM traffic_now WHERE chunk = ?`, chunk).
			Scan(ctx, &now); err != nil {
			return err
		}
		for _, r := range now {
			left, a, err := without(r.Data, user, r.RatePermille)
			if err != nil {
				return err
			}
			if a == (Amount{}) {
				continue
			}
			row := []any{chunk, r.Hour, r.NodeID, r.RatePermille, left}
			if err := upsert(ctx, tx, upsertNow, [][]any{row}); err != nil {
				return err
			}
			s := Slot{r.Hour, r.NodeID, r.RatePermille}
			if err := addToSlot(ctx, tx, s, map[int64]Amount{nobody: a}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	first, end, err := packDays(ctx, l.db)
	if err != nil {
		return err
	}
	for ; first < end; first += forgetParts {
		if err := l.locked(ctx, func(ctx context.Context, tx bun.Tx) error {
			return forgetPacks(ctx, tx, user, first, min(end, first+forgetParts))
		}); err != nil {
			return err
		}
	}
	for _, table := range []string{"traffic_day_chunk", "traffic_month_chunk"} {
		if err := l.forgetPeriods(ctx, table, user); err != nil {
			return err
		}
	}
	return nil
}

// locked runs fn in a transaction that holds the lock of the log.
func (l *Log) locked(ctx context.Context, fn func(context.Context, bun.Tx) error) error {
	return l.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := db.Bump(ctx, tx, Revision); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

func forgetPacks(ctx context.Context, tx bun.Tx, user, first, end int64) error {
	var ids []int64
	for day := first; day < end; day++ {
		ids = append(ids, packID(day, user))
	}
	found, err := packs(ctx, tx, "data", ids)
	if err != nil || len(found) == 0 {
		return err
	}
	add := map[int64][]slotAmount{}
	for _, p := range found {
		if add[packID(p.day(), nobody)], err = decodePack(p.Data); err != nil {
			return err
		}
	}
	if err := addToPacks(ctx, tx, add); err != nil {
		return err
	}
	_, err = tx.NewRaw(`DELETE FROM traffic_pack WHERE id IN (?)`, bun.List(ids)).Exec(ctx)
	return err
}

func (l *Log) forgetPeriods(ctx context.Context, table string, user int64) error {
	first, last, err := bounds(ctx, l.db, table)
	if err != nil {
		return err
	}
	chunk := user >> chunkBits
	var ids []int64
	if table == "traffic_day_chunk" {
		ids = dayIDs(chunk, first, last+1)
	} else {
		for month := first; month <= last; month++ {
			ids = append(ids, chunkID(month, chunk))
		}
	}
	for part := range slices.Chunk(ids, forgetParts) {
		if err := l.locked(ctx, func(ctx context.Context, tx bun.Tx) error {
			found, err := periodChunks(ctx, tx, table, part)
			if err != nil {
				return err
			}
			for _, f := range found {
				left, a, err := without(f.Data, user, 1000)
				if err != nil {
					return err
				}
				if a == (Amount{}) {
					continue
				}
				if err := upsert(ctx, tx, upsertOf[table], [][]any{{f.ID, left}}); err != nil {
					return err
				}
				if err := addToPeriod(ctx, tx, table, f.ID>>32, map[int64]Amount{nobody: a}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// without returns a chunk without a user, and what the user had in it.
func without(data []byte, user, rate int64) (left []byte, a Amount, err error) {
	rows, err := decodeChunk(data, user>>chunkBits, rate)
	rows = slices.DeleteFunc(rows, func(r userAmount) bool {
		if r.user != user {
			return false
		}
		a = r.Amount
		return true
	})
	return encodeChunk(rows, rate), a, err
}
