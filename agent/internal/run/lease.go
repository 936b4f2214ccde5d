package run

import (
	"context"
	"errors"
	"net/http"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/gate"
)

const (
	// leaseGather is how long the first user who needs a lease waits for others.
	leaseGather = 20 * time.Millisecond
	leaseWithin = 8 * time.Second // connections wait for it no longer than 10 s
	leaseRetry  = time.Second
)

// lease asks the server for what users may still move here while other nodes give out the same quota.
func (a *agent) lease(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.leasing:
		}
		if !sleep(ctx, leaseGather) {
			return nil
		}
		for {
			asks := a.gate.Asks(api.MaxAsks)
			if len(asks) == 0 {
				break
			}
			if err := a.askLeases(ctx, asks); err != nil && ctx.Err() == nil {
				a.log.Debug("leases were not given", "users", len(asks), "err", err)
				sleep(ctx, leaseRetry)
			}
		}
	}
}

func (a *agent) askLeases(ctx context.Context, asks []gate.Asked) error {
	byUser := make(map[int64]gate.Asked, len(asks))
	rows, released := make([]api.LeaseAsk, len(asks)), false
	for i, ask := range asks {
		rows[i], byUser[ask.UserID] = ask.LeaseAsk, ask
		released = released || ask.Release
	}
	if released {
		a.soil()
		a.save() // killed after the server took it back, we must not go on with it
	}
	ctx, cancel := context.WithTimeout(ctx, leaseWithin)
	defer cancel()
	answer, err := a.client.Lease(ctx, rows)
	var refused *api.Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound { // set back to a version without leases
		for id := range byUser {
			a.gate.Unleased(id)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, l := range answer.Leases {
		if ask, asked := byUser[l.UserID]; asked {
			a.gate.Grant(ask, l, time.Duration(answer.Seconds)*time.Second)
		}
	}
	a.soil()
	return nil
}

// leaseSoon asks for leases now; one request that waits already is enough.
func (a *agent) leaseSoon() {
	select {
	case a.leasing <- struct{}{}:
	default:
	}
}

// soil says that what is known is not saved.
func (a *agent) soil() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirty = true
}
