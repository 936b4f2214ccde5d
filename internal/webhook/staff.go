package webhook

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/text"
)

// A Draft is what staff says of an endpoint.
type Draft struct {
	Name    string
	URL     string
	Types   []Type
	Enabled bool
}

func (w *Webhooks) check(d *Draft) error {
	d.Name, d.URL = strings.TrimSpace(d.Name), strings.TrimSpace(d.URL)
	slices.Sort(d.Types)
	d.Types = slices.Compact(d.Types)
	var p fault.Problems
	p.When(text.Folded(d.Name) == "" || utf8.RuneCountInString(d.Name) > 80 || !text.IsVisible(d.Name), "name", "length",
		"名称需为 1 至 80 个字符", "The name must have 1 to 80 characters")
	at, ok := text.WebAddress(d.URL)
	p.When(!ok || at.User != nil || at.Fragment != "" || len(d.URL) > 1000 ||
		(at.Scheme != "https" && !w.settings.Get().WebhookAllowPrivate), "url", "url", "请填写以 https:// 开头的地址",
		"Please give an address that begins with https://")
	p.When(len(d.Types) == 0, "events", "required", "请至少选择一种事件", "Please choose one event at least")
	p.When(slices.ContainsFunc(d.Types, func(t Type) bool { return !known(t) }), "events", "choice", "没有这种事件",
		"There is no such event")
	return p.Err()
}

// List returns all endpoints with the types that each hears of.
func (w *Webhooks) List(ctx context.Context) (endpoints []Endpoint, err error) {
	if err := w.db.NewSelect().Model(&endpoints).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	var rows []struct {
		EndpointID int64
		Type       Type
	}
	if err := w.db.NewSelect().Table("webhook_subscription").Column("endpoint_id", "type").OrderExpr("type").
		Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for i := range endpoints {
		for _, r := range rows {
			if r.EndpointID == endpoints[i].ID {
				endpoints[i].Types = append(endpoints[i].Types, r.Type)
			}
		}
	}
	return endpoints, nil
}

// Add adds an endpoint and returns the secret by which its receiver checks signatures. It is not shown again.
func (w *Webhooks) Add(ctx context.Context, d Draft) (e Endpoint, secret string, err error) {
	if err := w.check(&d); err != nil {
		return e, "", err
	}
	raw := newSecret()
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := tx.NewSelect().Model((*Endpoint)(nil)).Count(ctx)
		if err != nil {
			return err
		}
		if n >= maxEndpoints {
			return ErrTooMany
		}
		now := w.db.Now()
		// The secret is sealed for the row's number, which the database gives.
		e = Endpoint{
			Name: d.Name, URL: d.URL, Enabled: d.Enabled, Secret: []byte{}, CreatedAt: now, UpdatedAt: now,
			Types: d.Types,
		}
		if _, err := tx.NewInsert().Model(&e).Exec(ctx); err != nil {
			return err
		}
		e.Secret = w.secrets.Seal(e.ID, raw)
		if _, err := tx.NewUpdate().Model(&e).Column("secret").WherePK().Exec(ctx); err != nil {
			return err
		}
		if err := subscribe(ctx, tx, e.ID, d.Types); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "webhook.add", audit.ID("webhook", e.ID), nil, e.audited(), "")
	})
	return e, shownSecret(raw), err
}

func subscribe(ctx context.Context, tx bun.Tx, id int64, types []Type) error {
	if _, err := tx.NewDelete().Table("webhook_subscription").Where("endpoint_id = ?", id).Exec(ctx); err != nil {
		return err
	}
	for _, t := range types {
		if _, err := tx.NewRaw(`INSERT INTO webhook_subscription (endpoint_id, type) VALUES (?, ?)`, id, t).
			Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Change replaces what staff says of an endpoint. One that is enabled again begins anew.
func (w *Webhooks) Change(ctx context.Context, id int64, d Draft) (e Endpoint, err error) {
	if err := w.check(&d); err != nil {
		return e, err
	}
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		was, err := locked(ctx, tx, id)
		if err != nil {
			return err
		}
		e = *was
		e.Name, e.URL, e.Enabled, e.Types, e.UpdatedAt = d.Name, d.URL, d.Enabled, d.Types, w.db.Now()
		if e.URL != was.URL || (e.Enabled && !was.Enabled) {
			e.FailingSince, e.PausedUntil = nil, nil
		}
		if e.Enabled {
			e.DisabledReason = NotDisabled
		}
		if _, err := tx.NewUpdate().Model(&e).Column("name", "url", "enabled", "failing_since", "paused_until",
			"disabled_reason", "updated_at").WherePK().Exec(ctx); err != nil {
			return err
		}
		if err := subscribe(ctx, tx, id, d.Types); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "webhook.change", audit.ID("webhook", id), was.audited(), e.audited(), "")
	})
	return e, err
}

// Rotate gives an endpoint a new secret. For a day the former one signs beside it, so that receivers can be changed.
func (w *Webhooks) Rotate(ctx context.Context, id int64) (secret string, err error) {
	raw := newSecret()
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		e, err := locked(ctx, tx, id)
		if err != nil {
			return err
		}
		now := w.db.Now()
		until := now.Add(previousLife)
		e.PreviousSecret, e.PreviousUntil, e.Secret, e.UpdatedAt = e.Secret, &until, w.secrets.Seal(id, raw), now
		if _, err := tx.NewUpdate().Model(e).Column("secret", "previous_secret", "previous_until", "updated_at").
			WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "webhook.rotate", audit.ID("webhook", id), nil,
			map[string]any{"previous_until": until}, "")
	})
	return shownSecret(raw), err
}

