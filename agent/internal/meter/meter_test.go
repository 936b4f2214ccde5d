package meter_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
)

func open(t *testing.T, dir string, log *bytes.Buffer) *meter.Meter {
	t.Helper()
	m, err := meter.Open(dir, func(int64) bool { return false }, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// drain completes all waiting batches as if the server had answered each.
func drain(t *testing.T, m *meter.Meter) (sizes []int, sums map[int64]int64) {
	t.Helper()
	sums = map[int64]int64{}
	for {
		b, err := m.Next()
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return sizes, sums
		}
		sizes = append(sizes, len(b.Report.Rows))
		for _, r := range b.Report.Rows {
			sums[r.UserID] += r.Up + r.Down
		}
		m.MarkSent(b)
		if err := m.Complete(b); err != nil {
			t.Fatal(err)
		}
	}
}

func seal(t *testing.T, m *meter.Meter) {
	t.Helper()
	if err := m.Seal(); err != nil {
		t.Fatal(err)
	}
}

func TestSeal_ManyUsers_SplitsBatches(t *testing.T) {
	m := open(t, t.TempDir(), new(bytes.Buffer))
	const users = 2*api.MaxRows + 5
	for id := int64(1); id <= users; id++ {
		m.Counter(id).Up(id)
	}
	seal(t, m)
	sizes, sums := drain(t, m)
	if len(sizes) != 3 || sizes[0] != api.MaxRows || sizes[2] != 5 {
		t.Errorf("batches of %v rows", sizes)
	}
	for id := int64(1); id <= users; id++ {
		if sums[id] != id {
			t.Fatalf("user %d: %d reported of %d", id, sums[id], id)
		}
	}
	seal(t, m)
	if sizes, _ := drain(t, m); len(sizes) != 0 {
		t.Errorf("with nothing new, batches of %v rows", sizes)
	}
}

func TestSeal_WhileCounting_LosesNothing(t *testing.T) {
	m := open(t, t.TempDir(), new(bytes.Buffer))
	const each, counters = 20_000, 4
	var group sync.WaitGroup
	for range counters {
		group.Go(func() {
			for range each {
				m.Counter(1).Down(1)
			}
		})
	}
	for range 20 {
		seal(t, m)
	}
	group.Wait()
	seal(t, m)
	if _, sums := drain(t, m); sums[1] != each*counters {
		t.Errorf("%d reported of %d", sums[1], each*counters)
	}
}

func TestSentPosition_GrowsWhenBatchIsSent(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, new(bytes.Buffer))
	m.Counter(1).Up(100)
	seal(t, m)
	m.Counter(1).Up(10)
	if known := m.SentPosition(1); known != 0 {
		t.Errorf("before anything has left, the server may know of %d bytes", known)
	}
	b, err := m.Next()
	if err != nil {
		t.Fatal(err)
	}
	m.MarkSent(b)
	m.MarkSent(b) // Sent again.
	if known := m.SentPosition(1); known != 100 {
		t.Errorf("when 100 of 110 bytes have left, the server may know of %d", known)
	}
	// After a restart nothing records what was sent, so each batch in the spool may have been answered.
	m.Close()
	if known := open(t, dir, new(bytes.Buffer)).SentPosition(1); known != 100 {
		t.Errorf("after a restart with 100 bytes in the spool, the server may know of %d", known)
	}
}

func TestSeal_SpoolNotWritable_LosesNothing(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, new(bytes.Buffer))
	m.Counter(1).Up(5)
	m.Hit(1, 2)
	spool := filepath.Join(dir, "spool")
	if err := errors.Join(os.Rename(spool, spool+".away"), os.WriteFile(spool, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := m.Seal(); err == nil {
		t.Fatal("sealing into a file gave no error")
	}
	m.Counter(1).Up(6)
	if err := os.Remove(spool); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(spool+".away", spool); err != nil {
		t.Fatal(err)
	}
	seal(t, m)
	b, err := m.Next()
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Report.Rows) != 1 || b.Report.Rows[0].Up != 11 || len(b.Report.Hits) != 1 || b.Report.Hits[0].Count != 1 {
		t.Errorf("reported %+v", b.Report)
	}
}

func TestSeal_ServerAway_SpoolIsBounded(t *testing.T) {
	m := open(t, t.TempDir(), new(bytes.Buffer))
	refused := 0
	for range 100 {
		m.Counter(1).Up(1)
		if m.Seal() == meter.ErrNotSealed {
			refused++
		}
	}
	sizes, before := drain(t, m)
	seal(t, m)
	_, after := drain(t, m)
	if len(sizes)+refused != 100 || refused == 0 || before[1]+after[1] != 100 {
		t.Errorf("%d batches, %d times not sealed, %d bytes reported of 100", len(sizes), refused, before[1]+after[1])
	}
}

func TestOpen_UnreadableFiles_AreSetAside(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	first := open(t, dir, &log)
	first.Counter(1).Up(7)
	seal(t, first)
	first.Close()
	if err := os.WriteFile(filepath.Join(dir, "counters"), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "spool", "00000000000000000001.batch"), []byte("[]\n{"),
		0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, dir, &log)
	if m.Boot() == first.Boot() {
		t.Error("two starts have the same name")
	}
	if _, sums := drain(t, m); sums[1] != 7 {
		t.Errorf("of the readable batch %d bytes were reported, of 7", sums[1])
	}
	m.Counter(1).Up(3)
	seal(t, m)
	if _, sums := drain(t, m); sums[1] != 3 {
		t.Errorf("%d reported of 3 new bytes", sums[1])
	}
	for _, said := range []string{"counters file was not readable", "spooled batch is not readable"} {
		if !strings.Contains(log.String(), said) {
			t.Errorf("the log does not say that the %s:\n%s", said, log.String())
		}
	}
}
