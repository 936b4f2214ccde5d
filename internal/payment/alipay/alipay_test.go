package alipay_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/alipay"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/wallet"
)

const (
	appID    = "2021000122671234"
	sellerID = "2088621956155678"
)

// platformServer is Alipay with one merchant: a book of trades behind the gateway's address.
type platformServer struct {
	t       *testing.T
	mu      sync.Mutex
	trades  map[string]*trade
	refunds map[string]money.Amount
}

type trade struct {
	amount money.Amount
	paid   bool
	back   money.Amount
}

func (s *platformServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ParseForm()
	method := r.PostForm.Get("method")
	answer := func(v map[string]any) {
		inner, _ := json.Marshal(v)
		sign, err := rsakey.Sign(paymenttest.Keys()[1], string(inner))
		if err != nil {
			s.t.Error(err)
		}
		outer := `{"` + strings.ReplaceAll(method, ".", "_") + `_response":` + string(inner) + `,"sign":"` + sign + `"}`
		w.Write([]byte(outer))
	}
	params := map[string]string{}
	for name := range r.PostForm {
		params[name] = r.PostForm.Get(name)
	}
	if params["app_id"] != appID || !rsakey.Verify(&paymenttest.Keys()[0].PublicKey, rsakey.Sorted(params, "sign"),
		params["sign"]) {
		answer(map[string]any{
			"code": "40002", "msg": "Invalid Arguments", "sub_code": "isv.invalid-signature",
			"sub_msg": "验签出错",
		})
		return
	}
	var biz map[string]string
	if err := json.Unmarshal([]byte(params["biz_content"]), &biz); err != nil {
		s.t.Error(err)
	}
	no := biz["out_trade_no"]
	known := s.trades[no]
	ok := map[string]any{"code": "10000", "msg": "Success", "out_trade_no": no}
	switch method {
	case "alipay.trade.precreate":
		amount, err := money.Parse(biz["total_amount"])
		if err != nil || !strings.HasSuffix(biz["timeout_express"], "m") || params["notify_url"] == "" {
			s.t.Errorf("precreate: %v", params)
		}
		s.trades[no] = &trade{amount: amount}
		ok["qr_code"] = "https://qr.alipay.com/bax03431ljhokirwl38f00a7"
	case "alipay.trade.query":
		if known == nil || !known.paid {
			answer(map[string]any{
				"code": "40004", "msg": "Business Failed", "sub_code": "ACQ.TRADE_NOT_EXIST",
				"sub_msg": "交易不存在",
			})
			return
		}
		ok["trade_no"], ok["trade_status"], ok["total_amount"] = transaction(no), "TRADE_SUCCESS", known.amount.String()
	case "alipay.trade.refund":
		amount, _ := money.Parse(biz["refund_amount"])
		ok["fund_change"] = "N" // no money moves when it is asked for again
		if _, again := s.refunds[biz["out_request_no"]]; !again {
			ok["fund_change"] = "Y"
			if known == nil || known.back+amount > known.amount {
				answer(map[string]any{
					"code": "40004", "msg": "Business Failed",
					"sub_code": "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "sub_msg": "退款金额超限",
				})
				return
			}
			known.back += amount
			s.refunds[biz["out_request_no"]] = amount
		}
		ok["refund_fee"] = known.back.String()
	case "alipay.trade.fastpay.refund.query":
		if amount, done := s.refunds[biz["out_request_no"]]; done {
			ok["refund_status"], ok["refund_amount"] = "REFUND_SUCCESS", amount.String()
		}
	default:
		s.t.Errorf("an unknown method %s", method)
	}
	answer(ok)
}

func transaction(no string) string { return "20261120220014" + no[:8] }

// notice is a notify as Alipay sends it, before it is signed.
func (s *platformServer) notice(no string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]string{
		"gmt_create": "2026-11-20 17:00:00", "charset": "utf-8", "gmt_payment": "2026-11-20 17:00:05",
		"notify_time": "2026-11-20 17:00:06",
		"subject":     "网络加速器", "buyer_id": "2088102116773037", "invoice_amount": s.trades[no].amount.String(),
		"version":   "1.0",
		"notify_id": "2026112000222170005000000000000000", "fund_bill_list": `[{"amount":"` +
			s.trades[no].amount.String() + `","fundChannel":"ALIPAYACCOUNT"}]`,
		"notify_type": "trade_status_sync", "out_trade_no": no, "total_amount": s.trades[no].amount.String(),
		"trade_status": "TRADE_SUCCESS",
		"trade_no":     transaction(no), "auth_app_id": appID, "receipt_amount": s.trades[no].amount.String(),
		"point_amount": "0.00", "app_id": appID,
		"buyer_pay_amount": s.trades[no].amount.String(), "sign_type": "RSA2", "seller_id": sellerID,
	}
}

// signed signs the notice with a key: the platform's, or a forger's.
func signed(t *testing.T, form map[string]string, key int) url.Values {
	sign, err := rsakey.Sign(paymenttest.Keys()[key], rsakey.Sorted(form, "sign", "sign_type"))
	if err != nil {
		t.Fatal(err)
	}
	values := url.Values{"sign": {sign}}
	for name, v := range form {
		values.Set(name, v)
	}
	return values
}

