package mail

import (
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

func (PaymentCase) kind() string { return "payment_case" }
