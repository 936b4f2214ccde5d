package xray_test

import (
	"testing"

	"airstrip/agent/internal/api"
)

func TestEveryProtocolCarriesAndCountsExactly(t *testing.T) {
	echo := echoServer(t)
	for _, s := range setups(t) {
		t.Run(s.name, func(t *testing.T) {
			station := newStation(t)
			station.serve(s.node, user(7), user(8))
			const size = 300_000
			for _, id := range []int64{7, 8} {
				conn := newClient(t, s.client(user(id))).dial(echo)
				if n, err := exchange(conn, size); err != nil {
					t.Fatalf("user %d: %d bytes came back: %v", id, n, err)
				}
				conn.Close()
			}
			counted := station.counted()
			for _, id := range []int64{7, 8} {
				if want := (api.Row{UserID: id, Up: size, Down: size}); counted[id] != want {
					t.Errorf("counted %+v, moved %+v", counted[id], want)
				}
			}
			if stranger := newClient(t, s.client(user(9))).dial(echo); !refused(stranger) {
				t.Error("a user who is not on the list was let through")
			}
			if counted := station.counted(); len(counted) > 0 {
				t.Errorf("a stranger was counted: %v", counted)
			}
		})
	}
}
