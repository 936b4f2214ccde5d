// Package enginetest runs an engine without a server, for the tests of engines. A Node connects the engine to a gate
// and a meter as the agent does. It also holds the tests that every engine must pass, such as rules about hosts and
// speed limits.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/meter"
	"airstrip/agent/internal/xraytest"
)

// Node is a node under test with the parts through which the agent controls it.
type Node struct {
	t      testing.TB
	Meter  *meter.Meter
	Gate   *gate.Gate
	Engine engine.Engine
	// Exhausted receives the users who have used up their quota.
	Exhausted chan int64
}

// New returns a node with the engine that start returns.
func New(t testing.TB, start func(*gate.Gate, *slog.Logger) (engine.Engine, error)) *Node {
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	m, err := meter.Open(t.TempDir(), func(int64) bool { return false }, log)
	if err != nil {
		t.Fatal(err)
	}
	s := &Node{t: t, Meter: m, Exhausted: make(chan int64, 10)}
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

// Serve passes the users to the gate and the engine, as the agent does for a snapshot.
func (s *Node) Serve(node api.Node, users ...api.User) {
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

// Counted waits until the counters are stable, then seals them and returns the rows by user.
func (s *Node) Counted() map[int64]api.Row {
	s.t.Helper()
	for before := int64(-1); ; time.Sleep(100 * time.Millisecond) {
		up, down := s.Meter.Totals()
		if up+down == before {
			break
		}
		before = up + down
	}
	rows := map[int64]api.Row{}
	for _, report := range s.reports() {
		for _, r := range report.Rows {
			sum := rows[r.UserID]
			rows[r.UserID] = api.Row{UserID: r.UserID, Up: sum.Up + r.Up, Down: sum.Down + r.Down}
		}
	}
	return rows
}

// AwaitHits waits until a rule has stopped somebody, and returns how often since the last report.
func (s *Node) AwaitHits(rule int64) (hits int64) {
	s.t.Helper()
	s.Await(fmt.Sprintf("rule %d stops somebody", rule), func() bool {
		hits += s.Hits()[rule]
		return hits > 0
	})
	return hits
}

// AwaitUp waits until so many bytes from users are counted.
func (s *Node) AwaitUp(bytes int64) {
	s.t.Helper()
	s.Await(fmt.Sprintf("%d bytes from users are counted", bytes), func() bool {
		up, _ := s.Meter.Totals()
		return up >= bytes
	})
}

// Await waits until a condition is true.
func (s *Node) Await(what string, condition func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("within a minute it is not so that %s", what)
		}
	}
}

// Hits returns how often each rule has stopped anyone since the last report.
func (s *Node) Hits() map[int64]int64 {
	s.t.Helper()
	hits := map[int64]int64{}
	for _, report := range s.reports() {
		for _, h := range report.Hits {
			hits[h.RuleID] += h.Count
		}
	}
	return hits
}

// reports removes and returns everything that there is to report.
func (s *Node) reports() (reports []api.Report) {
	s.t.Helper()
	if err := s.Meter.Seal(); err != nil {
		s.t.Fatal(err)
	}
	for {
		batch, err := s.Meter.Next()
		if err != nil {
			s.t.Fatal(err)
		}
		if batch == nil {
			return reports
		}
		reports = append(reports, batch.Report)
		s.Meter.MarkSent(batch)
		if err := s.Meter.Complete(batch); err != nil {
			s.t.Fatal(err)
		}
	}
}

// CheckHostRule tests that a rule about a host applies to everyone who connects to it: by its name, and by an address
// with the name inside the connection. dial opens a connection through the node.
func (s *Node) CheckHostRule(echo string, dial func(target string) net.Conn) {
	s.t.Helper()
	s.Gate.SetRules([]api.Rule{{ID: 70, Pattern: `(^|\.)blocked\.test:\d+$`}})
	if answeredWithin(10*time.Second, dial("www.blocked.test:443"), []byte("anyone there?")) {
		s.t.Error("a forbidden host was connected to by its name")
	}
	for what, hello := range map[string][]byte{
		"TLS":  xraytest.ClientHello(s.t, "www.blocked.test"),
		"HTTP": []byte("GET / HTTP/1.1\r\nHost: blocked.test\r\n\r\n"),
	} {
		if answeredWithin(10*time.Second, dial(echo), hello) {
			s.t.Errorf("%s to a forbidden host was let through by its address", what)
		}
	}
	for what, hello := range map[string][]byte{
		"TLS":  xraytest.ClientHello(s.t, "allowed.test"),
		"HTTP": []byte("GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n"), "anything": []byte("\x00hello"),
	} {
		if !answered(dial(echo), hello) {
			s.t.Errorf("%s to a host that no rule forbids was stopped", what)
		}
	}
	if hits := s.Hits(); hits[70] != 3 {
		s.t.Errorf("hits %v, want 3 of rule 70", hits)
	}
}

