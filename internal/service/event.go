package service

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/webhook"
)

// event is what the operator's programs hear of a service.
func (s *Service) event(t webhook.Type, at time.Time) webhook.Event {
	return webhook.Event{Type: t, At: at, Data: map[string]any{
		"service_id": s.ID, "user_id": s.UserID, "plan_id": s.PlanID, "name": s.Name, "started_at": s.StartedAt,
		"ends_at": s.EndsAt, "end_reason": s.EndReason,
	}}
}

// emitEnded tells the operator's programs of services that ended.
func emitEnded(ctx context.Context, tx bun.Tx, ended []Service, at time.Time) error {
	events := make([]webhook.Event, len(ended))
	for i := range ended {
		events[i] = ended[i].event(webhook.ServiceEnded, at)
	}
	return webhook.Emit(ctx, tx, events...)
}

// emitExhausted tells them of a user whose traffic is used up.
func emitExhausted(ctx context.Context, tx bun.Tx, a *Access, at time.Time) error {
	return webhook.Emit(ctx, tx, webhook.Event{Type: webhook.QuotaReached, At: at, Data: map[string]any{
		"user_id": a.UserID, "resets_at": a.ResetsAt, "expires_at": a.ExpiresAt,
	}})
}
