package payment

import (
	"context"
	"errors"
	"net/url"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

// Gateway is one way to pay.
type Gateway interface {
	// Name stands in the path of its notifies and in the ledger, and never changes.
	Name() string
	// Title is what users see.
	Title() fault.Text
	// Begin gives the place where the bill is paid. The same bill may be begun again and stays one bill.
	Begin(ctx context.Context, b Bill) (wallet.PayPage, error)
	// Ask gives what the gateway knows of the bill with this trade number.
	Ask(ctx context.Context, tradeNo string) (Payment, error)
	// Read verifies a notify and reads it: ErrSignature where somebody else sent it, ErrUnreadable where it makes no sense.
	Read(n Notify) (Payment, error)
	// Answer is what the gateway wants to hear: that we have the notify, or that it should not count on that.
	Answer(accepted bool) Answer
}

// Bill is what a gateway is asked to collect.
type Bill struct {
	TradeNo   string
	Amount    money.Amount
	Currency  string // ISO 4217
	Title     string
	ReturnURL string // where the payer's browser goes afterwards; proof of nothing
	NotifyURL string
}

// PaymentState is what became of a bill.
type PaymentState string

// The states of a payment.
const (
	Waiting PaymentState = "waiting"
	Paid    PaymentState = "paid"
	Failed  PaymentState = "failed"
)

// Payment is what a gateway says of a bill.
type Payment struct {
	TradeNo       string
	TransactionID string // the gateway's own number of the payment
	Amount        money.Amount
	Currency      string
	State         PaymentState
}

// Notify is a request that claims to come from a gateway, as it arrived.
type Notify struct {
	Method  string
	Query   string
	Header  map[string][]string // canonical names
	Body    []byte
	Address string // of who sent it
}

// Values gives the notify's form: its body, or its query where that is empty.
func (n Notify) Values() (url.Values, error) {
	if len(n.Body) > 0 {
		return url.ParseQuery(string(n.Body))
	}
	return url.ParseQuery(n.Query)
}

// Answer is the HTTP answer to a notify.
type Answer struct {
	Status      int
	ContentType string
	Body        string
}

// What Read may say of a notify.
var (
	ErrSignature  = errors.New("payment: the signature does not hold")
	ErrUnreadable = errors.New("payment: the notify cannot be read")
)
