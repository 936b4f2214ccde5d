package staff

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
	"airstrip/internal/webhook"
)

type webhookBody struct {
	Name    string         `json:"name" minLength:"1" maxLength:"80"`
	URL     string         `json:"url" maxLength:"1000" doc:"Begins with https://" example:"https://ops.example.com/airstrip"`
	Events  []webhook.Type `json:"events" minItems:"1" doc:"Types of events that are sent there; see GET /staff/webhook-events"`
	Enabled bool           `json:"is_enabled"`
}

type staffWebhook struct {
	ID             int64          `json:"id"`
	Name           string         `json:"name"`
	URL            string         `json:"url"`
	Events         []webhook.Type `json:"events"`
	Enabled        bool           `json:"is_enabled"`
	DisabledReason webhook.Reason `json:"disabled_reason" enum:",failing,gone" doc:"Why the server disabled it: it failed for days, or answered 410"`
	FailingSince   *time.Time     `json:"failing_since" nullable:"true" doc:"First of the failures that no success has ended"`
	CreatedAt      time.Time      `json:"created_at"`
	UpdatedAt      time.Time      `json:"updated_at"`
	v2.Version
}

type newWebhook struct {
	Webhook staffWebhook `json:"webhook"`
	Secret  string       `json:"secret" doc:"Checks signatures; not shown again"`
}

// SetVersion sets the version of the webhook that was made.
func (n *newWebhook) SetVersion(to audit.Version) { n.Webhook.SetVersion(to) }

type webhookSecret struct {
	Secret string `json:"secret" doc:"Checks signatures; not shown again. The former one signs beside it for a day"`
}

type webhookEvent struct {
	Type webhook.Type `json:"type"`
	Text string       `json:"text"`
}

type webhookAttempt struct {
	At         time.Time `json:"at"`
	DurationMS int64     `json:"duration_ms"`
	Status     int       `json:"status" doc:"Of HTTP; 0: there was no answer"`
	Error      string    `json:"error" doc:"Of the network; may be empty"`
	Answer     string    `json:"answer" doc:"The first 2 KB"`
	IsAccepted bool      `json:"is_accepted"`
}

// WebhookDelivery is one event for one webhook; exported because it is embedded.
type WebhookDelivery struct {
	ID        int64         `json:"id"`
	EventID   string        `json:"event_id" doc:"Header webhook-id; the same in each attempt"`
	Type      webhook.Type  `json:"type"`
	EventAt   time.Time     `json:"event_at"`
	State     webhook.State `json:"state" enum:"waiting,delivered,failed"`
	Attempts  int64         `json:"attempts"`
	NextAt    *time.Time    `json:"next_at" nullable:"true" doc:"When it is tried next, while it waits"`
	EndedAt   *time.Time    `json:"ended_at" nullable:"true"`
	ExpiresAt time.Time     `json:"expires_at" doc:"When it fails for good"`
}

type webhookDeliveries struct {
	Deliveries []WebhookDelivery `json:"deliveries" doc:"Newest first"`
	TotalCount int64             `json:"total_count"`
}

type webhookDeliveryLog struct {
	WebhookDelivery
	Body string           `json:"body" doc:"What is sent"`
	Log  []webhookAttempt `json:"log" doc:"All attempts, oldest first"`
}

type webhookPath struct {
	ID int64 `path:"webhook_id" minimum:"1"`
}

type webhookDeliveryPath struct {
	ID         int64 `path:"webhook_id" minimum:"1"`
	DeliveryID int64 `path:"delivery_id" minimum:"1"`
}

func (b webhookBody) draft() webhook.Draft {
	return webhook.Draft{Name: b.Name, URL: b.URL, Types: b.Events, Enabled: b.Enabled}
}

func showWebhook(e *webhook.Endpoint, version v2.Version) staffWebhook {
	return staffWebhook{
		e.ID, e.Name, e.URL, append([]webhook.Type{}, e.Types...), e.Enabled, e.DisabledReason, e.FailingSince,
		e.CreatedAt, e.UpdatedAt, version,
	}
}

func showAttempt(a webhook.Attempt) webhookAttempt {
	return webhookAttempt{a.At, a.DurationMS, a.Status, a.Error, a.Answer, a.Accepted()}
}

func showDelivery(d *webhook.LoggedDelivery) WebhookDelivery {
	return WebhookDelivery{
		d.ID, d.EventUUID, d.Type, d.At, d.State, d.Attempts, d.NextAt, d.EndedAt, d.ExpiresAt,
	}
}

// Webhooks adds what staff does with the addresses of the operator's own programs that hear of events.
func Webhooks(hooks *webhook.Webhooks) v2.Resource {
	return func(r *v2.Router) {
		webhookEndpoints(r, hooks)
		webhookLog(r, hooks)
	}
}

