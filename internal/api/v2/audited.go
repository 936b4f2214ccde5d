package v2

import (
	"context"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/audit"
)

// Audited has what staff does written to the audit log.
func Audited(log *audit.Log) Resource {
	return func(r *Router) { r.log = log }
}

// acting gives the context in which a member of staff acts.
func (r *Router) acting(ctx context.Context, who account.Identity) context.Context {
	if r.log == nil {
		return ctx
	}
	return r.log.As(ctx, who.Actor(clientOf(ctx), api.CallerOf(ctx).RequestID))
}
