package run

import (
	"context"
	"errors"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
)

const (
	endingEvery = 2 * time.Second
	hurryGap    = 300 * time.Millisecond
	retryLimit  = 60 * time.Second
	resyncGap   = 10 * time.Second
)

// report seals what was counted and sends it, each report_seconds, each 2 s while a user is near the end, and
// at once when a user was stopped or removed.
func (a *agent) report(ctx context.Context) error {
	gap := backoff{longest: retryLimit}
	var sealed, retry time.Time
	for {
		hurry := false
		select {
		case <-ctx.Done():
			return nil
		case <-a.hurry:
			hurry = true
			if !sleep(ctx, hurryGap) { // for the last bytes of what was just cut, and for others to join
				return nil
			}
		case <-time.After(time.Second):
		}
		if hurry || time.Since(sealed) >= a.interval() {
			a.seal()
			sealed = time.Now()
		}
		if time.Now().Before(retry) {
			continue
		}
		err := a.deliver(ctx, a.answered)
		if ctx.Err() != nil {
			return nil
		}
		if a.troubles.note(sending, err); err != nil {
			wait := gap.next()
			retry = time.Now().Add(wait)
			a.log.Warn("a report was not answered; it is kept and sent again", "err", err, "in", wait.Round(time.Millisecond))
			continue
		}
		gap.reset()
		a.settleDoubts()
	}
}

func (a *agent) interval() time.Duration {
	if a.gate.Ending() {
		return endingEvery
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.known.Node.ReportSeconds; s > 0 {
		return time.Duration(s) * time.Second
	}
	return time.Minute
}

// seal waits for the server's time: a report by a clock that is far behind would be refused. Till then the counters keep all.
func (a *agent) seal() {
	if !a.client.Told() {
		return
	}
	err := a.meter.Seal()
	if errors.Is(err, meter.ErrNotSealed) {
		err = nil
	}
	if a.troubles.note(spool, err) {
		a.log.Error("traffic could not be written to the spool; it stays in the counters and is tried again", "err", err)
	}
}

// deliver sends the waiting batches, the oldest first, until none is left or the server does not answer. However old they
// are: the server says what is too late.
func (a *agent) deliver(ctx context.Context, answered func(*meter.Batch, *api.Receipt, time.Time)) error {
	for {
		batch, err := a.meter.Next()
		if err != nil {
			return err
		}
		if batch == nil {
			return nil
		}
		left := time.Now()
		receipt, err := a.send(ctx, batch)
		var refused *api.Error
		switch {
		case errors.As(err, &refused) && refused.Final():
			a.log.Error("the server refuses a batch for good, its traffic is not billed; it is kept in spool/refused",
				"boot", batch.Report.Boot, "sequence", batch.Report.Sequence, "err", err)
			err = a.meter.Refuse(batch)
		case err == nil:
			answered(batch, receipt, left)
			err = a.meter.Counted(batch)
			a.gate.Settle(batch.Report.Rows)
		}
		if err != nil {
			return err
		}
	}
}

func (a *agent) send(ctx context.Context, batch *meter.Batch) (*api.Receipt, error) {
	a.wire.Lock()
	defer a.wire.Unlock()
	a.meter.Leaving(batch)
	return a.client.Report(ctx, batch.Body)
}

// answered acts on the answer to a batch: refused rows are logged, users with nothing left are stopped.
func (a *agent) answered(batch *meter.Batch, receipt *api.Receipt, left time.Time) {
	if receipt.Kept != "" {
		b := batch.Report
		a.log.Error("the server did not count a batch for the time of its window; it keeps it for staff (airstrip node kept)",
			"reason", receipt.Kept, "boot", b.Boot, "sequence", b.Sequence, "from", b.From, "to", b.To, "rows", len(b.Rows))
	}
	for _, r := range receipt.Refused {
		a.log.Warn("the server did not count a row", "user", r.UserID, "code", r.Code, "sequence", batch.Report.Sequence)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range receipt.Stop {
		delete(a.doubt, id)
		m, listed := a.users[id]
		if !listed {
			continue
		}
		// If the server told us about the user while the report was under way, nobody knows which of the two words is
		// the later one. The user may have renewed: go on. If not, the next report is answered with a stop again.
		if m.told.After(left) {
			continue
		}
		if !a.gate.Stop(id) {
			continue
		}
		a.log.Info("the server says that a user has nothing left", "user", id)
		if err := a.engine.Remove([]int64{id}); err != nil {
			a.log.Error("a user could not be removed", "user", id, "err", err)
		}
	}
}

// settleDoubts asks for a snapshot if users ran out by our figures and the answer to the report of it did not
// say so: rows may have been refused, or the figure was out of date.
func (a *agent) settleDoubts() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.doubt) == 0 || a.meter.Unsealed() || time.Since(a.fetched) < resyncGap {
		return
	}
	clear(a.doubt)
	a.outdateLocked()
}

// reportSoon asks for a report now; one request that waits already is enough.
func (a *agent) reportSoon() {
	select {
	case a.hurry <- struct{}{}:
	default:
	}
}
