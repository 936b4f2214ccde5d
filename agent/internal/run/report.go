package run

import (
	"context"
	"errors"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/meter"
)

const (
	nearLimitInterval = 2 * time.Second
	promptReportDelay = 300 * time.Millisecond
	maxRetryDelay     = 60 * time.Second
	minResyncInterval = 10 * time.Second
)

// sendReports seals and sends what was counted: every report_seconds, every 2 s while a user is near the end of a
// quota, and at once when a user was stopped or removed.
func (a *agent) sendReports(ctx context.Context) error {
	gap := backoff{max: maxRetryDelay}
	var sealed, retry time.Time
	for {
		prompt := false
		select {
		case <-ctx.Done():
			return nil
		case <-a.reportNow:
			prompt = true
			// Collects the last bytes of connections that were just cut, and further users.
			if !sleep(ctx, promptReportDelay) {
				return nil
			}
		case <-time.After(time.Second):
		}
		if prompt || time.Since(sealed) >= a.reportInterval() {
			a.seal()
			sealed = time.Now()
		}
		if time.Now().Before(retry) {
			continue
		}
		err := a.deliver(ctx, a.handleReceipt)
		if ctx.Err() != nil {
			return nil
		}
		if a.problems.record(sending, err); err != nil {
			wait := gap.next()
			retry = time.Now().Add(wait)
			a.log.Warn("a report was not answered; it is kept and sent again", "err", err, "in",
				wait.Round(time.Millisecond))
			continue
		}
		gap.reset()
		a.resolveDisputed()
	}
}

func (a *agent) reportInterval() time.Duration {
	if a.gate.IsNearLimit() {
		return nearLimitInterval
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.known.Node.ReportSeconds; s > 0 {
		return time.Duration(s) * time.Second
	}
	return time.Minute
}

// seal waits until the server's time is known: the server would refuse a report by a clock that is far behind. Until
// then the counters hold everything.
func (a *agent) seal() {
	if !a.client.KnowsTime() {
		return
	}
	err := a.meter.Seal()
	if errors.Is(err, meter.ErrNotSealed) {
		err = nil
	}
	if a.problems.record(spool, err) {
		a.log.Error("traffic could not be written to the spool; it stays in the counters and is tried again", "err",
			err)
	}
}

// deliver sends the waiting batches, oldest first, until none is left or the server does not answer. It does not skip
// old ones: the server decides what is too late.
func (a *agent) deliver(ctx context.Context, answered func(*meter.Batch, *api.Receipt, time.Time)) error {
	for {
		batch, err := a.meter.Next()
		if err != nil {
			return err
		}
		if batch == nil {
			return nil
		}
		sentAt := time.Now()
		receipt, err := a.send(ctx, batch)
		var refused *api.Error
		switch {
		case errors.As(err, &refused) && refused.Final():
			a.log.Error("the server refuses a batch for good, its traffic is not billed; it is kept in spool/refused",
				"boot", batch.Report.Boot, "sequence", batch.Report.Sequence, "err", err)
			err = a.meter.Refuse(batch)
		case err == nil:
			answered(batch, receipt, sentAt)
			err = a.meter.Complete(batch)
			a.gate.ReportAnswered(batch.Report.Rows)
		}
		if err != nil {
			return err
		}
	}
}

func (a *agent) send(ctx context.Context, batch *meter.Batch) (*api.Receipt, error) {
	a.reportMu.Lock()
	defer a.reportMu.Unlock()
	a.meter.MarkSent(batch)
	return a.client.Report(ctx, batch.Body)
}

// handleReceipt applies the answer to a batch: refused rows are logged, users with nothing left are stopped.
func (a *agent) handleReceipt(batch *meter.Batch, receipt *api.Receipt, sentAt time.Time) {
	if receipt.Held != "" {
		b := batch.Report
		a.log.Error("the server did not count a batch for the time of its window; it keeps it for staff (airstrip "+
			"node held)",
			"reason", receipt.Held, "boot", b.Boot, "sequence", b.Sequence, "from", b.From, "to", b.To, "rows",
			len(b.Rows))
	}
	for _, r := range receipt.Refused {
		a.log.Warn("the server did not count a row", "user", r.UserID, "code", r.Code, "sequence",
			batch.Report.Sequence)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range receipt.Stop {
		delete(a.disputed, id)
		m, listed := a.users[id]
		if !listed {
			continue
		}
		// If a message about the user arrived while the report was in flight, it is unknown which of the two is newer.
		// The user may have renewed and continues. If not, the next report is answered with a stop again.
		if m.updatedAt.After(sentAt) {
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

// resolveDisputed requests a snapshot if users are exhausted by local figures but the answer to their report did not
// stop them: rows may have been refused, or the figures may be outdated.
func (a *agent) resolveDisputed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.disputed) == 0 || a.meter.HasUnsealed() || time.Since(a.fetched) < minResyncInterval {
		return
	}
	clear(a.disputed)
	a.markStaleLocked()
}

// triggerReport triggers a report, unless one is pending.
func (a *agent) triggerReport() {
	select {
	case a.reportNow <- struct{}{}:
	default:
	}
}
