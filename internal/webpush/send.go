package webpush

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
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
)

const (
	messageLife   = 24 * time.Hour // after it a notice is no news any more
	pollInterval  = time.Second
	sendTimeout   = 15 * time.Second // of an attempt as a whole
	recordTimeout = 30 * time.Second
	lease         = time.Minute // longer than sendTimeout and recordTimeout together
	maxPause      = 6 * time.Hour
	maxServices   = 32 // that a process sends to at once
	maxTitle      = 100
	maxBody       = 240
)

// pauses are the times to wait after each failed attempt; the last one repeats until the message expires.
var pauses = []time.Duration{
	10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, maxPause,
}

// Notice is what a user is notified of. Titles and bodies that are too long are cut.
type Notice struct {
	Title string
	Body  string
	Path  string // of the page that it leads to
	Topic string // what it is about: a newer notice takes the place of an older one that was not read
}

// payload is what the service worker reads (web/public/service-worker.js).
type payload struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Path  string `json:"path"`
	Tag   string `json:"tag"`
}

type messageRow struct {
	bun.BaseModel  `bun:"table:push_message"`
	ID             int64 `bun:",pk,autoincrement"`
	SubscriptionID int64
	Topic          string
	Sealed         []byte
	Attempts       int64
	NextAt         time.Time
	LeaseUntil     *time.Time
	ExpiresAt      time.Time
	CreatedAt      time.Time
}

// Queue has all browsers of a user notified, as part of tx, and tells whether there are any. write is not called for a
// user without one.
func (p *Push) Queue(ctx context.Context, tx bun.Tx, userID int64, write func() (Notice, error)) (
	queued bool, err error,
) {
	// Locked, so that none of them is removed before its message is there.
	var to []int64
	if err := db.Locked(tx.NewSelect().Model((*subscriptionRow)(nil)).Column("id").Where("user_id = ?", userID).
		OrderExpr("id")).Scan(ctx, &to); err != nil || len(to) == 0 {
		return false, err
	}
	n, err := write()
	if err != nil {
		return false, err
	}
	// The digest tells push services nothing. Topics have at most 32 characters of base64url.
	topic := base64.RawURLEncoding.EncodeToString(p.key.Digest("push topic", []byte(n.Topic)))
	plain, err := json.Marshal(payload{cut(n.Title, maxTitle), cut(n.Body, maxBody), n.Path, topic})
	if err != nil {
		return false, err
	}
	now := p.db.Now()
	rows := make([]messageRow, len(to))
	for i, id := range to {
		rows[i] = messageRow{
			SubscriptionID: id, Topic: topic, Sealed: p.key.Seal(messagePurpose, plain), NextAt: now,
			ExpiresAt: now.Add(messageLife), CreatedAt: now,
		}
	}
	_, err = tx.NewInsert().Model(&rows).On("CONFLICT (subscription_id, topic) DO UPDATE").
		Set("sealed = EXCLUDED.sealed").Set("attempts = 0").Set("next_at = EXCLUDED.next_at").
		Set("lease_until = NULL").Set("expires_at = EXCLUDED.expires_at").Set("created_at = EXCLUDED.created_at").
		Exec(ctx)
	return true, err
}

// cut gives text on one line, of at most n characters.
func cut(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > n {
		return strings.TrimSpace(string(runes[:n-1])) + "…"
	}
	return text
}

// Run sends what is due until ctx ends, and waits for what is being sent then.
func (p *Push) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if err := p.start(ctx, &sending); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "push messages cannot be sent", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Work sends all that is due now, for tests.
func (p *Push) Work(ctx context.Context) error {
	var sending sync.WaitGroup
	err := p.start(ctx, &sending)
	sending.Wait()
	return err
}

// due narrows a query to the messages that may be sent now. What waits longer than any pause was put off while the
// clock was ahead.
func due(q *bun.SelectQuery, now time.Time) *bun.SelectQuery {
	return q.Where("next_at <= ? OR next_at > ?", now, now.Add(maxPause+clock.Tolerance)).
		Where("lease_until IS NULL OR lease_until <= ?", now)
}

// start begins to send to each push service for which something is due, and to which this process is not sending yet,
// so that one that stalls delays no other.
func (p *Push) start(ctx context.Context, sending *sync.WaitGroup) error {
	var services []string
	if err := due(p.db.NewSelect().Model((*messageRow)(nil)).ColumnExpr("DISTINCT s.service").
		Join("JOIN push_subscription AS s ON s.id = subscription_id"), p.db.Now()).
		OrderExpr("s.service").Scan(ctx, &services); err != nil {
		return err
	}
	for _, service := range services {
		p.mu.Lock()
		skip := p.busy[service] || len(p.busy) >= maxServices
		if !skip {
			p.busy[service] = true
		}
		p.mu.Unlock()
		if skip {
			continue
		}
		sending.Go(func() {
			defer func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.busy, service)
			}()
			if err := p.drain(ctx, service); err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "push messages cannot be sent", "service", service, "error", err)
			}
		})
	}
	return nil
}

// drain sends what is due for a push service, the oldest first, until nothing is or the service fails.
func (p *Push) drain(ctx context.Context, service string) error {
	for ctx.Err() == nil {
		m, err := p.claim(ctx, service)
		if err != nil || m == nil {
			return err
		}
		works, err := p.attempt(ctx, m)
		if err != nil || !works {
			return err
		}
	}
	return nil
}

