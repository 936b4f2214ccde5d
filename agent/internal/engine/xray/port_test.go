package xray_test

import (
	"strings"
	"testing"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// xray shares a port with any process that permits it, such as another xray of the same user. Each would receive a part
// of the clients.
func TestListen_PortOfOtherNode_IsRefused(t *testing.T) {
	eachExchange(t, func(t *testing.T, s Setup) {
		first, second := newTestNode(t), newTestNode(t)
		first.Serve(s.Node, User(1))
		echo := EchoServer(t)
		if s.Node.Settings.Transport == "grpc" { // It opens the port a moment later.
			MustExchange(t, NewClient(t, s.Client(User(1))).Dial(echo), 1000)
		}
		if err := second.Engine.Configure(s.Node, nil); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("the port of another node: %v", err)
		}
		if err := first.Engine.Close(); err != nil {
			t.Fatal(err)
		}
		second.Serve(s.Node, User(1))
		MustExchange(t, NewClient(t, s.Client(User(1))).Dial(echo), 1000) // The port is free.
	})
}

func TestConfigure_NewPortTaken_KeepsOldPort(t *testing.T) {
	echo := EchoServer(t)
	eachExchange(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(1))
		moved := s.Node
		moved.Port = TakenPort(t, s.Node)
		if err := testNode.Engine.Configure(moved, []api.User{User(1)}); err == nil ||
			!strings.Contains(err.Error(), "in use") {
			t.Errorf("the port of somebody else: %v", err)
		}
		MustExchange(t, NewClient(t, s.Client(User(1))).Dial(echo), 1000)
	})
}
