package service

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// Reports name the same users minute after minute, and to read what each of them holds took most of the time of a
// report. It is kept in memory from one transaction that consumes to the next. The memory is right where all of this
// holds, and is emptied or read again where it does not:
//
//   - The revision that such transactions bump first grew by exactly one: no other process consumed in between, and the
//     transaction whose consumption the memory has was committed.
//   - A user's services and packages did not change otherwise. Whoever changes them calls Refresh, which notes the user
//     in holding_change in the same transaction.
//   - All that the user holds is open, and was read within maxHeld.
const (
	// maxHeld is how old the memory may become. Notes of changes are kept for longer.
	maxHeld = 30 * time.Minute
	// maxHeldUsers limits the memory, and maxNoted the changes that are looked up one by one.
	maxHeldUsers = 500_000
	maxNoted     = 10_000
)

// holdings keeps what users hold between transactions.
type holdings struct {
	mu     sync.Mutex
	memory *memory

	noted int64 // the last note when notes were removed last
}

// memory is what users held after the transaction that bumped the revision to a value.
type memory struct {
	revision int64
	mark     int64     // up to which notes of changes were read
	began    time.Time // when the first of it was read, on the monotonic clock
	at       time.Time // when it was used last, on the clock of the database
	users    map[int64]heldBy
}

// heldBy is what a user holds, all of it open until a time.
type heldBy struct {
	sources []*source
	until   int64 // a Unix time
}

// take removes the memory, so that nothing is left of it where the transaction fails, and returns what is right of it
// for the transaction that bumped the revision to a value.
func (s *Services) take(ctx context.Context, tx bun.Tx, revision int64) (*memory, error) {
	s.holdings.mu.Lock()
	m := s.holdings.memory
	s.holdings.memory = nil
	s.holdings.mu.Unlock()
	now := s.db.Now()
	if m == nil || m.revision != revision-1 || time.Since(m.began) > maxHeld || now.Before(m.at) ||
		len(m.users) > maxHeldUsers {
		m = &memory{began: time.Now(), users: map[int64]heldBy{}}
	}
	mark, changed, err := s.noted(ctx, tx, m.mark)
	if err != nil {
		return nil, err
	}
	if len(changed) > maxNoted || m.mark == 0 {
		clear(m.users)
	}
	for _, id := range changed {
		delete(m.users, id)
	}
	m.revision, m.mark, m.at = revision, mark, now
	return m, nil
}

// keep returns what makes the memory that of the next transaction; it is called after the commit.
func (s *Services) keep(m *memory) func() {
	return func() {
		s.holdings.mu.Lock()
		defer s.holdings.mu.Unlock()
		s.holdings.memory = m
	}
}

// of returns what the users hold at a time, those that end first before others, and reads what the memory lacks.
func (m *memory) of(ctx context.Context, tx bun.Tx, s *Services, ids []int64, at time.Time) (
	map[int64][]*source, error,
) {
	held := make(map[int64][]*source, len(ids))
	var missing []int64
	for _, id := range ids {
		if h, ok := m.users[id]; ok && at.Unix() < h.until {
			held[id] = h.sources
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return held, nil
	}
	read, err := s.sources(ctx, tx, missing, at, `s.cycle`)
	if err != nil {
		return nil, err
	}
	for id, sources := range read {
		held[id] = sources
		if until, ok := allOpen(sources); ok {
			m.users[id] = heldBy{sources, until}
		} else {
			delete(m.users, id)
		}
	}
	return held, nil
}

// allOpen tells whether all that a user holds is open, and until which Unix time.
func allOpen(sources []*source) (until int64, ok bool) {
	until = math.MaxInt64
	for _, v := range sources {
		if !v.open {
			return 0, false
		}
		if v.ends != nil {
			until = min(until, *v.ends)
		}
	}
	return until, true
}

// written makes the counters of sources begin again after they were written.
func written(ids []int64, held map[int64][]*source) {
	for _, id := range ids {
		for _, v := range held[id] {
			v.up, v.down, v.billed, v.billedUp = 0, 0, 0, 0
		}
	}
}

// note records that what users hold changed, as part of the transaction that changed it.
func (s *Services) note(ctx context.Context, tx bun.Tx, userIDs []int64) error {
	own := `0`
	if !s.db.SQLite() {
		own = `pg_current_xact_id()::text::bigint`
	}
	if len(userIDs) == 1 {
		return db.ExecPrepared(ctx, tx, `INSERT INTO holding_change (transaction_id, user_id)
			VALUES (`+own+`, ?)`, userIDs[0])
	}
	users := db.NumbersOf(1, len(userIDs))
	users.Add(userIDs...)
	return users.Each(tx, func(rows any) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO holding_change (transaction_id, user_id)
			SELECT `+own+`, v.column1 FROM ? AS v`, rows)
		return err
	})
}

// noted returns the users of notes since a mark, and the next mark. On SQLite, where transactions that write follow one
// after the other, the mark is the last id. On PostgreSQL it is the first transaction that may have been running: what
// commits later is of this or a later one. A few notes are then found twice.
func (s *Services) noted(ctx context.Context, tx bun.Tx, mark int64) (next int64, users []int64, err error) {
	text := `SELECT coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'holding_change'), 0) + 1 AS next, h.user_id
		FROM (SELECT 1) AS one LEFT JOIN holding_change AS h ON h.id >= ? LIMIT ?`
	if !s.db.SQLite() {
		text = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS next, h.user_id
			FROM (SELECT 1) AS one LEFT JOIN holding_change AS h ON h.transaction_id >= ? LIMIT ?`
	}
	var rows []struct {
		Next   int64
		UserID *int64
	}
	if mark == 0 { // nothing is remembered yet
		mark = 1 << 62
	}
	if err := tx.NewRaw(text, mark, maxNoted+1).Scan(ctx, &rows); err != nil {
		return 0, nil, err
	}
	for _, r := range rows {
		next = r.Next
		if r.UserID != nil {
			users = append(users, *r.UserID)
		}
	}
	return next, users, nil
}

// forgetNotes removes the notes that were there when it ran last.
func (s *Services) forgetNotes(ctx context.Context) error {
	var last int64
	if err := s.db.NewRaw(`SELECT coalesce(max(id), 0) FROM holding_change`).Scan(ctx, &last); err != nil {
		return err
	}
	s.holdings.mu.Lock()
	before := s.holdings.noted
	s.holdings.noted = last
	s.holdings.mu.Unlock()
	if before == 0 {
		return nil
	}
	return s.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw(`DELETE FROM holding_change WHERE id <= ?`, before).Exec(ctx)
		return err
	})
}