func platform(t *testing.T) *paymenttest.Platform {
	s := &platformServer{t: t, trades: map[string]*trade{}, refunds: map[string]money.Amount{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	keys := paymenttest.Keys()
	credentials := func(app, seller string, own, platform int) map[string]string {
		return map[string]string{
			"app_id": app, "seller_id": seller, "private_key": paymenttest.PrivatePEM(keys[own]),
			"alipay_public_key": paymenttest.PublicPEM(keys[platform]),
			"api_url":           server.URL,
		}
	}
	return &paymenttest.Platform{
		Kind: alipay.Kind, Account: payment.Account{Name: "alipay"}, Accepted: "success",
		Credentials: credentials(appID, sellerID, 0, 1), OtherMerchant: credentials("2021000122679999", "2088000000000000",
			2, 1),
		Pay: func(no string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.trades[no].paid = true
		},
		Notice: func(no string) paymenttest.Notice {
			return paymenttest.Notice{Body: signed(t, s.notice(no), 1).Encode()}
		},
		Refunded: func(no string) money.Amount { return s.refunds[no] },
		Attacks: func(t *testing.T, _ *paymenttest.Server, r, other *wallet.Recharge) []paymenttest.Attack {
			with := func(pairs ...string) paymenttest.Notice { // well signed
				form := s.notice(r.TradeNo)
				for i := 0; i < len(pairs); i += 2 {
					form[pairs[i]] = pairs[i+1]
				}
				return paymenttest.Notice{Body: signed(t, form, 1).Encode()}
			}
			after := func(pairs ...string) paymenttest.Notice { // changed after it was signed
				form := signed(t, s.notice(r.TradeNo), 1)
				for i := 0; i < len(pairs); i += 2 {
					form.Set(pairs[i], pairs[i+1])
				}
				return paymenttest.Notice{Body: form.Encode()}
			}
			true1 := signed(t, s.notice(r.TradeNo), 1)
			doubled := true1.Encode() + "&total_amount=9999.00"
			swapped := signed(t, s.notice(r.TradeNo), 1)
			swapped.Set("total_amount", true1.Get("out_trade_no"))
			swapped.Set("out_trade_no", true1.Get("total_amount"))
			returned := map[string]string{ // what a browser brings back
				"app_id": appID, "charset": "utf-8", "method": "alipay.trade.page.pay.return",
				"out_trade_no": r.TradeNo, "seller_id": sellerID,
				"sign_type": "RSA2", "timestamp": "2026-11-20 17:00:08", "total_amount": "30.00",
				"trade_no": transaction(r.TradeNo), "version": "1.0",
			}
			return []paymenttest.Attack{
				{Name: "no signature", Notice: after("sign", ""), Reason: payment.BadSignature},
				{
					Name: "another key", Notice: paymenttest.Notice{Body: signed(t, s.notice(r.TradeNo), 2).Encode()},
					Reason: payment.BadSignature,
				},
				{Name: "the site's own key", Notice: paymenttest.Notice{Body: signed(t, s.notice(r.TradeNo), 0).
					Encode()}, Reason: payment.BadSignature},
				{Name: "an older kind of signature", Notice: after("sign_type", "RSA"), Reason: payment.BadSignature},
				{
					Name: "values exchanged", Notice: paymenttest.Notice{Body: swapped.Encode()},
					Reason: payment.BadSignature,
				},
				{Name: "an amount after signing", Notice: after("total_amount", "50.00"), Reason: payment.BadSignature},
				{Name: "a field after signing", Notice: after("passback_params", "x"), Reason: payment.BadSignature},
				{Name: "a doubled amount", Notice: paymenttest.Notice{Body: doubled}, Reason: payment.Unreadable},
				{Name: "the return address", Notice: paymenttest.Notice{Method: "GET", Query: signed(t, returned, 1).
					Encode()}, Reason: payment.Unreadable},
				{Name: "the return address as a form", Notice: paymenttest.Notice{Body: signed(t, returned, 1).
					Encode()}, Reason: payment.Unreadable},
				{
					Name: "a notify as an address", Notice: paymenttest.Notice{Method: "GET", Query: true1.Encode()},
					Reason: payment.Unreadable,
				},
				{Name: "another amount", Notice: with("total_amount", "0.01"), Reason: payment.WrongAmount},
				{Name: "the amount in fen", Notice: with("total_amount", "3000"), Reason: payment.WrongAmount},
				{Name: "another recharge's amount", Notice: with("total_amount", "50.00"), Reason: payment.WrongAmount},
				{Name: "full-width digits", Notice: with("total_amount", "３０.00"), Reason: payment.Unreadable},
				{Name: "Arabic digits", Notice: with("total_amount", "٣٠.00"), Reason: payment.Unreadable},
				{Name: "an exponent", Notice: with("total_amount", "3e1"), Reason: payment.Unreadable},
				{Name: "another recharge's number with this payment", Notice: with("out_trade_no", other.TradeNo,
					"total_amount", "50.00"), Reason: payment.NotConfirmed},
				{
					Name: "a number that is none of ours", Notice: with("out_trade_no", "NOSUCHNUMBER"),
					Reason: payment.UnknownNumber,
				},
				{Name: "no payment's number", Notice: with("trade_no", ""), Reason: payment.Unreadable},
				{
					Name: "a payment that Alipay does not know", Notice: with("trade_no", "2026112022001400000000"),
					Reason: payment.NotConfirmed,
				},
				{Name: "an unknown state", Notice: with("trade_status", "TRADE_PENDING"), Reason: payment.Unreadable},
				{Name: "another app", Notice: with("app_id", "2021000122679999"), Reason: payment.WrongMerchant},
				{Name: "another seller", Notice: with("seller_id", "2088000000000000"), Reason: payment.WrongMerchant},
			}
		},
	}
}

func TestFaceToFacePayment(t *testing.T) {
	paymenttest.TestPlatform(t, platform)
}

func TestFaceToFacePaymentShowsAQRCode(t *testing.T) {
	p := platform(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	if page := p.Recharge(t, c, c.User(t), 3000).PayPage; page.Kind != "qrcode" ||
		!strings.HasPrefix(page.URL, "https://qr.alipay.com/") {
		t.Fatalf("%+v", page)
	}
}

func TestAnUnpaidOrClosedTradeIsNotCredited(t *testing.T) {
	for status, want := range map[string]wallet.RechargeState{
		"WAIT_BUYER_PAY": wallet.RechargePending,
		"TRADE_CLOSED":   wallet.RechargeFailed,
	} {
		p := platform(t)
		c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
		p.Open(t, c)
		user := c.User(t)
		r := p.Recharge(t, c, user, 3000)
		form, err := url.ParseQuery(p.Notice(r.TradeNo).Body)
		if err != nil {
			t.Fatal(err)
		}
		plain := map[string]string{}
		for name := range form {
			plain[name] = form.Get(name)
		}
		delete(plain, "sign")
		plain["trade_status"] = status
		if w := c.SendNotify(t.Context(), "alipay", paymenttest.Notice{Body: signed(t, plain, 1).
			Encode()}); w.Body.String() != "success" {
			t.Errorf("%s: %d %s", status, w.Code, w.Body)
		}
		if now, err := c.Wallets.RechargeByTradeNo(t.Context(), r.TradeNo); err != nil || now.State != want ||
			c.Balance(t, user).Posted != 0 {
			t.Errorf("%s: %+v, %v", status, now, err)
		}
	}
}

func TestPagePayIsASignedAddress(t *testing.T) {
	p := platform(t)
	p.Credentials["product"] = "page"
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	r := p.Recharge(t, c, c.User(t), 3000)
	u, err := url.Parse(r.PayPage.URL)
	if err != nil || r.PayPage.Kind != "url" {
		t.Fatalf("%+v, %v", r.PayPage, err)
	}
	params := map[string]string{}
	for name := range u.Query() {
		params[name] = u.Query().Get(name)
	}
	if !rsakey.Verify(&paymenttest.Keys()[0].PublicKey, rsakey.Sorted(params, "sign"), params["sign"]) {
		t.Error("Alipay would not take the signature")
	}
	var biz struct {
		OutTradeNo  string `json:"out_trade_no"`
		TotalAmount string `json:"total_amount"`
		ProductCode string `json:"product_code"`
		TimeExpire  string `json:"time_expire"`
	}
	if err := json.Unmarshal([]byte(params["biz_content"]), &biz); err != nil {
		t.Fatal(err)
	}
	ends, err := time.ParseInLocation("2006-01-02 15:04:05", biz.TimeExpire, time.FixedZone("", 8*3600))
	if biz.OutTradeNo != r.TradeNo || biz.TotalAmount != "30.00" || biz.ProductCode != "FAST_INSTANT_TRADE_PAY" ||
		err != nil || ends.Unix() != r.ExpiresAt.Unix() {
		t.Errorf("%+v, %v", biz, err)
	}
	if params["notify_url"] != paymenttest.Site+"/v1/payment/notify/alipay" || !strings.HasPrefix(params["return_url"],
		paymenttest.Site+"/user/wallet/recharge/new?id=") {
		t.Errorf("%v", params)
	}
}

func TestKeysThatCannotBeUsedAreNamed(t *testing.T) {
	p := platform(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	for field, wrong := range map[string]string{
		"private_key": "MIIB", "alipay_public_key": paymenttest.PublicPEM(paymenttest.Keys()[0]), "app_id": " ",
		"product": "app",
	} {
		paymenttest.WantField(t, "credentials."+field, func() error {
			credentials := map[string]string{}
			for name, v := range p.Credentials {
				credentials[name] = v
			}
			credentials[field] = wrong
			_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "alipay", Name: "alipay"}, credentials)
			return err
		}())
	}
}
