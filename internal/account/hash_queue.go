package account

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"time"
)

// share names for whom a password is hashed, so that no account and no network can occupy the whole queue. The zero
// share is the operator's and has no bound of its own.
type share struct {
	account string // e-mail address, with or without an account
	network string
}

func shareOf(email string, from Client) share { return share{email, hashNetwork(from.IP)} }

// hashNetwork returns the network whose calls share a queue: the /24 of an IPv4 address, the /64 of an IPv6 address.
func hashNetwork(ip netip.Addr) string {
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
	maxWaitingPerSlot  = 64              // about two seconds' work
	maxCallsPerAccount = 4               // running or waiting
	maxHashWait        = 5 * time.Second // after which a call is refused
)

// hasher hashes few passwords at a time, so that a flood of sign-ins exhausts neither memory nor processors. Calls wait
// in one queue for each network, and the networks are served in rotation. The calls of an account, of a network and of
// all are bounded.
type hasher struct {
	cost      argon2Cost
	slots     int // calls that may run at a time
	maxCalls  int // running or waiting, of all; a network may have half of them
	maxWait   time.Duration
	mu        sync.Mutex
	working   int
	waiting   int
	byAccount map[string]int
	byNetwork map[string]int
	queues    map[string][]*waiter // waiting calls by network
	networks  []string             // networks with a queue, in the order in which they are served
}

// waiter is a call that waits. ready is closed when it may run.
type waiter struct{ ready chan struct{} }

func newHasher(cost argon2Cost) *hasher {
	slots := max(1, runtime.GOMAXPROCS(0)-1)
	return &hasher{
		cost: cost, slots: slots, maxCalls: slots * (1 + maxWaitingPerSlot), maxWait: maxHashWait,
		byAccount: map[string]int{}, byNetwork: map[string]int{}, queues: map[string][]*waiter{},
	}
}

// do runs fn when a slot is free, or returns ErrBusy.
func (h *hasher) do(ctx context.Context, s share, fn func()) error {
	t, err := h.enter(s)
	if err != nil {
		return err
	}
	defer h.leave(s)
	wait, cancel := context.WithTimeout(ctx, h.maxWait)
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
		<-t.ready // the slot became free at the same moment
	}
	defer h.next()
	fn()
	return nil
}

// enter adds a call to the queue, or returns ErrBusy where the bounds of its share are reached.
func (h *hasher) enter(s share) (*waiter, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.working+h.waiting >= h.maxCalls ||
		(s.account != "" && h.byAccount[s.account] >= maxCallsPerAccount) ||
		(s.network != "" && h.byNetwork[s.network] >= (h.maxCalls+1)/2) {
		return nil, ErrBusy
	}
	h.byAccount[s.account]++
	h.byNetwork[s.network]++
	t := &waiter{make(chan struct{})}
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

// next passes the slot of a finished call to the network that is served next.
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

// withdraw removes a call from its queue; false where the call may run already.
func (h *hasher) withdraw(network string, t *waiter) bool {
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
