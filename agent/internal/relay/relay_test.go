package relay_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/relay"
	"airstrip/agent/internal/xraytest"
)

func newRelay(t *testing.T) (*relay.Relay, *blocker) {
	b := new(blocker)
	r := relay.New(b.isBlocked, slog.New(slog.NewTextHandler(t.Output(), nil)))
	t.Cleanup(r.Close)
	return r, b
}

// blocker blocks all loopback addresses while on, and counts the connections and flows that it has refused.
type blocker struct {
	on      atomic.Bool
	refused atomic.Int64
}

func (b *blocker) isBlocked(source netip.Addr) bool {
	if !b.on.Load() || !source.IsLoopback() {
		return false
	}
	b.refused.Add(1)
	return true
}

func set(t *testing.T, r *relay.Relay, forwards ...api.Forward) {
	t.Helper()
	if err := r.Set("127.0.0.1", forwards); err != nil {
		t.Fatal(err)
	}
}

func dial(t *testing.T, network string, f api.Forward) net.Conn {
	t.Helper()
	conn, err := net.Dial(network, fmt.Sprintf("127.0.0.1:%d", f.Port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// echoes reports whether a message returns.
func echoes(conn net.Conn, word string) bool {
	if _, err := conn.Write([]byte(word)); err != nil {
		return false
	}
	got := make([]byte, len(word))
	_, err := io.ReadFull(conn, got)
	return err == nil && string(got) == word
}

// isClosed reports whether the other side ends a connection without sending anything.
func isClosed(conn net.Conn) bool {
	_, err := conn.Read(make([]byte, 1))
	return err != nil && !strings.Contains(err.Error(), "timeout")
}

// namedServer sends its name to every client and then echoes.
func namedServer(t *testing.T, name string) string {
	return xraytest.Server(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, name)
		_, _ = io.Copy(conn, conn)
	})
}

func readGreeting(t *testing.T, conn net.Conn) string {
	t.Helper()
	b := make([]byte, 1)
	if _, err := io.ReadFull(conn, b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSet_OneForwardChanges_OthersStayConnected(t *testing.T) {
	r, _ := newRelay(t)
	stays := api.Forward{Port: xraytest.FreePort(t), Target: namedServer(t, "A"), TCP: true}
	moves := api.Forward{Port: xraytest.FreePort(t), Target: namedServer(t, "B"), TCP: true}
	set(t, r, stays, moves)
	here, there := dial(t, "tcp", stays), dial(t, "tcp", moves)
	if a, b := readGreeting(t, here), readGreeting(t, there); a != "A" || b != "B" {
		t.Fatal(a, b)
	}
	moves.Target = namedServer(t, "C")
	set(t, r, stays, moves)
	if !isClosed(there) {
		t.Error("a connection to the former target goes on")
	}
	if got := readGreeting(t, dial(t, "tcp", moves)); got != "C" {
		t.Errorf("a new connection came to %s", got)
	}
	if !echoes(here, "still here") {
		t.Error("a connection that the change is not about was cut")
	}
	set(t, r, stays)
	if _, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", moves.Port)); err == nil {
		t.Error("a port that is no relay's any more still answers")
	}
	if !echoes(here, "still here") {
		t.Error("a connection that the end of another relay is not about was cut")
	}
}

func TestSet_PortTaken_IsRetriedWhileOthersServe(t *testing.T) {
	r, _ := newRelay(t)
	late := api.Forward{Port: xraytest.FreePort(t), Target: namedServer(t, "A"), TCP: true}
	taken, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", late.Port))
	if err != nil {
		t.Fatal(err)
	}
	other := api.Forward{Port: xraytest.FreePort(t), Target: namedServer(t, "B"), TCP: true}
	if err := r.Set("127.0.0.1", []api.Forward{late, other}); err == nil ||
		!strings.Contains(err.Error(), late.Target) {
		t.Fatalf("a port in use: %v", err)
	}
	conn := dial(t, "tcp", other)
	readGreeting(t, conn)
	taken.Close()
	set(t, r, late, other)
	if got := readGreeting(t, dial(t, "tcp", late)); got != "A" || !echoes(conn, "still here") {
		t.Errorf("it came to %s", got)
	}
}

func TestTCP_DirectionsEndIndependently(t *testing.T) {
	r, _ := newRelay(t)
	f := api.Forward{Port: xraytest.FreePort(t), Target: xraytest.EchoServer(t), TCP: true}
	set(t, r, f)
	conn := dial(t, "tcp", f).(*net.TCPConn)
	word := strings.Repeat("a long word ", 100_000)
	go func() { io.WriteString(conn, word); conn.CloseWrite() }()
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != word {
		t.Errorf("%d bytes of %d came back: %v", len(got), len(word), err)
	}
}

func TestUDP_AnswersReachTheirClients(t *testing.T) {
	r, _ := newRelay(t)
	f := api.Forward{Port: xraytest.FreePort(t), Target: xraytest.UDPEchoServer(t), UDP: true}
	set(t, r, f)
	var clients []net.Conn
	for i := range 5 {
		clients = append(clients, dial(t, "udp", f))
		if word := fmt.Sprint("hello from ", i); !echoes(clients[i], word) {
			t.Errorf("%q did not come back", word)
		}
	}
	large := make([]byte, 9000)
	for i, c := range clients {
		large[0] = byte(i)
		if !echoes(c, string(large)) {
			t.Errorf("client %d did not get its packet", i)
		}
	}
	if _, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", f.Port)); err == nil {
		t.Error("the port of a relay for packets takes connections")
	}
}

func TestBlockedAddress_IsRefused(t *testing.T) {
	r, blocker := newRelay(t)
	tcp := api.Forward{Port: xraytest.FreePort(t), Target: xraytest.EchoServer(t), TCP: true}
	udp := api.Forward{Port: xraytest.FreePort(t), Target: xraytest.UDPEchoServer(t), UDP: true}
	set(t, r, tcp, udp)
	blocker.on.Store(true)
	if !isClosed(dial(t, "tcp", tcp)) {
		t.Error("a connection is let in")
	}
	packets := dial(t, "udp", udp)
	if _, err := packets.Write([]byte("blocked")); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); blocker.refused.Load() < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a packet is let in")
		}
	}
	blocker.on.Store(false)
	if !echoes(dial(t, "tcp", tcp), "hello") || !echoes(packets, "hello") {
		t.Error("after that nobody is let in")
	}
}

