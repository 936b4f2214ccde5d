// Package stripe is Stripe Checkout: a page of Stripe's that takes cards and much else.
//
// Documented at https://docs.stripe.com/api/checkout/sessions, https://docs.stripe.com/webhooks#verify-events
// (signatures) and https://docs.stripe.com/payments/checkout/fulfill-orders (what a session says, and when).
package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v84"
	"github.com/stripe/stripe-go/v84/webhook"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// Kind is Stripe Checkout. All currencies that a site may have are two-decimal ones at Stripe too.
var Kind = payment.Kind{
	Name:  "stripe",
	Title: fault.Text{ZH: "Stripe（银行卡）", EN: "Stripe (card)"},
	Fields: []payment.Field{
		{
			Name: "secret_key", Title: fault.Text{ZH: "密钥（sk_ 或 rk_ 开头）", EN: "Secret key, beginning with sk_ or rk_"},
			Required: true,
		},
		{Name: "webhook_secret", Title: fault.Text{
			ZH: "Webhook 签名密钥（whsec_ 开头）",
			EN: "Signing secret of the webhook, beginning with whsec_",
		}, Required: true},
		{Name: "api_url", Title: fault.Text{ZH: "接口地址（默认正式环境）", EN: "Address of the API, by default Stripe's"}},
	},
	Open: open,
}

type gateway struct {
	key, webhookSecret string
	api                stripe.Backend
	now                func() time.Time
}

func open(s payment.Setup) (payment.Gateway, error) {
	if !strings.HasPrefix(s.Credentials["webhook_secret"], "whsec_") {
		return nil, payment.BadCredential("webhook_secret", errors.New("does not begin with whsec_"))
	}
	if k := s.Credentials["secret_key"]; !strings.HasPrefix(k, "sk_") && !strings.HasPrefix(k, "rk_") {
		return nil, payment.BadCredential("secret_key", errors.New("begins with neither sk_ nor rk_"))
	}
	return &gateway{
		s.Credentials["secret_key"], s.Credentials["webhook_secret"],
		stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
			URL: stripe.String(s.Or("api_url", stripe.APIURL)), HTTPClient: payment.Client,
			MaxNetworkRetries: stripe.Int64(1),
			EnableTelemetry:   stripe.Bool(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
		}), s.Now,
	}, nil
}

const (
	minTime = 31 * time.Minute // Stripe demands that sessions live for half an hour at least,
	maxTime = 23 * time.Hour   // and for a day at most
)

// Begin opens a session. Its key makes a repeated call find the session that the first one opened, as long as it asks
// for exactly the same: so its end follows from the bill and not from the time of the call.
func (g *gateway) Begin(ctx context.Context, b payment.Bill) (wallet.PayPage, error) {
	ends := b.ExpiresAt.Add(minTime)
	if latest := g.now().Add(maxTime); ends.After(latest) {
		ends = latest
	}
	params := &stripe.CheckoutSessionParams{
		Mode:              stripe.String(string(stripe.CheckoutSessionModePayment)),
		ClientReferenceID: stripe.String(b.TradeNo),
		SuccessURL:        stripe.String(b.ReturnURL),
		CancelURL:         stripe.String(b.ReturnURL),
		ExpiresAt:         stripe.Int64(ends.Unix()),
		LineItems: []*stripe.CheckoutSessionLineItemParams{{
			Quantity: stripe.Int64(1),
			PriceData: &stripe.CheckoutSessionLineItemPriceDataParams{
				Currency: stripe.String(strings.ToLower(b.Currency)), UnitAmount: stripe.Int64(int64(b.Amount)),
				ProductData: &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: stripe.String(b.Title)},
			},
		}},
		PaymentIntentData: &stripe.CheckoutSessionPaymentIntentDataParams{Metadata: map[string]string{"trade_no": b.TradeNo}},
	}
	params.Context = ctx
	params.SetIdempotencyKey("session " + b.TradeNo)
	var s stripe.CheckoutSession
	if err := g.api.Call(http.MethodPost, "/v1/checkout/sessions", g.key, params, &s); err != nil {
		return wallet.PayPage{}, err
	}
	if s.URL == "" || s.ID == "" {
		return wallet.PayPage{}, errors.New("stripe: the session has no page")
	}
	return wallet.PayPage{Kind: "url", URL: s.URL, Ref: s.ID}, nil
}

// Ask looks the session up. A bill has none before its page was opened.
func (g *gateway) Ask(ctx context.Context, b payment.Bill) (payment.Payment, error) {
	if b.Ref == "" {
		return b.Unpaid(payment.Waiting), nil
	}
	params := &stripe.CheckoutSessionParams{}
	params.Context = ctx
	var s stripe.CheckoutSession
	err := g.api.Call(http.MethodGet, stripe.FormatURLPath("/v1/checkout/sessions/%s", b.Ref), g.key, params, &s)
	if said := new(stripe.Error); errors.As(err, &said) && said.Code == stripe.ErrorCodeResourceMissing {
		return b.Unpaid(payment.Waiting), nil
	}
	if err != nil {
		return payment.Payment{}, err
	}
	return read(&s)
}

