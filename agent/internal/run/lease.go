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
	// leaseBatchDelay is how long the first user who needs a lease waits for others.
	leaseBatchDelay = 20 * time.Millisecond
	leaseTimeout    = 8 * time.Second // Connections wait for at most 10 s.
	leaseRetryDelay = time.Second
)

// requestLeases requests from the server what users may transfer while other nodes serve the same quota.
func (a *agent) requestLeases(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.leaseNow:
		}
		if !sleep(ctx, leaseBatchDelay) {
			return nil
		}
		for {
			requests := a.gate.TakeLeaseRequests(api.MaxLeaseRequests)
			if len(requests) == 0 {
				break
			}
			if err := a.sendLeaseRequests(ctx, requests); err != nil && ctx.Err() == nil {
				a.log.Debug("leases were not given", "users", len(requests), "err", err)
				sleep(ctx, leaseRetryDelay)
			}
		}
	}
}

func (a *agent) sendLeaseRequests(ctx context.Context, requests []gate.LeaseRequest) error {
	byUser := make(map[int64]gate.LeaseRequest, len(requests))
	rows, released := make([]api.LeaseRequest, len(requests)), false
	for i, request := range requests {
		rows[i], byUser[request.UserID] = request.LeaseRequest, request
		released = released || request.Release
	}
	if released {
		a.markDirty()
		a.save() // After a crash the agent must not continue with a lease that the server took back.
	}
	ctx, cancel := context.WithTimeout(ctx, leaseTimeout)
	defer cancel()
	answer, err := a.client.Lease(ctx, rows)
	var refused *api.Error
	// The server was downgraded to a version without leases.
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		for id := range byUser {
			a.gate.DisableLeases(id)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, l := range answer.Leases {
		if request, known := byUser[l.UserID]; known {
			a.gate.Grant(request, l, time.Duration(answer.Seconds)*time.Second)
		}
	}
	a.markDirty()
	return nil
}

// triggerLeases triggers a request for leases, unless one is pending.
func (a *agent) triggerLeases() {
	select {
	case a.leaseNow <- struct{}{}:
	default:
	}
}

// markDirty records that the state has unsaved changes.
func (a *agent) markDirty() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dirty = true
}
