package run

import (
	"context"
	"net/netip"
	"time"

	"airstrip/agent/internal/api"
)

// deviceTimeout bounds how long a connection waits for a device slot. A reachable server answers within 3 s.
const deviceTimeout = 5 * time.Second

// admit requests a device slot from the server, and cuts older addresses here if the server demands it first.
func (a *agent) admit(ctx context.Context, user int64, source netip.Addr) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, deviceTimeout)
	defer cancel()
	ask := api.Device{UserID: user, IP: source.String()}
	for {
		answer, err := a.client.Device(ctx, ask)
		if err != nil || answer.Admitted || len(answer.Drop) == 0 {
			return err == nil && answer.Admitted, err
		}
		a.gate.Drop(user, addresses(answer.Drop)...)
		ask.Gone = answer.Drop
	}
}

// dropDevices cuts the addresses and confirms it to the server. If the confirmation is lost, the server repeats the
// demand.
func (a *agent) dropDevices(ctx context.Context, drops []api.Drop) {
	for _, d := range drops {
		a.gate.Drop(d.UserID, addresses(d.IPs)...)
	}
	go func() {
		// The stream that delivered the demand may end meanwhile.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deviceTimeout)
		defer cancel()
		for _, d := range drops {
			if _, err := a.client.Device(ctx, api.Device{UserID: d.UserID, Gone: d.IPs}); err != nil {
				a.log.Debug("the server was not told that addresses are gone", "user", d.UserID, "err", err)
			}
		}
	}()
}

func addresses(texts []string) []netip.Addr {
	var list []netip.Addr
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil {
			list = append(list, addr)
		}
	}
	return list
}
