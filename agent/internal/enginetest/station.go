// Package enginetest is a node without a server, for the tests of engines.
package enginetest

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/meter"
)

// Station is a node under test with the doors that the agent has to it.
type Station struct {
	t      *testing.T
	Meter  *meter.Meter
	Gate   *gate.Gate
	Engine engine.Engine
	// Exhausted gets the users that have used up what remained.
	Exhausted chan int64
}

// New makes a station with the engine that start gives.
func New(t *testing.T, start func(*gate.Gate, *slog.Logger) (engine.Engine, error)) *Station {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	m, err := meter.Open(t.TempDir(), func(int64) bool { return false }, log)
	if err != nil {
		t.Fatal(err)
	}
	s := &Station{t: t, Meter: m, Exhausted: make(chan int64, 10)}
	s.Gate = gate.New(m, func(id int64) { s.Exhausted <- id }, noServer, log)
	if s.Engine, err = start(s.Gate, log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Engine.Close(); m.Close() })
	return s
}

func noServer(context.Context, int64, netip.Addr) (bool, error) {
	return false, errors.New("no server")
}

// Serve puts the users on both lists, as the agent does for a snapshot.
func (s *Station) Serve(node api.Node, users ...api.User) {
	s.t.Helper()
	s.Gate.SetNode(node)
	for _, u := range users {
		s.Gate.Put(u)
	}
	if err := s.Engine.Configure(node, users); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		for _, u := range users {
			s.Gate.Remove(u.ID)
		}
	})
}

// Counted waits until a user's counters stand still and answers them, through a report.
func (s *Station) Counted() map[int64]api.Row {
	s.t.Helper()
	for before := int64(-1); ; time.Sleep(100 * time.Millisecond) {
		up, down := s.Meter.Totals()
		if up+down == before {
			break
		}
		before = up + down
	}
	if err := s.Meter.Seal(); err != nil {
		s.t.Fatal(err)
	}
	rows := map[int64]api.Row{}
	for {
		batch, err := s.Meter.Next()
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
		s.Meter.Leaving(batch)
		if err := s.Meter.Counted(batch); err != nil {
			s.t.Fatal(err)
		}
	}
}