// CheckBlockedAddress tests that new connections from a blocked address are refused and open ones are cut.
func (s *Node) CheckBlockedAddress(echo string, dial func(target string) net.Conn) {
	s.t.Helper()
	open := dial(echo)
	if !answered(open, []byte("anyone there?")) {
		s.t.Fatal("nothing came back")
	}
	s.Gate.Block(map[netip.Addr]bool{netip.MustParseAddr("127.0.0.1"): true})
	if answeredWithin(time.Second, open, []byte("still there?")) { // Not every client notices that it was cut.
		s.t.Error("a connection from the blocked address goes on")
	}
	if answeredWithin(time.Second, dial(echo), []byte("anyone there?")) {
		s.t.Error("the blocked address is let in")
	}
	s.Gate.Block(nil)
	if !answered(dial(echo), []byte("anyone there?")) {
		s.t.Error("the address is not let in again")
	}
}

// CheckCounting holds what is counted of the users 7 and 8, whom the node serves, against what they exchange with an
// echo server through connections of dial. User 9 is let through by no node.
func (n *Node) CheckCounting(dial func(api.User) net.Conn) {
	n.t.Helper()
	const size = 300_000
	for _, id := range []int64{7, 8} {
		conn := dial(xraytest.User(id))
		xraytest.MustExchange(n.t, conn, size)
		conn.Close()
	}
	counted := n.Counted()
	for _, id := range []int64{7, 8} {
		if want := (api.Row{UserID: id, Up: size, Down: size}); counted[id] != want {
			n.t.Errorf("counted %+v, moved %+v", counted[id], want)
		}
	}
	if !xraytest.Refused(dial(xraytest.User(9))) {
		n.t.Error("a user who is not on the list was let through")
	}
}

// CheckSpeedLimit tests that a limited user transfers bytes at the limit, within a tenth. move transfers a number of
// bytes, both directions together. A busy machine is sometimes slower but never faster, so the best of several attempts
// counts.
func (s *Node) CheckSpeedLimit(what string, mbps float64, move func(bytes int) error) {
	s.t.Helper()
	second := int(mbps * 1e6 / 8)
	const due = 2250 * time.Millisecond // For the bytes of 2.5 s, of which a full bucket provides 0.25 s at once.
	err := move(second / 10)            // Afterwards the connection is open.
	var took []time.Duration
	for range 10 {
		time.Sleep(300 * time.Millisecond) // The bucket refills.
		began := time.Now()
		if err == nil {
			err = move(second * 5 / 2)
		}
		if err != nil {
			s.t.Errorf("%s: %v", what, err)
			return
		}
		passed := time.Since(began)
		took = append(took, passed)
		if passed < due*9/10 {
			break
		}
		if passed < due*11/10 {
			return
		}
	}
	s.t.Errorf("%s: what takes %s at the limit took %s", what, due, took)
}

// Stream returns a function that transfers bytes through a connection to an echo server.
func Stream(conn net.Conn) func(bytes int) error {
	return func(bytes int) error {
		_, err := xraytest.Exchange(conn, bytes/2)
		return err
	}
}

// Packets returns a function that transfers bytes through a UDP flow to an echo server, with a few packets in flight.
func Packets(flow net.PacketConn, to net.Addr) func(bytes int) error {
	const size, together = 1000, 8
	echoes := make(chan int, together)
	go func() {
		defer close(echoes)
		for b := make([]byte, 2*size); ; {
			n, _, err := flow.ReadFrom(b)
			if err != nil {
				return
			}
			echoes <- n
		}
	}()
	return func(bytes int) error {
		for sent, moved := 0, 0; moved < bytes; {
			for ; sent < together && moved+2*size*sent < bytes; sent++ {
				if _, err := flow.WriteTo(make([]byte, size), to); err != nil {
					return err
				}
			}
			select {
			case n, open := <-echoes:
				if !open || n != size {
					return fmt.Errorf("a packet of %d bytes came", n)
				}
				moved += 2 * size
				sent--
			case <-time.After(2 * time.Second):
				sent = 0 // The packets were lost.
			}
		}
		return nil
	}
}

// answered reports whether an echo server returns a message.
func answered(conn net.Conn, message []byte) bool {
	return answeredWithin(time.Minute, conn, message)
}

func answeredWithin(d time.Duration, conn net.Conn, message []byte) bool {
	defer time.AfterFunc(d, func() { conn.Close() }).Stop()
	if _, err := conn.Write(message); err != nil {
		return false
	}
	n, _ := io.ReadFull(conn, make([]byte, len(message)))
	return n == len(message)
}
