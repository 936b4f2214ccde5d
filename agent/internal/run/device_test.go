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

// from is a client of the user's at an address of its own.
func (w *world) from(u api.User, address string) *Client {
	outbound := w.setup.Client(u)
	outbound["sendThrough"] = address
	return NewClient(w.t, outbound)
}

func limited(devices int) api.User {
	u := User(1)
	u.DeviceLimit = Ptr(devices)
	return u
}

func TestANewAddressIsLetInWhenTheServerSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited(2), User(2))
	w.admit = func(d api.Device) api.Admission { return api.Admission{Admitted: d.IP != "127.0.0.13"} }
	w.start()
	client := w.from(limited(2), "127.0.0.11")
	for range 3 {
		w.mustExchange(client.Dial(w.echo), 1000)
	}
	if n := w.questions("127.0.0.11"); n != 1 {
		t.Errorf("the server was asked %d times for one address", n)
	}
	refused, began := w.from(limited(2), "127.0.0.13"), time.Now()
	for range 3 {
		if !Refused(refused.Dial(w.echo)) {
			t.Error("an address was let in that the server refuses")
		}
	}
	if n := w.questions("127.0.0.13"); n < 1 || n > 1+int(time.Since(began)/(2*time.Second)) { // a no stands for 2 s
		t.Errorf("the server was asked %d times for an address that it refuses", n)
	}
	w.mustExchange(w.from(User(2), "127.0.0.14").Dial(w.echo), 1000)
	if n := w.questions("127.0.0.14"); n != 0 {
		t.Error("the server was asked about a user without a limit")
	}
}

func TestAnAddressThatLosesItsPlaceIsCutBeforeAnyoneIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited(1))
	w.start()
	old := w.from(limited(1), "127.0.0.21")
	conn := old.Dial(w.echo)
	w.mustExchange(conn, 1000)

	// To make way on this node.
	w.set(func() {
		w.admit = func(d api.Device) api.Admission {
			if slices.Contains(d.Gone, "127.0.0.21") {
				return api.Admission{Admitted: true}
			}
			return api.Admission{Drop: []string{"127.0.0.21"}}
		}
	})
	fresh := w.from(limited(1), "127.0.0.22").Dial(w.echo)
	w.mustExchange(fresh, 1000)
	if _, err := Exchange(conn, 1000); err == nil {
		t.Error("the older address was not cut")
	}

	// To make way on another node.
	w.set(func() { w.admit = nil })
	w.publish(api.Change{Drop: []api.Drop{{UserID: 1, IPs: []string{"127.0.0.22"}}}})
	eventually(t, 2*time.Second, "the server is told that the address is gone", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return slices.ContainsFunc(w.asked, func(d api.Device) bool { return d.IP == "" && slices.Equal(d.Gone, []string{"127.0.0.22"}) })
	})
	if _, err := Exchange(fresh, 1000); err == nil {
		t.Error("the address is gone and goes on")
	}
}

func TestWhileTheServerIsAwayTheLimitHoldsOnTheNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited(2))
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/devices") {
			failure(rw, 503, "away")
			return true
		}
		return false
	}
	w.start()
	for _, address := range []string{"127.0.0.31", "127.0.0.32"} {
		w.mustExchange(w.from(limited(2), address).Dial(w.echo), 1000)
	}
	if !Refused(w.from(limited(2), "127.0.0.33").Dial(w.echo)) {
		t.Error("a third address was let in")
	}
}