func TestLimiter_OneAddress_CannotUseAllConnections(t *testing.T) {
	r, _ := newRelay(t)
	f := api.Forward{Port: xraytest.FreePort(t), Target: xraytest.EchoServer(t), TCP: true}
	set(t, r, f)
	var conns []net.Conn
	for range 1000 {
		conns = append(conns, dial(t, "tcp", f))
	}
	if !echoes(conns[999], "hello") {
		t.Fatal("the 1000th connection of an address was refused")
	}
	if !isClosed(dial(t, "tcp", f)) {
		t.Error("an address has more than 1000 connections")
	}
	for _, c := range conns[:10] {
		c.Close()
	}
	for deadline := time.Now().Add(time.Minute); r.OpenCount() > 990 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	if !echoes(dial(t, "tcp", f), "hello") {
		t.Error("after some have ended the address has no place")
	}
}

func TestDrain_OpenConnectionsContinue_NewOnesAreRefused(t *testing.T) {
	r, _ := newRelay(t)
	f := api.Forward{Port: xraytest.FreePort(t), Target: xraytest.EchoServer(t), TCP: true}
	set(t, r, f)
	conn := dial(t, "tcp", f)
	if !echoes(conn, "hello") {
		t.Fatal("nothing came back")
	}
	r.Drain()
	if _, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", f.Port)); err == nil {
		t.Error("somebody is let in")
	}
	if r.OpenCount() != 1 || !echoes(conn, "hello again") {
		t.Error("the open connection was cut")
	}
	conn.Close()
	for deadline := time.Now().Add(time.Minute); r.OpenCount() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the connection has not ended")
		}
	}
}
