package meter

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// history is the data folder of one agent through many starts, together with the server that it reports to.
//
// A kill leaves the files as the process last saw them. A power cut leaves each line of the counters as it was at the
// last sync or at any time since, and may restore deleted batches.
type history struct {
	dir     string
	m       *Meter
	synced  []byte            // Content of the counters file at the last sync.
	deleted map[string][]byte // Deleted batches whose deletion may not be on the disk.
	listed  map[int64]bool

	counted, durable, unsynced map[int64]int64 // Bytes ever; those that no crash may lose; those since the last sync.
	billed                     map[int64]int64
	delivered                  map[string]string
}

func (h *history) open(t *rapid.T) {
	m, err := Open(h.dir, func(user int64) bool { return h.listed[user] }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.m = m
	clear(h.deleted)
	h.markSynced(t)
}

// markSynced records that the counters have just been synced.
func (h *history) markSynced(t *rapid.T) {
	data, err := os.ReadFile(h.counters())
	if err != nil {
		t.Fatal(err)
	}
	h.synced = data
	for user, n := range h.unsynced {
		h.durable[user] += n
	}
	clear(h.unsynced)
}

func (h *history) counters() string { return filepath.Join(h.dir, "counters") }

func (h *history) count(t *rapid.T) {
	user, n := rapid.Int64Range(1, 6).Draw(t, "user"), rapid.Int64Range(1, 1000).Draw(t, "bytes")
	if rapid.Bool().Draw(t, "up") {
		h.m.Counter(user).Up(n)
	} else {
		h.m.Counter(user).Down(n)
	}
	h.counted[user] += n
	h.unsynced[user] += n
}

func (h *history) seal(t *rapid.T) {
	if err := h.m.Seal(); err != nil {
		t.Fatal(err)
	}
	h.markSynced(t)
}

// crashWhileSealing executes some of the steps of sealing, then crashes.
func (h *history) crashWhileSealing(t *rapid.T) {
	batches := h.m.collect()
	switch rapid.SampledFrom([]string{"before the rename", "before the counters", "before the sync"}).Draw(t, "dies") {
	case "before the rename":
		for _, b := range batches {
			half := b.Body[:len(b.Body)/2]
			if err := os.WriteFile(filepath.Join(h.dir, "spool", "00000000000000000001.batch.tmp"), half,
				0o600); err != nil {
				t.Fatal(err)
			}
		}
	case "before the counters":
		for _, b := range batches {
			h.write(t, b)
		}
	case "before the sync":
		for _, b := range batches {
			h.write(t, b)
			h.m.apply(b.marks)
		}
	}
	h.crash(t)
}

// write spools a batch, whose content is safe from then on.
func (h *history) write(t *rapid.T, b *Batch) {
	if err := h.m.spool.write(b); err != nil {
		t.Fatal(err)
	}
	for user, n := range h.unsynced {
		h.durable[user] += n
	}
	clear(h.unsynced)
}

// deliver sends the oldest batch. The answer may be lost.
func (h *history) deliver(t *rapid.T) bool {
	b, err := h.m.Next()
	if err != nil {
		t.Fatal(err)
	}
	if b == nil {
		return false
	}
	h.m.MarkSent(b)
	key := fmt.Sprint(b.Report.Boot, " ", b.Report.Sequence)
	if body, again := h.delivered[key]; !again {
		h.delivered[key] = string(b.Body)
		for _, r := range b.Report.Rows {
			if r.Up < 0 || r.Down < 0 {
				t.Fatalf("negative row %+v", r)
			}
			h.billed[r.UserID] += r.Up + r.Down
		}
	} else if body != string(b.Body) {
		t.Fatalf("batch %s was sent with another content", key)
	}
	if rapid.IntRange(0, 3).Draw(t, "answer") > 0 {
		h.deleted[b.name], err = os.ReadFile(filepath.Join(h.dir, "spool", b.name))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.m.Complete(b); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

// crash kills the process, possibly with a power cut, and starts the next one.
func (h *history) crash(t *rapid.T) {
	for user := range h.listed {
		delete(h.listed, user)
	}
	for user := int64(1); user <= 6; user++ {
		if rapid.Bool().Draw(t, "listed") {
			h.listed[user] = true
		}
	}
	if rapid.Bool().Draw(t, "power") {
		now, err := os.ReadFile(h.counters())
		if err != nil {
			t.Fatal(err)
		}
		const line = int(unsafe.Sizeof(Counter{}))
		for at := 0; at+line <= min(headBytes+8*line, len(h.synced)); at += line {
			if at < headBytes && at > 0 {
				continue // Only the first line of the head is in use.
			}
			if rapid.Bool().Draw(t, "old") {
				copy(now[at:at+line], h.synced[at:at+line])
			}
		}
		// The lines of a segment are assigned from its end.
		for at := len(now) - 8*line; at > headBytes && at+line <= len(h.synced); at += line {
			if rapid.Bool().Draw(t, "old") {
				copy(now[at:at+line], h.synced[at:at+line])
			}
		}
		if err := os.Remove(h.counters()); err != nil { // The old mapping stays with the old file.
			t.Fatal(err)
		}
		if err := os.WriteFile(h.counters(), now, 0o600); err != nil {
			t.Fatal(err)
		}
		clear(h.unsynced)
		for name, data := range h.deleted {
			if rapid.Bool().Draw(t, "back") {
				if err := os.WriteFile(filepath.Join(h.dir, "spool", name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	h.open(t)
}

func TestMeter_AnyCrash_LosesAndDuplicatesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "meter")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		h := &history{
			dir: dir, deleted: map[string][]byte{}, listed: map[int64]bool{}, delivered: map[string]string{},
			counted: map[int64]int64{}, durable: map[int64]int64{}, unsynced: map[int64]int64{},
			billed: map[int64]int64{},
		}
		h.open(t)
		t.Repeat(map[string]func(*rapid.T){
			"count": h.count, "count more": h.count, "seal": h.seal, "seal and die": h.crashWhileSealing,
			"die":     h.crash,
			"deliver": func(t *rapid.T) { h.deliver(t) },
			"sync": func(t *rapid.T) {
				if err := h.m.Sync(); err != nil {
					t.Fatal(err)
				}
				h.markSynced(t)
			},
			"": func(t *rapid.T) {
				for user, n := range h.billed {
					if n > h.counted[user] {
						t.Fatalf("user %d: billed %d of %d counted", user, n, h.counted[user])
					}
				}
			},
		})
		h.seal(t)
		for h.deliver(t) {
		}
		for user := range h.counted {
			if h.billed[user] < h.durable[user] || h.billed[user] > h.counted[user] {
				t.Fatalf("user %d: billed %d, of %d counted and %d that nothing may lose", user, h.billed[user],
					h.counted[user], h.durable[user])
			}
		}
	})
}
