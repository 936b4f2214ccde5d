package run

import (
	"context"
	"errors"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
)

// drain refuses new connections and waits until the open ones end, for at most d.
func (a *agent) drain(d time.Duration) {
	if d <= 0 {
		return
	}
	a.mu.Lock()
	err := a.engine.Drain()
	a.relay.Drain()
	a.mu.Unlock()
	if err != nil {
		a.log.Warn("closing the listener", "err", err)
	}
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if a.gate.Connections()+a.relay.OpenCount() == 0 {
			return
		}
	}
	a.log.Info("connections are still open and are cut now")
}

// shutdown cuts all connections, then seals and sends what is left.
func (a *agent) shutdown() error {
	a.save()
	a.mu.Lock()
	defer a.mu.Unlock()
	for id := range a.users {
		a.gate.Remove(id)
	}
	a.certificate.Close()
	err := a.engine.Close()
	a.relay.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	a.seal()
	if sending := a.deliver(ctx, func(*meter.Batch, *api.Receipt, time.Time) {}); sending != nil {
		a.log.Warn("some traffic could not be reported before the end; it is kept for the next start", "err", sending)
	}
	a.log.Info("agent stopped")
	return errors.Join(err, a.meter.Close())
}
