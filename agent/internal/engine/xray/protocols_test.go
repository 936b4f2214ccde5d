package xray_test

import (
	"net"
	"testing"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestProtocols_CarryAndCountExactly(t *testing.T) {
	echo := EchoServer(t)
	eachExchange(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(7), User(8))
		testNode.CheckCounting(func(u api.User) net.Conn { return NewClient(t, s.Client(u)).Dial(echo) })
		if counted := testNode.Counted(); len(counted) > 0 {
			t.Errorf("an unknown user was counted: %v", counted)
		}
	})
}
