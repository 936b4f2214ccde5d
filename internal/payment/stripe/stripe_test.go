package stripe_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v84/webhook"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/stripe"
	"airstrip/internal/wallet"
)

const (
	secretKey     = "sk_test_51OexampleExample"
	webhookSecret = "whsec_b8f0e2a7c1d94f5e"
)

// platformServer is Stripe with one account.
type platformServer struct {
	t        *testing.T
	mu       sync.Mutex
	sessions map[string]*session // by trade number
	seen     map[string]string   // idempotency keys, with what was asked
	refunds  map[string]money.Amount
	made     []map[string]any // refunds, as a list shows them
}

type session struct {
	id, tradeNo, currency string
	amount                int64
	paid                  bool
	back                  int64
}

func (s *platformServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	no := func(status int, kind, message string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"type":%q,"message":%q}}`, kind, message)
	}
	if r.Header.Get("Authorization") != "Bearer "+secretKey {
		no(401, "invalid_request_error", "Invalid API Key provided")
		return
	}
	r.ParseForm()
	key := r.Header.Get("Idempotency-Key")
	if before, again := s.seen[key]; again && before != r.PostForm.Encode() {
		no(400, "idempotency_error",
			"Keys for idempotent requests can only be used with the same parameters they were first used with.")
		return
	}
	switch path := r.URL.Path; {
	case path == "/v1/checkout/sessions" && r.Method == http.MethodPost:
		f := r.PostForm
		amount, err := strconv.ParseInt(f.Get("line_items[0][price_data][unit_amount]"), 10, 64)
		ends, err2 := strconv.ParseInt(f.Get("expires_at"), 10, 64)
		if err != nil || err2 != nil || key == "" || f.Get("mode") != "payment" ||
			f.Get("line_items[0][quantity]") != "1" || f.Get("success_url") == "" || f.Get("cancel_url") == "" ||
			f.Get("line_items[0][price_data][product_data][name]") == "" ||
			f.Get("line_items[0][price_data][currency]") != strings.ToLower(f.Get("line_items[0][price_data][currency]")) ||
			time.Until(time.Unix(ends, 0)) < 30*time.Minute || time.Until(time.Unix(ends, 0)) > 24*time.Hour {
			s.t.Errorf("session: %v", f)
		}
		no := f.Get("client_reference_id")
		if s.sessions[no] == nil {
			s.sessions[no] = &session{
				id: "cs_test_a1" + no, tradeNo: no,
				currency: f.Get("line_items[0][price_data][currency]"), amount: amount,
			}
		}
		s.seen[key] = f.Encode()
		json.NewEncoder(w).Encode(s.object(no))
	case strings.HasPrefix(path, "/v1/checkout/sessions/cs_test_a1"):
		json.NewEncoder(w).Encode(s.object(strings.TrimPrefix(path, "/v1/checkout/sessions/cs_test_a1")))
	case strings.HasPrefix(path, "/v1/checkout/sessions/") && len(path) > len("/v1/checkout/sessions/"):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"type":"invalid_request_error","code":"resource_missing","param":"id",
			"message":"No such checkout.session"}}`)
	case path == "/v1/refunds" && r.Method == http.MethodGet:
		found := []any{}
		for _, one := range s.made {
			if one["payment_intent"] == r.Form.Get("payment_intent") {
				found = append(found, one)
			}
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": found, "has_more": false})
	case path == "/v1/refunds":
		var of *session
		for _, one := range s.sessions {
			if intent(one.tradeNo) == r.PostForm.Get("payment_intent") {
				of = one
			}
		}
		amount, _ := strconv.ParseInt(r.PostForm.Get("amount"), 10, 64)
		if _, again := s.seen[key]; !again {
			if of == nil || key == "" || of.back+amount > of.amount {
				no(400, "invalid_request_error", "Refund amount is greater than charge amount")
				return
			}
			of.back += amount
			s.refunds[r.PostForm.Get("metadata[refund_no]")] += money.Amount(amount)
			s.seen[key] = r.PostForm.Encode()
			s.made = append(s.made, map[string]any{
				"id": "re_1Nispe2eZvKYlo2Cd31jOCgZ", "object": "refund", "amount": amount, "status": "succeeded",
				"payment_intent": r.PostForm.Get("payment_intent"),
				"metadata":       map[string]string{"refund_no": r.PostForm.Get("metadata[refund_no]")},
			})
		}
		fmt.Fprintf(w, `{"id":"re_1Nispe2eZvKYlo2Cd31jOCgZ","object":"refund","amount":%d,"status":"succeeded"}`,
			amount)
	default:
		s.t.Errorf("an unknown call of %s %s", r.Method, path)
	}
}

func intent(no string) string { return "pi_3N" + no[:20] }