// claim leases the message that has been due for the longest time; nil where none is due, or another process has it.
func (p *Push) claim(ctx context.Context, service string) (claimed *messageRow, err error) {
	now := p.db.Now()
	err = p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		claimed = nil
		var found []messageRow
		if err := due(tx.NewSelect().Model(&found).Where("EXISTS (SELECT 1 FROM push_subscription s WHERE "+
			"s.id = message_row.subscription_id AND s.service = ?)", service), now).
			OrderExpr("next_at, id").Limit(1).Scan(ctx); err != nil || len(found) == 0 {
			return err
		}
		m := found[0]
		until := now.Add(lease)
		n, err := db.Changed(tx.NewUpdate().Model((*messageRow)(nil)).Set("attempts = attempts + 1").
			Set("lease_until = ?", until).Where("id = ? AND attempts = ?", m.ID, m.Attempts).
			Where("lease_until IS NULL OR lease_until <= ?", now).Exec(ctx))
		if err == nil && n == 1 {
			m.Attempts++
			m.LeaseUntil = &until
			claimed = &m
		}
		return err
	})
	return claimed, err
}

// attempt sends a leased message and records what came of it. works is whether the push service answered as one that
// works.
func (p *Push) attempt(ctx context.Context, m *messageRow) (works bool, err error) {
	var to subscriptionRow
	if err := p.db.NewSelect().Model(&to).Where("id = ?", m.SubscriptionID).Scan(ctx); errors.Is(err, db.ErrNoRows) {
		return true, nil // removed meanwhile, and the message with it
	} else if err != nil {
		return false, err
	}
	if alive, err := p.alive(ctx, to.SessionID); err != nil {
		return false, err
	} else if !alive {
		return true, p.record(ctx, m, &to, http.StatusGone, 0)
	}
	if !m.ExpiresAt.After(p.db.Now()) {
		return true, p.deleteExpired(ctx)
	}
	status, wait, err := p.send(ctx, m, &to)
	if ctx.Err() != nil { // the server stops: another process sends it when the lease is over
		return false, ctx.Err()
	}
	if where := new(url.Error); errors.As(err, &where) {
		err = where.Err // without the address
	}
	switch {
	case err != nil:
		slog.WarnContext(ctx, "a push service cannot be reached", "service", to.Service, "error", err)
	case status == http.StatusNotFound || status == http.StatusGone || status/100 == 2:
	default:
		slog.WarnContext(ctx, "a push service refused a message", "service", to.Service, "status", status)
	}
	works = err == nil && status != http.StatusTooManyRequests && status < 500
	return works, p.record(ctx, m, &to, status, wait)
}

// send posts a message to its push service. wait is how long the service asks to be left alone.
func (p *Push) send(ctx context.Context, m *messageRow, to *subscriptionRow) (
	status int, wait time.Duration, err error,
) {
	pair, err := p.keys(ctx)
	if err != nil {
		return 0, 0, err
	}
	text, err := p.key.Open(messagePurpose, m.Sealed)
	if err != nil {
		return 0, 0, fmt.Errorf("push message %d: %w", m.ID, err)
	}
	target, err := p.target(to)
	if err != nil {
		return 0, 0, err
	}
	browser, auth, err := target.keys()
	if err != nil {
		return 0, 0, err
	}
	body, err := encrypt(text, browser, auth)
	if err != nil {
		return 0, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	now := p.db.Now()
	proof, err := pair.authorization(req.URL, p.site, now)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Authorization", proof)
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("TTL", strconv.FormatInt(int64(m.ExpiresAt.Sub(now)/time.Second), 10))
	req.Header.Set("Topic", m.Topic)
	req.Header.Set("User-Agent", "Airstrip")
	res, err := p.client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	if res.StatusCode < 500 { // the service has decided, whatever became of its answer
		err = nil
	}
	return res.StatusCode, retryAfter(res.Header.Get("Retry-After"), now), err
}

// retryAfter reads the header of that name: seconds, or a time. It returns 0 for anything else.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int64(maxPause/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil && at.After(now) {
		return min(at.Sub(now), maxPause)
	}
	return 0
}

// record removes a message that was sent or never will be, and the subscription of a browser that is gone; it puts off
// all others. It does nothing where a newer message took its place, or another process has leased it since.
func (p *Push) record(ctx context.Context, m *messageRow, to *subscriptionRow, status int, wait time.Duration) error {
	ctx, cancel := detached.WithTimeout(ctx, recordTimeout)
	defer cancel()
	now := p.db.Now()
	return p.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		switch status {
		case http.StatusNotFound, http.StatusGone:
			// The browser may have named another address since; the message goes there then.
			n, err := db.Changed(tx.NewDelete().Model(to).WherePK().Where("endpoint = ?", to.Endpoint).Exec(ctx))
			if err != nil || n > 0 {
				return err
			}
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
			return p.endMessage(ctx, tx, m)
		}
		if status/100 == 2 {
			if _, err := tx.NewUpdate().Model(to).Set("sent_at = ?", now).WherePK().Exec(ctx); err != nil {
				return err
			}
			return p.endMessage(ctx, tx, m)
		}
		next := now.Add(max(wait, pauses[min(m.Attempts, int64(len(pauses)))-1]))
		if !next.Before(m.ExpiresAt) {
			return p.endMessage(ctx, tx, m)
		}
		_, err := tx.NewUpdate().Model((*messageRow)(nil)).Set("next_at = ?", next).Set("lease_until = NULL").
			Where("id = ? AND attempts = ? AND lease_until = ?", m.ID, m.Attempts, m.LeaseUntil).Exec(ctx)
		return err
	})
}

func (p *Push) endMessage(ctx context.Context, tx bun.Tx, m *messageRow) error {
	_, err := tx.NewDelete().Model((*messageRow)(nil)).
		Where("id = ? AND attempts = ? AND lease_until = ?", m.ID, m.Attempts, m.LeaseUntil).Exec(ctx)
	return err
}