// Remove removes an endpoint with its deliveries.
func (w *Webhooks) Remove(ctx context.Context, id int64) error {
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		e, err := locked(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, table := range []string{"webhook_delivery", "webhook_subscription"} {
			if _, err := tx.NewDelete().Table(table).Where("endpoint_id = ?", id).Exec(ctx); err != nil {
				return err
			}
		}
		if _, err := tx.NewDelete().Model(e).WherePK().Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "webhook.remove", audit.ID("webhook", id), e.audited(), nil, "")
	})
}

// audited is what the audit log keeps of an endpoint.
func (e *Endpoint) audited() any {
	return struct {
		Name    string `json:"name"`
		URL     string `json:"url"`
		Enabled bool   `json:"enabled"`
		Types   []Type `json:"events"`
	}{e.Name, e.URL, e.Enabled, e.Types}
}

// SendTest sends an event to an endpoint at once, whether or not it is enabled, and returns what came of it. The
// attempt is in the log; it is not repeated.
func (w *Webhooks) SendTest(ctx context.Context, id int64) (a Attempt, err error) {
	var d Delivery
	err = w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := locked(ctx, tx, id); err != nil {
			return err
		}
		now := w.db.Now()
		deliveries, err := insert(ctx, tx, Event{Test, now, map[string]any{"webhook_id": id}}, id)
		if err != nil {
			return err
		}
		d = deliveries[0]
		until := now.Add(lease)
		// It expires before any pause is over, so a failure ends it.
		d.Attempts, d.LeaseUntil, d.ExpiresAt = 1, &until, now.Add(lease/60)
		if _, err := tx.NewUpdate().Model(&d).Column("attempts", "lease_until", "expires_at").WherePK().
			Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "webhook.test", audit.ID("webhook", id), nil, nil, "")
	})
	if err != nil {
		return a, err
	}
	return w.attempt(ctx, &d)
}

// Redeliver sends a delivery that has ended once more, with the same id and body.
func (w *Webhooks) Redeliver(ctx context.Context, endpointID, deliveryID int64) error {
	return w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := locked(ctx, tx, endpointID); err != nil {
			return err
		}
		var found []Delivery
		if err := tx.NewSelect().Model(&found).Where("id = ? AND endpoint_id = ?", deliveryID, endpointID).
			Scan(ctx); err != nil {
			return err
		}
		if len(found) == 0 {
			return ErrNoDelivery
		}
		d := found[0]
		if d.State == Waiting {
			return ErrWaiting
		}
		now := w.db.Now()
		before := map[string]any{"state": d.State}
		d.State, d.Attempts, d.NextAt, d.EndedAt, d.ExpiresAt = Waiting, 0, &now, nil, now.Add(maxAge)
		if _, err := tx.NewUpdate().Model(&d).Column("state", "attempts", "next_at", "ended_at", "expires_at").
			WherePK().Exec(ctx); err != nil {
			return err
		}
		// An endpoint that is paused after failures is tried at once.
		if _, err := tx.NewUpdate().Model((*Endpoint)(nil)).Set("paused_until = NULL").Where("id = ?", endpointID).
			Exec(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "webhook.redeliver", audit.ID("webhook_delivery", d.ID), before,
			map[string]any{"state": d.State}, "")
	})
}

// LoggedDelivery is a delivery as the log shows it.
type LoggedDelivery struct {
	Delivery
	EventUUID string
	Type      Type
	At        time.Time
	Body      string // of the log of one delivery
	Tries     []Attempt
}

// DeliveryFilter says which deliveries are looked for; what is zero does not matter.
type DeliveryFilter struct {
	State         State
	Type          Type
	Limit, Offset int64
}

// Deliveries returns a part of the deliveries of an endpoint, newest first, and how many there are.
func (w *Webhooks) Deliveries(
	ctx context.Context, endpointID int64, f DeliveryFilter,
) (list []LoggedDelivery, total int64, err error) {
	if err := w.known(ctx, endpointID); err != nil {
		return nil, 0, err
	}
	q := w.logged(&list).Where("d.endpoint_id = ?", endpointID).OrderExpr("d.id DESC").Limit(f.Limit).Offset(f.Offset)
	if f.State != "" {
		q.Where("d.state = ?", f.State)
	}
	if f.Type != "" {
		q.Where("ev.type = ?", f.Type)
	}
	total, err = q.ScanAndCount(ctx)
	return list, total, err
}

// Delivery returns one delivery of an endpoint with its body and all its attempts.
func (w *Webhooks) Delivery(ctx context.Context, endpointID, deliveryID int64) (d LoggedDelivery, err error) {
	var list []LoggedDelivery
	if err := w.logged(&list).ColumnExpr("ev.body").Where("d.endpoint_id = ? AND d.id = ?", endpointID, deliveryID).
		Scan(ctx); err != nil {
		return d, err
	}
	if len(list) == 0 {
		return d, ErrNoDelivery
	}
	d = list[0]
	return d, w.db.NewSelect().Model(&d.Tries).Where("delivery_id = ?", d.ID).OrderExpr("id").Scan(ctx)
}

func (w *Webhooks) logged(into *[]LoggedDelivery) *bun.SelectQuery {
	return w.db.NewSelect().Model(into).ModelTableExpr("webhook_delivery AS d").
		ColumnExpr("d.*, ev.uuid AS event_uuid, ev.type, ev.at").
		Join("JOIN webhook_event AS ev ON ev.id = d.event_id")
}

func (w *Webhooks) known(ctx context.Context, id int64) error {
	exists, err := w.db.NewSelect().Model((*Endpoint)(nil)).Where("id = ?", id).Exists(ctx)
	if err == nil && !exists {
		err = ErrNoEndpoint
	}
	return err
}
