package mail

import "time"

// WebhookDisabled tells staff that a webhook failed for too long, or was given up by its receiver, and hears of nothing
// any more.
type WebhookDisabled struct {
	Webhook string
	Since   time.Time // of its first failure
	IsGone  bool      // the receiver answered that it is gone for good
}

func (WebhookDisabled) kind() string { return "webhook_disabled" }
