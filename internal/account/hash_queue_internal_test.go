package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// busy gives a hasher of one slot that is at work until the test calls the function that comes with it.
func busy(t *testing.T) (*hasher, func()) {
	t.Helper()
	h := newHasher(presentArgon2)
	h.slots, h.maxCalls, h.maxWait = 1, 64, time.Hour
	atWork, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- h.do(context.Background(), share{}, func() { close(atWork); <-release })
	}()
	<-atWork
	return h, func() {
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// wait lets a call wait, and gives its answer.
func (h *hasher) wait(ctx context.Context, s share, done func()) <-chan error {
	before := h.count()
	answer := make(chan error, 1)
	go func() { answer <- h.do(ctx, s, done) }()
	for h.count() == before && len(answer) == 0 {
		time.Sleep(time.Millisecond)
	}
	return answer
}

func (h *hasher) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waiting
}

func TestHasher_BoundsAnAccountANetworkAndAll(t *testing.T) {
	h, release := busy(t)
	var waiting []<-chan error
	enter := func(s share, want int) {
		t.Helper()
		for i := 0; ; i++ {
			answer := h.wait(t.Context(), s, func() {})
			select {
			case err := <-answer:
				if !errors.Is(err, ErrBusy) || i != want {
					t.Fatalf("%+v: place %d of %d: %v", s, i, want, err)
				}
				return
			default:
				waiting = append(waiting, answer)
			}
			if want > maxCallsPerAccount { // of many accounts
				s.account += "x"
			}
		}
	}
	enter(share{"a@example.com", "192.0.2.0/24"}, maxCallsPerAccount)
	enter(share{"b", "192.0.2.0/24"}, 32-maxCallsPerAccount)
	enter(share{"c", "198.51.100.0/24"}, 31) // what is left of all places
	release()
	for _, answer := range waiting {
		if err := <-answer; err != nil {
			t.Error(err)
		}
	}
	if h.working != 0 || h.waiting != 0 || len(h.byAccount)+len(h.byNetwork)+len(h.queues)+len(h.networks) != 0 {
		t.Errorf("something is left: %+v", h)
	}
}

func TestHasher_LetsNetworksTakeTurns(t *testing.T) {
	h, release := busy(t)
	var order []string // written by one slot, one after another
	var waiting []<-chan error
	for i := range 3 {
		waiting = append(waiting, h.wait(t.Context(), share{fmt.Sprint(i), "flood"},
			func() { order = append(order, "flood") }))
	}
	waiting = append(waiting, h.wait(t.Context(), share{"other", "other"}, func() { order = append(order, "other") }))
	release()
	for _, answer := range waiting {
		if err := <-answer; err != nil {
			t.Error(err)
		}
	}
	if got := fmt.Sprint(order); got != "[flood other flood flood]" {
		t.Errorf("worked in the order %s", got)
	}
}

func TestHasher_ForgetsWhoGoesAwayOrWaitsTooLong(t *testing.T) {
	h, release := busy(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := h.wait(ctx, share{"a", "n"}, func() { t.Error("it ran") })
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	h.maxWait = 0
	if err := h.do(t.Context(), share{"b", "n"}, func() { t.Error("it ran") }); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	release()
	if h.waiting != 0 || len(h.byAccount)+len(h.byNetwork)+len(h.queues)+len(h.networks) != 0 {
		t.Errorf("something is left: %+v", h)
	}
	h.maxWait = time.Hour
	if err := h.do(t.Context(), share{"a", "n"}, func() {}); err != nil {
		t.Error(err)
	}
}

func TestNeighbourhood(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.77": "192.0.2.0/24", "2001:db8:1:2:3::4": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64",
	} {
		if got := hashNetwork(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s is of %s, want %s", ip, got, want)
		}
	}
}
