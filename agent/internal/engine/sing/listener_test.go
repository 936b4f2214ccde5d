package sing_test

import (
	"strings"
	"testing"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestAnyTLS_NewListener_KeepsConnections(t *testing.T) {
	echo := EchoServer(t)
	s := setups(t)[2]
	testNode := newTestNode(t)
	testNode.Serve(s.node, User(1), User(2))
	first := s.client(t, User(1), here).Dial(echo)
	MustExchange(t, first, 5000)

	moved := s
	moved.node.Port = FreePort(t)
	padded := moved
	padded.node.Settings.Padding = []string{"stop=3", "0=10-20"} // On the same port.
	for _, next := range []setup{moved, padded} {
		if err := testNode.Engine.Configure(next.node, []api.User{User(1), User(2)}); err != nil {
			t.Fatal(err)
		}
		MustExchange(t, first, 5000)
		MustExchange(t, next.client(t, User(2), here).Dial(echo), 5000)
	}
	if !Refused(s.client(t, User(2), here).Dial(echo)) {
		t.Error("the old port lets users in")
	}

	testNode.Gate.Remove(1)
	if err := testNode.Engine.Remove([]int64{1}); err != nil {
		t.Fatal(err)
	}
	if !isCut(first) {
		t.Error("a user who is removed stays on the old port")
	}
	second := padded.client(t, User(2), here).Dial(echo)
	MustExchange(t, second, 5000)
	if err := testNode.Engine.Close(); err != nil {
		t.Fatal(err)
	}
	if !isCut(second) {
		t.Error("a connection outlives the engine")
	}
}

// Nodes listen at 0.0.0.0 by default, which includes machines that have only IPv6.
func TestListen_AllAddresses_IncludesIPv6(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		s.node.Listen = "0.0.0.0"
		newTestNode(t).Serve(s.node, User(1))
		MustExchange(t, s.client(t, User(1), "::1").Dial(echo), 1000)
	})
}

func TestConfigure_NewPortTaken_KeepsOldPort(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(1))
		moved := s.node
		moved.Port = TakenPort(t, s.node)
		if err := testNode.Engine.Configure(moved, []api.User{User(1)}); err == nil ||
			!strings.Contains(err.Error(), "in use") {
			t.Errorf("the port of somebody else: %v", err)
		}
		MustExchange(t, s.client(t, User(1), here).Dial(echo), 1000)
	})
}
