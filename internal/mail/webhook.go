package mail

import "time"

// WebhookDisabled tells staff that a webhook failed for too long, or was given up by its receiver, and hears of nothing
// any more.
type WebhookDisabled struct {
	Webhook string
	Since   time.Time // of its first failure
	IsGone  bool      // the receiver answered that it is gone for good
}

func (c WebhookDisabled) fill(v *values) {
	v.text("webhook", c.Webhook)
	since := v.when(c.Since)
	v.say("cause", "自 "+since+" 起一直失败。", "has failed since "+since+".")
	if c.IsGone {
		v.say("cause", "的接收方表示已永久失效（410）。", "is gone for good, as its receiver answers (410).")
	}
}

func (WebhookDisabled) kind() string { return "webhook_disabled" }