// object is a session as Stripe writes it.
func (s *platformServer) object(no string) map[string]any {
	one := s.sessions[no]
	v := map[string]any{
		"id": one.id, "object": "checkout.session", "amount_subtotal": one.amount, "amount_total": one.amount,
		"client_reference_id": no, "currency": one.currency,
		"livemode": false, "metadata": map[string]string{}, "mode": "payment", "payment_intent": nil,
		"payment_status": "unpaid", "status": "open",
		"url": "https://checkout.stripe.com/c/pay/" + one.id + "#fidkdWxOYHwnPyd1blpxYHZxWjA0",
	}
	if one.paid {
		v["payment_intent"], v["payment_status"], v["status"], v["url"] = intent(no), "paid", "complete", nil
	}
	return v
}

func event(kind string, object map[string]any) string {
	text, err := json.Marshal(map[string]any{
		"id": "evt_1NG8Du2eZvKYlo2CUI79vXWy", "object": "event", "api_version": "2024-06-20", "created": 1795196300,
		"data":     map[string]any{"object": object},
		"livemode": false, "pending_webhooks": 1, "request": map[string]any{"id": nil, "idempotency_key": nil},
		"type": kind,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// signed signs a body at a time, as https://docs.stripe.com/webhooks#verify-manually says.
func signed(body, secret string, at time.Time) paymenttest.Notice {
	sign := hex.EncodeToString(webhook.ComputeSignature(at, []byte(body), secret))
	return paymenttest.Notice{
		Body:   body,
		Header: http.Header{"Stripe-Signature": {fmt.Sprintf("t=%d,v1=%s,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39", at.Unix(), sign)}},
	}
}

func now(body string) paymenttest.Notice { return signed(body, webhookSecret, time.Now()) }

func newPlatform(t *testing.T) (*paymenttest.Platform, *platformServer) {
	s := &platformServer{
		t: t, sessions: map[string]*session{}, seen: map[string]string{}, refunds: map[string]money.Amount{},
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	object := func(no string) map[string]any {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.object(no)
	}
	const paid = "checkout.session.completed"
	return &paymenttest.Platform{
		Kind: stripe.Kind, Account: payment.Account{Name: "stripe"}, Accepted: "ok",
		Credentials: map[string]string{"secret_key": secretKey, "webhook_secret": webhookSecret, "api_url": server.URL},
		OtherMerchant: map[string]string{
			"secret_key": "sk_test_other", "webhook_secret": "whsec_other",
			"api_url": server.URL,
		},
		Pay: func(no string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.sessions[no].paid = true
		},
		Notice:   func(no string) paymenttest.Notice { return now(event(paid, object(no))) },
		Refunded: func(no string) money.Amount { return s.refunds[no] },
		Attacks: func(_ *testing.T, _ *paymenttest.Server, r, other *wallet.Recharge) []paymenttest.Attack {
			with := func(pairs ...any) paymenttest.Notice { // well signed
				v := object(r.TradeNo)
				for i := 0; i < len(pairs); i += 2 {
					v[pairs[i].(string)] = pairs[i+1]
				}
				return now(event(paid, v))
			}
			good := event(paid, object(r.TradeNo))
			header := func(value string) paymenttest.Notice {
				return paymenttest.Notice{Body: good, Header: http.Header{"Stripe-Signature": {value}}}
			}
			at := time.Now()
			sign := hex.EncodeToString(webhook.ComputeSignature(at, []byte(good), webhookSecret))
			return []paymenttest.Attack{
				{Name: "no signature", Notice: paymenttest.Notice{Body: good}, Reason: payment.BadSignature},
				{
					Name: "an empty signature", Notice: header(fmt.Sprintf("t=%d,v1=", at.Unix())),
					Reason: payment.BadSignature,
				},
				{
					Name: "the signature under another scheme", Notice: header(fmt.Sprintf("t=%d,v0=%s", at.Unix(),
						sign)),
					Reason: payment.BadSignature,
				},
				{Name: "another time beside the signature", Notice: header(fmt.Sprintf("t=%d,v1=%s", at.Unix()+1,
					sign)), Reason: payment.BadSignature},
				{Name: "no time", Notice: header("v1=" + sign), Reason: payment.BadSignature},
				{Name: "another secret", Notice: signed(good, "whsec_guess", at), Reason: payment.BadSignature},
				{Name: "the API key as the secret", Notice: signed(good, secretKey, at), Reason: payment.BadSignature},
				{
					Name: "ten minutes old", Notice: signed(good, webhookSecret, at.Add(-10*time.Minute)),
					Reason: payment.BadSignature,
				},
				{
					Name: "another body", Notice: paymenttest.Notice{Body: good + " ", Header: now(good).Header},
					Reason: payment.BadSignature,
				},
				{
					Name: "no event", Notice: now(`{"object":"event","type":"checkout.session.completed"}`),
					Reason: payment.Unreadable,
				},
				{Name: "another amount", Notice: with("amount_total", 1), Reason: payment.WrongAmount},
				{Name: "the amount in the larger unit", Notice: with("amount_total", 30), Reason: payment.WrongAmount},
				{Name: "an amount as text", Notice: with("amount_total", "3000"), Reason: payment.Unreadable},
				{Name: "Arabic digits", Notice: with("amount_total", "٣٠٠٠"), Reason: payment.Unreadable},
				{Name: "a broken amount", Notice: with("amount_total", 3000.5), Reason: payment.Unreadable},
				{Name: "another currency", Notice: with("currency", "jpy"), Reason: payment.WrongCurrency},
				{Name: "no currency", Notice: with("currency", nil), Reason: payment.WrongCurrency},
				{
					Name: "an unknown number", Notice: with("client_reference_id", "NOSUCHNUMBER"),
					Reason: payment.UnknownNumber,
				},
				{Name: "another recharge's number with this payment", Notice: with("client_reference_id", other.TradeNo,
					"amount_total", 5000), Reason: payment.NotConfirmed},
				{
					Name: "an unknown payment", Notice: with("payment_intent", "pi_unknown"),
					Reason: payment.NotConfirmed,
				},
				{Name: "no payment", Notice: with("payment_intent", nil), Reason: payment.Unreadable},
			}
		},
	}, s
}

func TestCheckout(t *testing.T) {
	paymenttest.TestPlatform(t, func(t *testing.T) *paymenttest.Platform { p, _ := newPlatform(t); return p })
}

func TestAnotherCurrencyHasARateAndIsChargedInIt(t *testing.T) {
	dollars := func(t *testing.T) *paymenttest.Platform {
		p, _ := newPlatform(t)
		rate, err := payment.ParseRate("0.1385")
		if err != nil {
			t.Fatal(err)
		}
		p.Account.Currency, p.Account.Rate, p.Account.FeePercent, p.Account.FeeFixed = "USD", rate, 290, 30
		return p
	}
	p := dollars(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	user := c.User(t)
	r := p.Recharge(t, c, user, 3000)
	if r.Fee != 87+30 || r.PayAmount != 432 || r.PayCurrency != "USD" { // 31.17 CNY × 0.1385 = 4.317…, rounded up
		t.Fatalf("%+v", r)
	}
	yuan := event("checkout.session.completed", map[string]any{
		"id": r.PayPage.Ref, "object": "checkout.session", "client_reference_id": r.TradeNo, "amount_total": 432,
		"currency": "cny", "payment_status": "paid", "payment_intent": "pi_3N" + r.TradeNo[:20],
	})
	if w := c.SendNotify(t.Context(), "stripe", now(yuan)); w.Code != http.StatusBadRequest ||
		c.Balance(t, user).Posted != 0 {
		t.Fatalf("4.32 yuan for 4.32 dollars: %d, %+v", w.Code, c.Balance(t, user))
	}
	p.Pay(r.TradeNo)
	if w := c.SendNotify(t.Context(), "stripe", p.Notice(r.TradeNo)); w.Code != http.StatusOK ||
		c.Balance(t, user).Posted != 3000 {
		t.Fatalf("%d %s, %+v", w.Code, w.Body, c.Balance(t, user))
	}
	c.MustBeConsistent(t)
}

func TestASessionThatIsNotPaidYetOrNeverIsCreditsNothing(t *testing.T) {
	p, s := newPlatform(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	user := c.User(t)
	for _, v := range []struct {
		event  string
		change map[string]any
		want   wallet.RechargeState
	}{
		{"checkout.session.completed", map[string]any{"status": "complete"}, wallet.RechargePending},
		{
			"checkout.session.completed",
			map[string]any{"status": "complete", "payment_status": "no_payment_required"},
			wallet.RechargePending,
		},
		{"checkout.session.async_payment_failed", map[string]any{"status": "complete"}, wallet.RechargeFailed},
		{"checkout.session.expired", map[string]any{"status": "expired"}, wallet.RechargeFailed},
		{"payment_intent.succeeded", map[string]any{"payment_status": "paid"}, wallet.RechargePending},
		{
			"checkout.session.completed",
			map[string]any{"payment_status": "paid", "client_reference_id": nil},
			wallet.RechargePending,
		},
	} {
		r := p.Recharge(t, c, user, 3000)
		object := s.object(r.TradeNo)
		for name, value := range v.change {
			object[name] = value
		}
		w := c.SendNotify(t.Context(), "stripe", now(event(v.event, object)))
		after, err := c.Wallets.RechargeByTradeNo(t.Context(), r.TradeNo)
		if err != nil || w.Code != http.StatusOK || after.State != v.want || c.Balance(t, user).Posted != 0 {
			t.Errorf("%s %v: %d, %+v, %v", v.event, v.change, w.Code, after, err)
		}
	}
}

func TestKeysOfTheWrongKindAreNamed(t *testing.T) {
	p, _ := newPlatform(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	for field, wrong := range map[string]string{"secret_key": "pk_test_1", "webhook_secret": "sk_test_1"} {
		credentials := map[string]string{"secret_key": secretKey, "webhook_secret": webhookSecret}
		credentials[field] = wrong
		_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "stripe", Name: "stripe"}, credentials)
		paymenttest.WantField(t, "credentials."+field, err)
	}
}
