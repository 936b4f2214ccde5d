// Package meter counts every user's bytes and hands them over exactly once.
//
// The scheme. Each user has a line in a memory-mapped file with bytes ever counted and bytes ever sealed; both
// only grow. Sealing goes in this order:
//
//  1. read the counters; what lies between sealed and counted is the batch;
//  2. write the batch to the spool together with its marks, the absolute positions of the counters that it
//     reaches to: a temporary file, fsync, rename, fsync of the folder. The rename is the commit;
//  3. raise the sealed positions to the marks, and sync the counters file;
//  4. only now may the batch be sent, as the same bytes under the same boot and sequence until an answer names
//     it, which makes the server count it once; then its file is deleted.
//
// A process killed before 2 leaves the bytes in the counters alone. Killed between 2 and 3, they are in both:
// so at start the marks of all spooled batches are applied again. A mark is absolute and applying it takes the
// larger of the two positions, so doing it twice, or for the hundredth time, changes nothing. After 3 they are
// in the batch alone, and the sync in 3 comes before the deletion in 4, so that even a power cut finds either
// the batch or the raised position on the disk. A power cut may also find counters that are behind the marks
// (the batch is always synced, the counters once a second); the marks then raise those, too.
//
// A user's line is given to another user only when the agent starts, and only if all of it is sealed and no
// spooled batch has a mark for it.
package meter

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/durable"
)

// maxWaiting batches are spooled while the server is away; past that, bytes stay in the counters, which are as
// safe and don't fill the disk.
const maxWaiting = 60

// maxWindow is the longest period that the server accepts in one report.
const maxWindow = 24 * time.Hour

// ErrNotSealed means that bytes stay in the counters because enough batches are waiting.
var ErrNotSealed = errors.New("enough batches are waiting to be sent")

// Meter is the counters and the spool of one data folder. One process at a time may open it.
type Meter struct {
	counters *counters
	spool    *spool
	boot     string
	log      *slog.Logger
	now      func() time.Time

	mu       sync.Mutex
	sequence int64
	began    time.Time
	waiting  int
	hits     map[hit]int64
	// unsent holds the bytes of batches that were never sent, and so are in no figure of the server's.
	unsent map[int64]int64
	fresh  map[string]bool
	// unanswered holds the bytes of batches that no answer has named, sent or not.
	unanswered map[int64]int64
}

type hit struct{ user, rule int64 }

// Open continues the accounting in dir where the last process left it. Counters of users for whom keep is false are
// released once everything of theirs is reported.
func Open(dir string, keep func(user int64) bool, log *slog.Logger) (*Meter, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	counters, err := openCounters(filepath.Join(dir, "counters"), log)
	if err != nil {
		return nil, err
	}
	spool, err := openSpool(filepath.Join(dir, "spool"))
	if err != nil {
		counters.close()
		return nil, err
	}
	m := &Meter{
		counters: counters, spool: spool, boot: newUUID(), log: log, now: time.Now, began: time.Now(),
		hits: map[hit]int64{}, unsent: map[int64]int64{}, fresh: map[string]bool{}, unanswered: map[int64]int64{},
	}
	if err := m.recover(keep); err != nil {
		counters.close()
		return nil, err
	}
	return m, nil
}

