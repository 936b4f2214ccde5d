package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/outbound"
)

const (
	pollInterval  = time.Second
	sendTimeout   = 15 * time.Second // of an attempt as a whole
	lease         = time.Minute      // longer than sendTimeout and recordTimeout together
	recordTimeout = 30 * time.Second
	maxAnswer     = 2 << 10 // bytes of an answer that are kept
	maxError      = 500     // bytes
	maxPause      = 12 * time.Hour
	endpointPause = 5 * time.Minute // the longest pause of an endpoint as a whole
)

// pauses are the times to wait after each failed attempt; the last one repeats until the delivery expires.
var pauses = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, maxPause,
}

// Run sends what is due until ctx ends, and waits for what is being sent then.
func (w *Webhooks) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if err := w.start(ctx, &sending); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "webhooks cannot be sent", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Work sends all that is due now, for tests and commands.
func (w *Webhooks) Work(ctx context.Context) error {
	var sending sync.WaitGroup
	err := w.start(ctx, &sending)
	sending.Wait()
	return err
}

// start begins to send to each endpoint for which something is due, and to which this process is not sending yet.
func (w *Webhooks) start(ctx context.Context, sending *sync.WaitGroup) error {
	now := w.db.Now()
	var endpoints []int64
	// What waits longer than any pause was put off while the clock was ahead.
	if err := w.db.NewRaw(`SELECT e.id FROM webhook_endpoint e WHERE e.enabled
		AND (e.paused_until IS NULL OR e.paused_until <= ?0 OR e.paused_until > ?1)
		AND EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = e.id AND d.state = 'waiting'
		AND (d.next_at <= ?0 OR d.next_at > ?2) AND (d.lease_until IS NULL OR d.lease_until <= ?0))
		ORDER BY e.id`, now, now.Add(endpointPause+clock.Tolerance), now.Add(maxPause+clock.Tolerance)).
		Scan(ctx, &endpoints); err != nil {
		return err
	}
	for _, id := range endpoints {
		w.mu.Lock()
		isBusy := w.busy[id]
		w.busy[id] = true
		w.mu.Unlock()
		if isBusy {
			continue
		}
		sending.Go(func() {
			defer func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				delete(w.busy, id)
			}()
			if err := w.drain(ctx, id); err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "a webhook cannot be sent", "webhook", id, "error", err)
			}
		})
	}
	return nil
}

// drain sends what is due for an endpoint, the oldest first, until nothing is or an attempt fails.
func (w *Webhooks) drain(ctx context.Context, endpointID int64) error {
	for ctx.Err() == nil {
		d, err := w.claim(ctx, endpointID)
		if err != nil || d == nil {
			return err
		}
		a, err := w.attempt(ctx, d)
		if err != nil || !a.Accepted() {
			return err
		}
	}
	return nil
}

// claim leases the delivery that has been due for the longest time; nil where none is due, or another process has it.
func (w *Webhooks) claim(ctx context.Context, endpointID int64) (claimed *Delivery, err error) {
	now := w.db.Now()
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		claimed = nil
		var due []Delivery
		if err := tx.NewSelect().Model(&due).Where("endpoint_id = ? AND state = ?", endpointID, Waiting).
			Where("next_at <= ? OR next_at > ?", now, now.Add(maxPause+clock.Tolerance)).
			Where("lease_until IS NULL OR lease_until <= ?", now).OrderExpr("next_at, id").Limit(1).
			Scan(ctx); err != nil || len(due) == 0 {
			return err
		}
		d := due[0]
		until := now.Add(lease)
		n, err := db.Changed(tx.NewUpdate().Model((*Delivery)(nil)).Set("attempts = attempts + 1").
			Set("lease_until = ?", until).Where("id = ? AND attempts = ? AND state = ?", d.ID, d.Attempts, Waiting).
			Where("lease_until IS NULL OR lease_until <= ?", now).Exec(ctx))
		if err == nil && n == 1 {
			d.Attempts++
			d.LeaseUntil = &until
			claimed = &d
		}
		return err
	})
	return claimed, err
}

// attempt sends a leased delivery and records what came of it.
func (w *Webhooks) attempt(ctx context.Context, d *Delivery) (Attempt, error) {
	var e Endpoint
	if err := w.db.NewSelect().Model(&e).Where("id = ?", d.EndpointID).Scan(ctx); err != nil {
		return Attempt{}, db.OrMissing(err, ErrNoEndpoint) // removed meanwhile
	}
	var event eventRow
	if err := w.db.NewSelect().Model(&event).Where("id = ?", d.EventID).Scan(ctx); err != nil {
		return Attempt{}, err
	}
	a := w.send(ctx, &e, &event)
	if ctx.Err() != nil && !a.Accepted() { // the server stops: another process sends it when the lease is over
		return a, ctx.Err()
	}
	a.DeliveryID = d.ID
	return a, w.record(ctx, d, &a)
}

