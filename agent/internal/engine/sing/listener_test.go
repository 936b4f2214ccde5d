package sing_test

import (
	"strings"
	"testing"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestAnotherListenerOfAnyTLSLeavesConnections(t *testing.T) {
	echo := EchoServer(t)
	s := setups(t)[2]
	station := newStation(t)
	station.Serve(s.node, User(1), User(2))
	first := s.client(t, User(1), here).Dial(echo)
	mustExchange(t, first, 5000)

	moved := s
	moved.node.Port = FreePort(t)
	padded := moved
	padded.node.Settings.Padding = []string{"stop=3", "0=10-20"} // at the same port
	for _, next := range []setup{moved, padded} {
		if err := station.Engine.Configure(next.node, []api.User{User(1), User(2)}); err != nil {
			t.Fatal(err)
		}
		mustExchange(t, first, 5000)
		mustExchange(t, next.client(t, User(2), here).Dial(echo), 5000)
	}
	if !Refused(s.client(t, User(2), here).Dial(echo)) {
		t.Error("the old port lets users in")
	}

	station.Gate.Remove(1)
	if err := station.Engine.Remove([]int64{1}); err != nil {
		t.Fatal(err)
	}
	if !cut(first) {
		t.Error("a user who is removed stays on the old port")
	}
	second := padded.client(t, User(2), here).Dial(echo)
	mustExchange(t, second, 5000)
	if err := station.Engine.Close(); err != nil {
		t.Fatal(err)
	}
	if !cut(second) {
		t.Error("a connection outlives the engine")
	}
}

// Nodes listen at 0.0.0.0 unless they are told otherwise, and that leaves out no machine that has IPv6 alone.
func TestANodeAtAllAddressesIsReachedByIPv6(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		s.node.Listen = "0.0.0.0"
		newStation(t).Serve(s.node, User(1))
		mustExchange(t, s.client(t, User(1), "::1").Dial(echo), 1000)
	})
}

func TestANodeStaysAtItsPortWhileTheNextIsTaken(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		station := newStation(t)
		station.Serve(s.node, User(1))
		moved := s.node
		moved.Port = TakenPort(t, s.node)
		if err := station.Engine.Configure(moved, []api.User{User(1)}); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("the port of somebody else: %v", err)
		}
		mustExchange(t, s.client(t, User(1), here).Dial(echo), 1000)
	})
}