func (m *Meter) recover(keep func(user int64) bool) error {
	names, err := m.spool.names()
	if err != nil {
		return err
	}
	marked := map[int64]bool{}
	for _, name := range names {
		b, err := m.spool.read(name)
		if errors.Is(err, errUnreadable) {
			m.log.Error("a spooled batch is not readable and has been set aside in spool/refused", "file", name)
			if err := m.spool.setAside(name); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		m.waiting++
		m.apply(b.marks)
		m.trackUnanswered(b, 1)
		for _, k := range b.marks {
			marked[k.User] = true
		}
	}
	// A deleted batch must not reappear after a power cut once the lines of its users are in use again.
	if err := durable.SyncFolder(m.spool.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.counters.release(func(user int64) bool { return keep(user) || marked[user] })
	return m.counters.sync()
}

// apply raises counters to the marks of a batch. Applying the same marks again changes nothing.
func (m *Meter) apply(marks []mark) {
	for _, k := range marks {
		c := m.counters.get(k.User)
		c.sealedUp, c.sealedDown = max(c.sealedUp, k.Up), max(c.sealedDown, k.Down)
		raise(&c.up, k.Up)
		raise(&c.down, k.Down)
	}
}

func raise(counter *int64, to int64) {
	for at := atomic.LoadInt64(counter); at < to; at = atomic.LoadInt64(counter) {
		if atomic.CompareAndSwapInt64(counter, at, to) {
			return
		}
	}
}

// SetClock sets the clock for reports. It is called before the first Seal.
func (m *Meter) SetClock(now func() time.Time) { m.now = now }

// Boot identifies this start of the agent.
func (m *Meter) Boot() string { return m.boot }

// Counter returns the counter of a user. It stays valid for the life of the process.
func (m *Meter) Counter(user int64) *Counter { return m.counters.get(user) }

// Hit counts that a rule stopped a user.
func (m *Meter) Hit(user, rule int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hits[hit{user, rule}]++
}

// Totals returns the bytes of all users, for the speed in heartbeats.
func (m *Meter) Totals() (up, down int64) {
	for _, c := range m.counters.all() {
		up += atomic.LoadInt64(&c.up)
		down += atomic.LoadInt64(&c.down)
	}
	return up, down
}

// HasUnsealed reports whether any bytes or hits are not in a batch yet.
func (m *Meter) HasUnsealed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.hits) > 0 || slices.ContainsFunc(m.counters.all(), func(c *Counter) bool {
		return atomic.LoadInt64(&c.up) > c.sealedUp || atomic.LoadInt64(&c.down) > c.sealedDown
	})
}

// UnsealedBytes returns how many of a user's bytes are not in a batch yet.
func (m *Meter) UnsealedBytes(user int64) int64 {
	c := m.counters.get(user)
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.Total() - c.sealedUp - c.sealedDown
}

// SentPosition is the position of a user's counter up to which the server may have subtracted bytes from the user's
// remaining: everything ever sent in a batch. Bytes beyond it are certainly not subtracted.
func (m *Meter) SentPosition(user int64) int64 {
	c := m.counters.get(user)
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.sealedUp + c.sealedDown - m.unsent[user]
}

// AnsweredPosition is the position of a user's counter up to which answers have named the batches. The server has
// counted all of it, except rows that it refused.
func (m *Meter) AnsweredPosition(user int64) int64 {
	c := m.counters.get(user)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.answeredPositionLocked(c)
}

func (m *Meter) answeredPositionLocked(c *Counter) int64 {
	return c.sealedUp + c.sealedDown - m.unanswered[c.user]
}

// trackUnanswered adds a batch to the unanswered bytes or, with sign -1, removes it.
func (m *Meter) trackUnanswered(b *Batch, sign int64) {
	for _, r := range b.Report.Rows {
		if m.unanswered[r.UserID] += sign * (r.Up + r.Down); m.unanswered[r.UserID] <= 0 {
			delete(m.unanswered, r.UserID)
		}
	}
}

// Seal makes batches of all that was counted since the last time and puts them into the spool.
// On an error nothing is lost: the bytes stay in the counters and go into a later batch.
func (m *Meter) Seal() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting >= maxWaiting {
		return ErrNotSealed
	}
	for _, b := range m.collect() {
		if err := m.spool.write(b); err != nil {
			return err
		}
		if err := m.settle(b); err != nil {
			return err
		}
	}
	return nil
}

