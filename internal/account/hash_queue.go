package account

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"time"
)

// share names for whom a password is hashed, so that no account and no network takes the places of all others. The zero
// share is the operator's, without a bound of its own.
type share struct {
	account string // e-mail address, with or without an account
	network string
}

func shareOf(email string, from Client) share { return share{email, neighbourhood(from.IP)} }

// neighbourhood is the network by which hashing is shared: of IPv4 the /24, of IPv6 the /64.
func neighbourhood(ip netip.Addr) string {
	bits := 64
	if ip.Is4() {
		bits = 24
	}
	prefix, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}

const (
	waitingPerSlot = 64              // about two seconds' work
	placesPerUser  = 4               // at work or waiting for one account
	longestWait    = 5 * time.Second // after which a call is sent away
)

// hasher hashes a few passwords at once, so that a flood of sign-ins takes neither all memory nor all cores. Calls wait in
// one queue for each network, and the networks take turns. The places of an account, of a network and of all are bounded.
type hasher struct {
	slots     int // at work at once
	places    int // at work or waiting, of all; a network has half of them
	patience  time.Duration
	mu        sync.Mutex
	working   int
	waiting   int
	byAccount map[string]int
	byNetwork map[string]int
	queues    map[string][]*turn // of those that wait, by network
	networks  []string           // that have a queue, the next one first
}

// turn is a call that waits. ready is closed when it may work.
type turn struct{ ready chan struct{} }

func newHasher() *hasher {
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	return &hasher{
		slots: slots, places: slots * (1 + waitingPerSlot), patience: longestWait,
		byAccount: map[string]int{}, byNetwork: map[string]int{}, queues: map[string][]*turn{},
	}
}

// do runs fn when it is its turn, or answers ErrBusy.
func (h *hasher) do(ctx context.Context, s share, fn func()) error {
	t, err := h.enter(s)
	if err != nil {
		return err
	}
	defer h.leave(s)
	wait, cancel := context.WithTimeout(ctx, h.patience)
	defer cancel()
	select {
	case <-t.ready:
	case <-wait.Done():
		if h.withdraw(s.network, t) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return ErrBusy
		}
		<-t.ready // its turn came at the same moment
	}
	defer h.next()
	fn()
	return nil
}

// enter takes a place, or answers ErrBusy where none is left for this share.
func (h *hasher) enter(s share) (*turn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.working+h.waiting >= h.places ||
		(s.account != "" && h.byAccount[s.account] >= placesPerUser) ||
		(s.network != "" && h.byNetwork[s.network] >= (h.places+1)/2) {
		return nil, ErrBusy
	}
	h.byAccount[s.account]++
	h.byNetwork[s.network]++
	t := &turn{make(chan struct{})}
	if h.working < h.slots {
		h.working++
		close(t.ready)
		return t, nil
	}
	if len(h.queues[s.network]) == 0 {
		h.networks = append(h.networks, s.network)
	}
	h.queues[s.network] = append(h.queues[s.network], t)
	h.waiting++
	return t, nil
}

func (h *hasher) leave(s share) {
	h.mu.Lock()
	defer h.mu.Unlock()
	release(h.byAccount, s.account)
	release(h.byNetwork, s.network)
}

func release(held map[string]int, key string) {
	if held[key]--; held[key] == 0 {
		delete(held, key)
	}
}

// next gives the slot of a call that is done to the network whose turn it is.
func (h *hasher) next() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == 0 {
		h.working--
		return
	}
	network := h.networks[0]
	h.networks = h.networks[1:]
	queue := h.queues[network]
	close(queue[0].ready)
	h.waiting--
	if len(queue) == 1 {
		delete(h.queues, network)
		return
	}
	h.queues[network] = queue[1:]
	h.networks = append(h.networks, network)
}

// withdraw takes a call out of its queue; false where its turn has come.
func (h *hasher) withdraw(network string, t *turn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	queue := h.queues[network]
	for i := range queue {
		if queue[i] != t {
			continue
		}
		h.waiting--
		if len(queue) > 1 {
			h.queues[network] = append(queue[:i:i], queue[i+1:]...)
			return true
		}
		delete(h.queues, network)
		for j, n := range h.networks {
			if n == network {
				h.networks = append(h.networks[:j:j], h.networks[j+1:]...)
				break
			}
		}
		return true
	}
	return false
}
