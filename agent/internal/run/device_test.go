package run_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// clientFrom returns a client of the user with an address of its own.
func (e *testEnv) clientFrom(u api.User, address string) *Client {
	outbound := e.setup.Client(u)
	outbound["sendThrough"] = address
	return NewClient(e.t, outbound)
}

func limited(devices int) api.User {
	u := User(1)
	u.DeviceLimit = Ptr(devices)
	return u
}

func TestDevices_NewAddress_WaitsForServer(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, limited(2), User(2))
	e.set(func() {
		e.admit = func(d api.Device) api.Admission { return api.Admission{Admitted: d.IP != "127.0.0.13"} }
	})
	e.start()
	client := e.clientFrom(limited(2), "127.0.0.11")
	for range 3 {
		e.mustExchange(client.Dial(e.echo), 1000)
	}
	if n := e.deviceRequestCount("127.0.0.11"); n != 1 {
		t.Errorf("the server was asked %d times for one address", n)
	}
	refused, began := e.clientFrom(limited(2), "127.0.0.13"), time.Now()
	for range 3 {
		if !Refused(refused.Dial(e.echo)) {
			t.Error("an address was let in that the server refuses")
		}
	}
	// A refusal is remembered for 2 s.
	if n := e.deviceRequestCount("127.0.0.13"); n < 1 || n > 1+int(time.Since(began)/(2*time.Second)) {
		t.Errorf("the server was asked %d times for an address that it refuses", n)
	}
	e.mustExchange(e.clientFrom(User(2), "127.0.0.14").Dial(e.echo), 1000)
	if n := e.deviceRequestCount("127.0.0.14"); n != 0 {
		t.Error("the server was asked about a user without a limit")
	}
}

func TestDevices_LostSlot_IsCutBeforeServerIsNotified(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, limited(1))
	e.start()
	old := e.clientFrom(limited(1), "127.0.0.21")
	conn := old.Dial(e.echo)
	e.mustExchange(conn, 1000)

	// To make room on this node.
	e.set(func() {
		e.admit = func(d api.Device) api.Admission {
			if slices.Contains(d.Gone, "127.0.0.21") {
				return api.Admission{Admitted: true}
			}
			return api.Admission{Drop: []string{"127.0.0.21"}}
		}
	})
	fresh := e.clientFrom(limited(1), "127.0.0.22").Dial(e.echo)
	e.mustExchange(fresh, 1000)
	if _, err := Exchange(conn, 1000); err == nil {
		t.Error("the older address was not cut")
	}

	// To make room on another node.
	e.set(func() { e.admit = nil })
	e.publish(api.Change{Drop: []api.Drop{{UserID: 1, IPs: []string{"127.0.0.22"}}}})
	eventually(t, 2*time.Second, "the cut is confirmed to the server", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.ContainsFunc(e.deviceRequests,
			func(d api.Device) bool { return d.IP == "" && slices.Equal(d.Gone, []string{"127.0.0.22"}) })
	})
	if _, err := Exchange(fresh, 1000); err == nil {
		t.Error("the address is gone and goes on")
	}
}

func TestDevices_ServerAway_LimitHoldsOnNode(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, limited(2))
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/devices") {
			writeError(rw, 503, "away")
			return true
		}
		return false
	})
	e.start()
	for _, address := range []string{"127.0.0.31", "127.0.0.32"} {
		e.mustExchange(e.clientFrom(limited(2), address).Dial(e.echo), 1000)
	}
	if !Refused(e.clientFrom(limited(2), "127.0.0.33").Dial(e.echo)) {
		t.Error("a third address was let in")
	}
}
