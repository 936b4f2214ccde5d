package xray_test

import (
	"log/slog"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine/xray"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/meter"
)

// station is a node under test with the doors that the agent has to it.
type station struct {
	t         *testing.T
	meter     *meter.Meter
	gate      *gate.Gate
	engine    *xray.Engine
	exhausted chan int64
}

func newStation(t *testing.T) *station {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	m, err := meter.Open(t.TempDir(), func(int64) bool { return false }, log)
	if err != nil {
		t.Fatal(err)
	}
	s := &station{t: t, meter: m, exhausted: make(chan int64, 10)}
	s.gate = gate.New(m, func(id int64) { s.exhausted <- id }, log)
	if s.engine, err = xray.New(s.gate, log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.engine.Close(); m.Close() })
	return s
}

// serve puts the users on both lists, as the agent does for a snapshot.
func (s *station) serve(node api.Node, users ...api.User) {
	s.t.Helper()
	s.gate.SetNode(node)
	for _, u := range users {
		s.gate.Put(u)
	}
	if err := s.engine.Configure(node, users); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		for _, u := range users {
			s.gate.Remove(u.ID)
		}
	})
}

// counted waits until a user's counters stand still and answers them, through a report.
func (s *station) counted() map[int64]api.Row {
	s.t.Helper()
	for before := int64(-1); ; time.Sleep(100 * time.Millisecond) {
		up, down := s.meter.Totals()
		if up+down == before {
			break
		}
		before = up + down
	}
	if err := s.meter.Seal(); err != nil {
		s.t.Fatal(err)
	}
	rows := map[int64]api.Row{}
	for {
		batch, err := s.meter.Next()
		if err != nil {
			s.t.Fatal(err)
		}
		if batch == nil {
			return rows
		}
		for _, r := range batch.Report.Rows {
			sum := rows[r.UserID]
			rows[r.UserID] = api.Row{UserID: r.UserID, Up: sum.Up + r.Up, Down: sum.Down + r.Down}
		}
		s.meter.Leaving(batch)
		if err := s.meter.Counted(batch); err != nil {
			s.t.Fatal(err)
		}
	}
}