// send posts an event to an endpoint. An error of its own network is part of the attempt.
func (w *Webhooks) send(ctx context.Context, e *Endpoint, event *eventRow) (a Attempt) {
	a.At = w.db.Now()
	begin := time.Now()
	defer func() { a.DurationMS = time.Since(begin).Milliseconds() }()
	status, answer, err := w.post(ctx, e, event, a.At)
	a.Status, a.Answer = status, answer
	if err != nil {
		if where := new(url.Error); errors.As(err, &where) { // the address may hold a token of the receiver
			err = where.Err
		}
		if errors.Is(err, outbound.ErrPrivate) {
			err = fmt.Errorf("%w; the setting webhook_allow_private permits such addresses", err)
		}
		a.Error = cut(err.Error(), maxError)
	}
	return a
}

func (w *Webhooks) post(ctx context.Context, e *Endpoint, event *eventRow, at time.Time) (int, string, error) {
	secret, err := w.secrets.Open(e.ID, e.Secret)
	if err != nil {
		return 0, "", fmt.Errorf("the secret of webhook %d: %w", e.ID, err)
	}
	secrets := [][]byte{secret}
	if e.PreviousUntil != nil && e.PreviousUntil.After(at) {
		if previous, err := w.secrets.Open(e.ID, e.PreviousSecret); err == nil {
			secrets = append(secrets, previous)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, strings.NewReader(event.Body))
	if err != nil {
		return 0, "", err
	}
	id := event.UUID.String()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Airstrip-Webhook")
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	req.Header.Set("webhook-signature", signature(id, at, event.Body, secrets...))
	res, err := w.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if res.StatusCode >= 200 && res.StatusCode < 300 { // the receiver has it, whatever became of its answer
		err = nil
	}
	return res.StatusCode, cut(string(answer), maxAnswer), err
}

// cut gives at most n bytes of s, as text that the database keeps.
func cut(s string, n int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s[:min(len(s), n)], "\x00", ""), "")
}

// record writes an attempt down and ends the delivery or puts it off, unless another process has leased it since.
func (w *Webhooks) record(ctx context.Context, d *Delivery, a *Attempt) error {
	ctx, cancel := detached.WithTimeout(ctx, recordTimeout)
	defer cancel()
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		e, err := locked(ctx, tx, d.EndpointID)
		if errors.Is(err, ErrNoEndpoint) {
			return nil
		}
		if err != nil {
			return err
		}
		now := w.db.Now()
		u := tx.NewUpdate().Model((*Delivery)(nil)).Set("lease_until = NULL").
			Where("id = ? AND attempts = ? AND state = ?", d.ID, d.Attempts, Waiting)
		next := now.Add(pauses[min(d.Attempts, int64(len(pauses)))-1])
		switch {
		case a.Accepted():
			u.Set("state = ?", Delivered).Set("next_at = NULL").Set("ended_at = ?", now)
		case !next.Before(d.ExpiresAt):
			u.Set("state = ?", Failed).Set("next_at = NULL").Set("ended_at = ?", now)
		default:
			u.Set("next_at = ?", next)
		}
		n, err := db.Changed(u.Exec(ctx))
		if err != nil || n == 0 {
			return err
		}
		a.ID = 0
		if _, err := tx.NewInsert().Model(a).Exec(ctx); err != nil {
			return err
		}
		return w.judge(ctx, tx, e, a, now)
	})
}

// judge keeps how an endpoint does: it pauses for longer the longer it has failed, and is disabled after days.
func (w *Webhooks) judge(ctx context.Context, tx bun.Tx, e *Endpoint, a *Attempt, now time.Time) error {
	was := *e
	switch {
	case a.Accepted():
		e.FailingSince, e.PausedUntil = nil, nil
	default:
		if e.FailingSince == nil || e.FailingSince.After(now) {
			e.FailingSince = &now
		}
		// A tenth of the time that it has failed for, so that a short outage is over soon after its end.
		pause := min(max(now.Sub(*e.FailingSince)/10, pollInterval), endpointPause)
		until := now.Add(pause)
		e.PausedUntil = &until
	}
	switch {
	case a.Accepted() || !e.Enabled:
	case a.Status == http.StatusGone:
		e.Enabled, e.DisabledReason = false, Gone
	case now.Sub(*e.FailingSince) >= failingLife:
		e.Enabled, e.DisabledReason = false, Failing
	}
	if was.FailingSince == nil && e.FailingSince == nil && was.PausedUntil == nil {
		return nil
	}
	if _, err := tx.NewUpdate().Model(e).Column("failing_since", "paused_until", "enabled", "disabled_reason").
		WherePK().Exec(ctx); err != nil {
		return err
	}
	if was.Enabled == e.Enabled {
		return nil
	}
	slog.WarnContext(ctx, "a webhook was disabled", "webhook", e.ID, "reason", e.DisabledReason)
	for _, fn := range w.onDisabled {
		if err := fn(ctx, tx, *e); err != nil {
			return err
		}
	}
	return nil
}
