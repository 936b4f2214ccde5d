package xray_test

import (
	"testing"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

func TestProtocols_CarryAndCountExactly(t *testing.T) {
	echo := EchoServer(t)
	eachExchange(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(7), User(8))
		const size = 300_000
		for _, id := range []int64{7, 8} {
			conn := NewClient(t, s.Client(User(id))).Dial(echo)
			MustExchange(t, conn, size)
			conn.Close()
		}
		counted := testNode.Counted()
		for _, id := range []int64{7, 8} {
			if want := (api.Row{UserID: id, Up: size, Down: size}); counted[id] != want {
				t.Errorf("counted %+v, moved %+v", counted[id], want)
			}
		}
		if unknown := NewClient(t, s.Client(User(9))).Dial(echo); !Refused(unknown) {
			t.Error("a user who is not on the list was let through")
		}
		if counted := testNode.Counted(); len(counted) > 0 {
			t.Errorf("an unknown user was counted: %v", counted)
		}
	})
}