func read(s *stripe.CheckoutSession) (payment.Payment, error) {
	if s.ClientReferenceID == "" { // a session of something else that this Stripe account is used for
		return payment.Payment{}, payment.ErrNoPayment
	}
	p := payment.Payment{
		TradeNo: s.ClientReferenceID, Amount: money.Amount(s.AmountTotal),
		Currency: strings.ToUpper(string(s.Currency)), State: payment.Waiting,
	}
	if s.PaymentIntent != nil {
		p.TransactionID = s.PaymentIntent.ID
	}
	switch {
	case s.PaymentStatus == stripe.CheckoutSessionPaymentStatusPaid:
		p.State = payment.Paid
	case s.Status == stripe.CheckoutSessionStatusExpired:
		p.State = payment.Failed
	}
	return p, nil
}

// Refund gives back a part or all of a payment. Stripe forgets the key of a call after a day; what it never forgets are
// the refunds of a payment, so those are looked through first.
func (g *gateway) Refund(ctx context.Context, r payment.Refund) error {
	list := &stripe.RefundListParams{PaymentIntent: stripe.String(r.TransactionID)}
	list.Limit = stripe.Int64(100)
	for known, err := range stripe.NewClient(g.key,
		stripe.WithBackends(&stripe.Backends{API: g.api})).V1Refunds.List(ctx, list) {
		if err != nil {
			return err
		}
		if known.Metadata[refundNo] == r.No {
			return outcome(known)
		}
	}
	params := &stripe.RefundParams{
		PaymentIntent: stripe.String(r.TransactionID), Amount: stripe.Int64(int64(r.Amount)),
		Metadata: map[string]string{refundNo: r.No},
	}
	params.Context = ctx
	params.SetIdempotencyKey("refund " + r.No)
	var made stripe.Refund
	err := g.api.Call(http.MethodPost, "/v1/refunds", g.key, params, &made)
	if no := new(stripe.Error); errors.As(err, &no) && (no.Type == stripe.ErrorTypeInvalidRequest ||
		no.Type == stripe.ErrorTypeCard) &&
		(no.HTTPStatusCode == http.StatusBadRequest || no.HTTPStatusCode == http.StatusPaymentRequired ||
			no.HTTPStatusCode == http.StatusNotFound) {
		return &payment.RefundRefused{Words: no.Msg}
	}
	if err != nil {
		return err
	}
	return outcome(&made)
}

const refundNo = "refund_no" // in a refund's metadata: our number

func outcome(made *stripe.Refund) error {
	switch made.Status {
	case stripe.RefundStatusSucceeded:
		return nil
	case stripe.RefundStatusFailed, stripe.RefundStatusCanceled:
		return &payment.RefundRefused{Words: string(made.Status) + " " + string(made.FailureReason)}
	}
	return payment.ErrRefundUnderway
}

// Read takes the events of Checkout sessions. What counts is the state of the payment in them: where a way to pay takes
// days, the session is complete long before.
func (g *gateway) Read(_ context.Context, n payment.Notify) (payment.Payment, error) {
	if err := webhook.ValidatePayload(n.Body, http.Header(n.Header).Get("Stripe-Signature"),
		g.webhookSecret); err != nil {
		return payment.Payment{}, errors.Join(payment.ErrSignature, err)
	}
	var event stripe.Event
	if err := json.Unmarshal(n.Body, &event); err != nil || event.Data == nil {
		return payment.Payment{}, errors.Join(payment.ErrUnreadable, err)
	}
	switch event.Type {
	case stripe.EventTypeCheckoutSessionCompleted, stripe.EventTypeCheckoutSessionExpired,
		stripe.EventTypeCheckoutSessionAsyncPaymentSucceeded, stripe.EventTypeCheckoutSessionAsyncPaymentFailed:
	default:
		return payment.Payment{}, payment.ErrNoPayment
	}
	var s stripe.CheckoutSession
	if err := json.Unmarshal(event.Data.Raw, &s); err != nil {
		return payment.Payment{}, errors.Join(payment.ErrUnreadable, err)
	}
	p, err := read(&s)
	if err == nil && event.Type == stripe.EventTypeCheckoutSessionAsyncPaymentFailed && p.State != payment.Paid {
		p.State = payment.Failed
	}
	return p, err
}

// Answer is 200 where the event was taken; Stripe repeats others for three days.
func (g *gateway) Answer(accepted bool) payment.Answer {
	return payment.Word(accepted, "ok", "refused")
}
