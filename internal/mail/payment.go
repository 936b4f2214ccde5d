package mail

import (
	"strconv"
	"time"

	"airstrip/internal/money"
)

// PaymentCase tells staff of a payment that was refused, doubled or matches nothing.
type PaymentCase struct {
	At            time.Time
	No            int64 // of the case
	Gateway       string
	TransactionID string
	Amount        money.Amount
	Currency      string
	Doubled       bool // another payment for a recharge that is paid
}

func (c PaymentCase) fill(v *values) {
	v.time("time", c.At)
	v.text("case_no", strconv.FormatInt(c.No, 10))
	v.text("gateway", c.Gateway)
	v.text("transaction_id", c.TransactionID)
	v.amount("amount", c.Amount, c.Currency)
	v.say("cause", "与任何充值都不相符", "that fits no recharge")
	if c.Doubled {
		v.say("cause", "对应的充值已经支付过", "for a recharge that is paid already")
	}
}

func (PaymentCase) kind() string { return "payment_case" }
