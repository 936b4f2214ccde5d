package payment

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"airstrip/internal/wallet"
)

const (
	gatewayTimeout = 10 * time.Second // how long a gateway may take
	// settleTimeout bounds what is done about one payment or refund after its caller has gone: two calls to the
	// platform, and transactions before, between and after them.
	settleTimeout = 2 * time.Minute
	askAfterEnd   = 2 * time.Hour // how long after its end a recharge is still asked about
	maxFailures   = 3             // failures in a row after which a gateway is left alone until the next time
)

// Check asks the gateways about recharges that are not paid, so that a lost notify is found. Gateways are asked in
// parallel, so that none waits for another that is slow.
func (p *Payments) Check(ctx context.Context) error {
	recharges, err := p.wallets.UnpaidRecharges(ctx, p.db.Now().Add(-askAfterEnd))
	if err != nil {
		return err
	}
	byGateway := map[string][]wallet.Recharge{}
	for _, r := range recharges {
		if r.PayPage != nil { // else nobody saw where to pay
			byGateway[r.Gateway] = append(byGateway[r.Gateway], r)
		}
	}
	var wg sync.WaitGroup
	for name, recharges := range byGateway {
		if m, ok := p.gateways.find(name); ok {
			wg.Go(func() { p.checkAll(ctx, m, recharges) })
		}
	}
	wg.Wait()
	return nil
}

func (p *Payments) checkAll(ctx context.Context, m Method, recharges []wallet.Recharge) {
	failures := 0
	for i := range recharges {
		if err := p.checkOne(ctx, m, &recharges[i]); err != nil {
			slog.WarnContext(ctx, "could not learn of a recharge from its gateway", "recharge", recharges[i].ID,
				"gateway", m.Name, "error", err)
			if failures++; failures == maxFailures {
				return
			}
			continue
		}
		failures = 0
	}
}

func (p *Payments) checkOne(ctx context.Context, m Method, r *wallet.Recharge) error {
	pay, err := p.ask(ctx, m, r)
	if err == nil && pay.State != Waiting {
		_, err = p.settle(ctx, m, pay, 0, true)
	}
	return err
}

func (p *Payments) ask(ctx context.Context, m Method, r *wallet.Recharge) (Payment, error) {
	ctx, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	return m.Gateway.Ask(ctx, p.bill(r))
}
