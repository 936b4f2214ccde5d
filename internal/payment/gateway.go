package payment

import (
	"context"
	"errors"
	"net/url"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// Gateway is an account with a payment platform, opened with its credentials.
type Gateway interface {
	// Begin returns the page on which the bill is paid. The same bill may be begun again and stays one bill.
	Begin(ctx context.Context, b Bill) (wallet.PayPage, error)
	// Ask returns what the platform knows of the bill. One that it does not know yet is Waiting.
	Ask(ctx context.Context, b Bill) (Payment, error)
	// Read verifies a notify and reads it; see the errors below.
	Read(ctx context.Context, n Notify) (Payment, error)
	// Answer is what the platform wants to hear: that we have the notify, or that it should not count on that.
	Answer(accepted bool) Answer
}

// Refunder is a gateway that gives money back.
type Refunder interface {
	// Refund has the platform give money back: nil means that it did. The same refund may be asked for again and stays
	// one refund; one that was done before is nil, whatever the platform would say to a new one. *RefundRefused means
	// that under this number nothing was given back, nor will be. After any other error the platform may have done it,
	// or may still do it.
	Refund(ctx context.Context, r Refund) error
}

// RefundRefused is the error of a refund that the platform refused for good.
type RefundRefused struct {
	Words string // of the platform
}

func (e *RefundRefused) Error() string { return "payment: the platform refused the refund: " + e.Words }

// ErrRefundUnderway is the error of a refund that the platform has taken on and not finished.
var ErrRefundUnderway = errors.New("payment: the platform works on the refund")

// Kind is a payment platform, with which a site may have several accounts.
type Kind struct {
	Name       string
	Title      fault.Text
	Currencies []string // in which it can be paid; empty: all
	Fields     []Field  // the credentials that Open needs
	Open       func(s Setup) (Gateway, error)
}

// Field is one credential, as a form shows it.
type Field struct {
	Name     string
	Title    fault.Text
	Required bool
	Long     bool // has several lines, such as a key in PEM
	Public   bool // whoever pays reads it, so that staff may read it again
	Choices  []string
}

// Setup is what a gateway is opened with.
type Setup struct {
	Credentials map[string]string // by the names of the kind's fields; only those that are set
	Now         func() time.Time
}

// Or returns the credential called name, or standard where it is not set.
func (s Setup) Or(name, standard string) string {
	if v := s.Credentials[name]; v != "" {
		return v
	}
	return standard
}

// BadCredential is the fault of a credential that cannot be used.
func BadCredential(name string, cause error) error {
	return fault.Invalid("credentials."+name, "format", "无法使用，请检查是否完整复制",
		"This cannot be used; please check that all of it was copied").Because(cause)
}

// Bill is what a gateway is asked to collect.
type Bill struct {
	TradeNo   string
	Amount    money.Amount
	Currency  string // ISO 4217
	Title     string
	ReturnURL string // where the payer's browser goes afterwards; proof of nothing
	NotifyURL string
	ExpiresAt time.Time
	Ref       string // the platform's own number of the bill, once Begin gave one
}

// PaymentState is what became of a bill.
type PaymentState string

// The states of a payment.
const (
	Waiting PaymentState = "waiting"
	Paid    PaymentState = "paid"
	Failed  PaymentState = "failed" // closed unpaid, or given back
)

// Payment is what a gateway says of a bill.
type Payment struct {
	TradeNo       string
	TransactionID string // the platform's own number of the payment; it has one once it is Paid
	Amount        money.Amount
	Currency      string
	State         PaymentState
}

// Unpaid returns the payment of a bill of which the platform names nothing but the state.
func (b Bill) Unpaid(state PaymentState) Payment {
	return Payment{TradeNo: b.TradeNo, Amount: b.Amount, Currency: b.Currency, State: state}
}

// Refund is a part of a paid bill, or all of it, that is given back.
type Refund struct {
	No            string // ours; names this refund among all
	Bill          Bill
	TransactionID string // of the payment
	Amount        money.Amount
	Reason        string
}

// Notify is a request that claims to come from a gateway, as it arrived.
type Notify struct {
	Method  string
	Query   string
	Header  map[string][]string // canonical names
	Body    []byte
	Address string // of who sent it
}

// Form returns the notify's form: its body, or its query where that is empty. A name that occurs twice makes it
// ErrUnreadable, since who signed it may have read the other value, and so does a value that the database cannot keep.
func (n Notify) Form() (map[string]string, error) {
	form, encoded := map[string]string{}, n.Query
	if len(n.Body) > 0 {
		encoded = string(n.Body)
	}
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, errors.Join(ErrUnreadable, err)
	}
	for name, all := range values {
		if len(all) != 1 || !text.IsStorable(name) || !text.IsStorable(all[0]) {
			return nil, ErrUnreadable
		}
		form[name] = all[0]
	}
	return form, nil
}

// Answer is the HTTP answer to a notify.
type Answer struct {
	Status      int
	ContentType string
	Body        string
}

// Word is an answer of one word, as most platforms want it: accepted with 200, anything else with 400.
func Word(accepted bool, yes, no string) Answer {
	a := Answer{Status: 200, ContentType: "text/plain; charset=utf-8", Body: yes}
	if !accepted {
		a.Status, a.Body = 400, no
	}
	return a
}

// The errors of Read.
var (
	ErrSignature  = errors.New("payment: the signature does not hold")
	ErrUnreadable = errors.New("payment: the notify cannot be read")
	ErrMerchant   = errors.New("payment: the notify is meant for another merchant")
	ErrNoPayment  = errors.New("payment: the notify speaks of no payment")
)