// collect reads the counters into numbered batches that are not on disk yet.
func (m *Meter) collect() []*Batch {
	var rows []api.Row
	var marks []mark
	for _, c := range m.counters.all() {
		up, down := atomic.LoadInt64(&c.up), atomic.LoadInt64(&c.down)
		if up > c.sealedUp || down > c.sealedDown {
			rows = append(rows, api.Row{UserID: c.user, Up: up - c.sealedUp, Down: down - c.sealedDown})
			marks = append(marks, mark{User: c.user, Up: up, Down: down})
		}
	}
	var hits []api.Hit
	for h, n := range m.hits {
		hits = append(hits, api.Hit{UserID: h.user, RuleID: h.rule, Count: n})
	}
	from, to := m.counters.sealedAt(), m.now().UTC()
	switch {
	case from.IsZero():
		from = to.Add(-time.Since(m.began))
	case from.After(to): // A clock was set back.
		from = to.Add(-maxWindow)
	}
	var batches []*Batch
	for len(rows) > 0 || len(hits) > 0 {
		n, h := min(len(rows), api.MaxRows), min(len(hits), api.MaxRows)
		m.sequence++
		b := &Batch{
			Report: api.Report{Boot: m.boot, Sequence: m.sequence, From: from, To: to, Rows: rows[:n], Hits: hits[:h]},
			marks:  marks[:n],
		}
		if b.Report.Rows == nil {
			b.Report.Rows = []api.Row{}
		}
		b.Body, _ = json.Marshal(b.Report) // Numbers, strings and times of this century cannot fail to encode.
		rows, marks, hits = rows[n:], marks[n:], hits[h:]
		batches = append(batches, b)
	}
	return batches
}

// settle subtracts a batch that is safe on disk from the counters.
func (m *Meter) settle(b *Batch) error {
	m.apply(b.marks)
	m.waiting++
	m.trackUnanswered(b, 1)
	m.fresh[b.name] = true
	for _, r := range b.Report.Rows {
		m.unsent[r.UserID] += r.Up + r.Down
	}
	for _, h := range b.Report.Hits {
		key := hit{h.UserID, h.RuleID}
		if m.hits[key] -= h.Count; m.hits[key] <= 0 {
			delete(m.hits, key)
		}
	}
	m.counters.setSealedAt(b.Report.To)
	return m.counters.sync()
}

// Next returns the oldest waiting batch, nil if there is none.
func (m *Meter) Next() (*Batch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names, err := m.spool.names()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	b, err := m.spool.read(names[0])
	if errors.Is(err, errUnreadable) {
		m.waiting--
		return nil, errors.Join(fmt.Errorf("batch %s: %w; set aside in spool/refused", names[0], err),
			m.spool.setAside(names[0]))
	}
	return b, err
}

// MarkSent is called before a batch is sent. From then on the server may have counted it, whatever the answer is.
func (m *Meter) MarkSent(b *Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.fresh[b.name] {
		return
	}
	delete(m.fresh, b.name)
	for _, r := range b.Report.Rows {
		if m.unsent[r.UserID] -= r.Up + r.Down; m.unsent[r.UserID] <= 0 {
			delete(m.unsent, r.UserID)
		}
	}
}

// Complete deletes a batch that the server has named in an answer.
func (m *Meter) Complete(b *Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting--
	m.trackUnanswered(b, -1)
	return m.spool.remove(b.name)
}

// Refuse puts a batch aside in spool/refused: it will never be accepted.
func (m *Meter) Refuse(b *Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting--
	m.trackUnanswered(b, -1)
	return m.spool.setAside(b.name)
}

// Sync makes everything counted so far survive a power cut.
func (m *Meter) Sync() error { return m.counters.sync() }

// VolatileReason returns why some counted bytes would be lost if the process were killed: the counters file had no
// space, or was removed. It is nil if nothing would be lost.
func (m *Meter) VolatileReason() error { return m.counters.volatileReason() }

// Close ends the accounting. Counting after it is harmless and reaches the next start.
func (m *Meter) Close() error { return errors.Join(m.counters.sync(), m.counters.close()) }

func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // RFC 9562: version 4, variant 10
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