func webhookEndpoints(r *v2.Router, hooks *webhook.Webhooks) {
	v2.HandleList(r, v2.StaffOp("GET /staff/webhook-events", permission.WebhookRead).
		Named("staff_webhook_events", "Types of events that webhooks may hear of"),
		func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []webhookEvent, err error) {
			for _, t := range webhook.Types {
				out = append(out, webhookEvent{t.Type, t.Text.In(api.CallerOf(ctx).Lang)})
			}
			return out, nil
		})
	v2.HandleList(r, v2.StaffOp("GET /staff/webhooks", permission.WebhookRead).
		Named("staff_webhooks", "Webhooks, without their secrets"),
		func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []staffWebhook, err error) {
			versions, err := r.Versions(ctx, "webhook")
			if err != nil {
				return nil, err
			}
			endpoints, err := hooks.List(ctx)
			for i := range endpoints {
				out = append(out, showWebhook(&endpoints[i], versions.Of(endpoints[i].ID)))
			}
			return out, err
		})
	v2.HandleMake(r, v2.StaffOp("POST /staff/webhooks", permission.WebhookWrite).
		Named("staff_webhook_add", "Add a webhook; its secret is shown once"), "webhook",
		func(ctx context.Context, _ account.Identity, in *v2.Body[webhookBody]) (newWebhook, error) {
			e, secret, err := hooks.Add(ctx, in.Body.draft())
			return newWebhook{showWebhook(&e, v2.Version{}), secret}, err
		})
	type change struct {
		ID   int64 `path:"webhook_id" minimum:"1"`
		Body webhookBody
	}
	v2.HandleChange(r, v2.StaffOp("PUT /staff/webhooks/{webhook_id}", permission.WebhookWrite).
		Named("staff_webhook_change", "Change a webhook; one that is enabled again begins anew"),
		func(in *change) audit.Object { return audit.ID("webhook", in.ID) },
		func(ctx context.Context, in *change) (staffWebhook, error) {
			endpoints, err := hooks.List(ctx)
			if err != nil {
				return staffWebhook{}, err
			}
			i := slices.IndexFunc(endpoints, func(e webhook.Endpoint) bool { return e.ID == in.ID })
			if i < 0 {
				return staffWebhook{}, webhook.ErrNoEndpoint
			}
			return showWebhook(&endpoints[i], v2.Version{}), nil
		},
		func(ctx context.Context, _ account.Identity, in *change) (staffWebhook, error) {
			e, err := hooks.Change(ctx, in.ID, in.Body.draft())
			return showWebhook(&e, v2.Version{}), err
		})
	v2.Handle(r, v2.StaffOp("POST /staff/webhooks/{webhook_id}/rotate", permission.WebhookWrite).
		Named("staff_webhook_rotate", "Give a webhook a new secret; the former one signs beside it for a day"),
		func(ctx context.Context, _ account.Identity, in *webhookPath) (webhookSecret, error) {
			secret, err := hooks.Rotate(ctx, in.ID)
			return webhookSecret{secret}, err
		})
	v2.Handle(r, v2.StaffOp("DELETE /staff/webhooks/{webhook_id}", permission.WebhookWrite).
		Named("staff_webhook_remove", "Remove a webhook and its deliveries"),
		func(ctx context.Context, _ account.Identity, in *webhookPath) (v2.Empty, error) {
			return v2.Empty{}, hooks.Remove(ctx, in.ID)
		})
}

func webhookLog(r *v2.Router, hooks *webhook.Webhooks) {
	v2.Handle(r, v2.StaffOp("POST /staff/webhooks/{webhook_id}/test", permission.WebhookSend).
		Named("staff_webhook_test", "Send a test event to a webhook now, and tell what came of it"),
		func(ctx context.Context, _ account.Identity, in *webhookPath) (webhookAttempt, error) {
			a, err := hooks.SendTest(ctx, in.ID)
			return showAttempt(a), err
		})
	v2.Handle(r, v2.StaffOp("GET /staff/webhooks/{webhook_id}/deliveries", permission.WebhookRead).
		Named("staff_webhook_deliveries", "What was sent to a webhook, or waits to be"),
		func(ctx context.Context, _ account.Identity, in *struct {
			ID     int64  `path:"webhook_id" minimum:"1"`
			State  string `query:"state" enum:"waiting,delivered,failed"`
			Type   string `query:"type" maxLength:"64"`
			Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Offset int64  `query:"offset" minimum:"0" default:"0"`
		},
		) (webhookDeliveries, error) {
			list, total, err := hooks.Deliveries(ctx, in.ID, webhook.DeliveryFilter{
				State: webhook.State(in.State), Type: webhook.Type(in.Type), Limit: in.Limit, Offset: in.Offset,
			})
			out := webhookDeliveries{[]WebhookDelivery{}, total}
			for i := range list {
				out.Deliveries = append(out.Deliveries, showDelivery(&list[i]))
			}
			return out, err
		})
	v2.Handle(r, v2.StaffOp("GET /staff/webhooks/{webhook_id}/deliveries/{delivery_id}", permission.WebhookRead).
		Named("staff_webhook_delivery", "One delivery with its body and all attempts"),
		func(ctx context.Context, _ account.Identity, in *webhookDeliveryPath) (webhookDeliveryLog, error) {
			d, err := hooks.Delivery(ctx, in.ID, in.DeliveryID)
			out := webhookDeliveryLog{showDelivery(&d), d.Body, []webhookAttempt{}}
			for _, a := range d.Tries {
				out.Log = append(out.Log, showAttempt(a))
			}
			return out, err
		})
	v2.Handle(r, v2.StaffOp("POST /staff/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
		permission.WebhookSend).
		Named("staff_webhook_redeliver", "Send a delivery once more, with the same id and body"),
		func(ctx context.Context, _ account.Identity, in *webhookDeliveryPath) (v2.Empty, error) {
			return v2.Empty{}, hooks.Redeliver(ctx, in.ID, in.DeliveryID)
		})
}
