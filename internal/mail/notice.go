package mail

import "airstrip/internal/money"

// NoticeTest is what users send themselves to see that notices reach them.
type NoticeTest struct{}

// PaymentReceived tells that a recharge was paid.
type PaymentReceived struct {
	Amount   money.Amount // credited to the wallet
	Currency string
	Gateway  string
}

// PayoutDecided tells what staff decided on a request to pay commission out.
type PayoutDecided struct {
	Amount   money.Amount
	Currency string
	Paid     bool   // false: refused, and the amount is free again
	Answer   string // of staff; may be empty
}

func (NoticeTest) kind() string      { return "notice_test" }
func (PaymentReceived) kind() string { return "payment_received" }
func (PayoutDecided) kind() string   { return "payout_decided" }

// KindOf returns the kind of a mail, by which it is stored and its template is called.
func KindOf(c Content) string { return c.kind() }
