package wechatpay_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/payment/wechatpay"
	"airstrip/internal/wallet"
)

const (
	appID  = "wxd678efh567hg6787"
	mchID  = "1230000109"
	v3Key  = "0123456789abcdef0123456789abcdef"
	serial = "5157F09EFDC096DE15EBE81A47057A7232F1B8E1" // of the merchant's certificate
	keyID  = "PUB_KEY_ID_0112300001092024112000000000"
	certNo = "7132D72A03E93CDDF8C03BBD1F37EEDF5157F09E" // of the platform's
)

// platformServer is WeChat Pay with one merchant.
type platformServer struct {
	t       *testing.T
	byKey   bool
	mu      sync.Mutex
	trades  map[string]*trade
	refunds map[string]money.Amount
	fetches int
	down    bool
}

type trade struct {
	total int64
	paid  bool
	back  int64
}

var authorization = regexp.MustCompile(`^WECHATPAY2-SHA256-RSA2048 mchid="([^"]*)",nonce_str="([^"]*)",signature="([^"]*)",timestamp="(\d+)",serial_no="([^"]*)"$`)

func (s *platformServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	body, _ := io.ReadAll(r.Body)
	answer := func(status int, v any) {
		text, _ := json.Marshal(v)
		for name, values := range s.signed(text, 1, time.Now(), s.serial()) {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		w.Write(text)
	}
	a := authorization.FindStringSubmatch(r.Header.Get("Authorization"))
	if a == nil || a[1] != mchID || a[5] != serial ||
		!rsakey.Verify(&paymenttest.Keys()[0].PublicKey, r.Method+"\n"+r.URL.RequestURI()+"\n"+a[4]+"\n"+a[2]+"\n"+
			string(body)+"\n", a[3]) {
		answer(http.StatusUnauthorized, map[string]string{"code": "SIGN_ERROR", "message": "签名错误"})
		return
	}
	if s.byKey != (r.Header.Get("Wechatpay-Serial") == keyID) {
		s.t.Error("the platform's key is not named as it should be")
	}
	var in struct {
		AppID, MchID, Description string
		OutTradeNo                string `json:"out_trade_no"`
		OutRefundNo               string `json:"out_refund_no"`
		NotifyURL                 string `json:"notify_url"`
		TimeExpire                string `json:"time_expire"`
		Amount                    struct {
			Total, Refund int64
			Currency      string
		}
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &in); err != nil {
			s.t.Error(err)
		}
	}
	switch path := r.URL.Path; {
	case path == "/v3/certificates":
		s.fetches++
		pem := paymenttest.PublicPEM(paymenttest.Keys()[1])
		answer(200, map[string]any{"data": []any{map[string]any{
			"serial_no": certNo, "effective_time": "2024-06-08T10:34:56+08:00",
			"expire_time":         "2029-06-08T10:34:56+08:00",
			"encrypt_certificate": sealed(pem, "certificate", v3Key),
		}}})
	case path == "/v3/pay/transactions/native":
		if _, err := time.Parse(time.RFC3339, in.TimeExpire); err != nil || in.AppID != appID || in.MchID != mchID ||
			in.Amount.Currency != "CNY" || in.NotifyURL == "" {
			s.t.Errorf("native: %s", body)
		}
		s.trades[in.OutTradeNo] = &trade{total: in.Amount.Total}
		answer(200, map[string]string{"code_url": "weixin://wxpay/bizpayurl?pr=p4lpSuKzz"})
	case strings.HasPrefix(path, "/v3/pay/transactions/out-trade-no/"):
		no := strings.TrimPrefix(path, "/v3/pay/transactions/out-trade-no/")
		known := s.trades[no]
		switch {
		case r.URL.Query().Get("mchid") != mchID || known == nil:
			answer(404, map[string]string{"code": "ORDER_NOT_EXIST", "message": "订单不存在"})
		case !known.paid:
			answer(200, map[string]any{
				"appid": appID, "mchid": mchID, "out_trade_no": no, "trade_state": "NOTPAY",
				"trade_state_desc": "订单未支付", "amount": map[string]any{"total": known.total, "currency": "CNY"},
			})
		default:
			answer(200, s.transaction(no))
		}
	case path == "/v3/refund/domestic/refunds":
		status := "SUCCESS"
		if _, again := s.refunds[in.OutRefundNo]; !again {
			status = "PROCESSING"
			known := s.trades[in.OutTradeNo]
			if known == nil || known.total != in.Amount.Total || known.back+in.Amount.Refund > known.total {
				answer(400, map[string]string{"code": "PARAM_ERROR", "message": "退款金额超过订单金额"})
				return
			}
			known.back += in.Amount.Refund
			s.refunds[in.OutRefundNo] = money.Amount(in.Amount.Refund)
		}
		answer(200, map[string]any{
			"refund_id": "50000000382019052709732678859", "out_refund_no": in.OutRefundNo,
			"status": status,
		})
	case strings.HasPrefix(path, "/v3/refund/domestic/refunds/"):
		no := strings.TrimPrefix(path, "/v3/refund/domestic/refunds/")
		if _, done := s.refunds[no]; !done {
			answer(404, map[string]string{"code": "RESOURCE_NOT_EXISTS", "message": "退款单不存在"})
			return
		}
		answer(200, map[string]any{"out_refund_no": no, "status": "SUCCESS"})
	default:
		s.t.Errorf("an unknown call of %s", path)
	}
}

func (s *platformServer) serial() string {
	if s.byKey {
		return keyID
	}
	return certNo
}

// signed returns the headers that sign a body.
func (s *platformServer) signed(body []byte, key int, at time.Time, serial string) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	sign, err := rsakey.Sign(paymenttest.Keys()[key], stamp+"\n"+"EcZmZ6Cs6nFnbxkn"+"\n"+string(body)+"\n")
	if err != nil {
		s.t.Error(err)
	}
	h := http.Header{}
	h.Set("Wechatpay-Timestamp", stamp)
	h.Set("Wechatpay-Nonce", "EcZmZ6Cs6nFnbxkn")
	h.Set("Wechatpay-Signature", sign)
	h.Set("Wechatpay-Serial", serial)
	return h
}

func sealed(text, associated, key string) map[string]string {
	block, err := aes.NewCipher([]byte(key))
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	nonce := rand.Text()[:12]
	return map[string]string{
		"original_type": "transaction", "algorithm": "AEAD_AES_256_GCM", "associated_data": associated, "nonce": nonce,
		"ciphertext": base64.StdEncoding.EncodeToString(gcm.Seal(nil, []byte(nonce), []byte(text), []byte(associated))),
	}
}

func (s *platformServer) transaction(no string) map[string]any {
	return map[string]any{
		"transaction_id": "4200001825202607" + no[:8], "amount": map[string]any{
			"payer_total": s.trades[no].total,
			"total":       s.trades[no].total, "currency": "CNY", "payer_currency": "CNY",
		},
		"mchid": mchID, "trade_state": "SUCCESS", "bank_type": "CMC", "success_time": "2026-11-20T17:00:05+08:00",
		"payer":        map[string]string{"openid": "oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"},
		"out_trade_no": no, "appid": appID, "trade_state_desc": "支付成功", "trade_type": "NATIVE", "attach": "",
	}
}

// body is a notify about v as WeChat Pay writes it.
func body(event string, resource any) []byte {
	text, err := json.Marshal(map[string]any{
		"id": "3e5c2d3b-1a1f-5a6e-9b0f-2d6a7e9d1c11", "create_time": "2026-11-20T17:00:06+08:00",
		"resource_type": "encrypt-resource", "event_type": event,
		"summary": "支付成功", "resource": resource,
	})
	if err != nil {
		panic(err)
	}
	return text
}

func platform(byKey bool) func(t *testing.T) *paymenttest.Platform {
	return func(t *testing.T) *paymenttest.Platform { p, _ := newPlatform(t, byKey); return p }
}

func newPlatform(t *testing.T, byKey bool) (*paymenttest.Platform, *platformServer) {
	s := &platformServer{t: t, byKey: byKey, trades: map[string]*trade{}, refunds: map[string]money.Amount{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	keys := paymenttest.Keys()
	credentials := func(app, mch, v3 string, own int) map[string]string {
		c := map[string]string{
			"appid": app, "mchid": mch, "serial_no": serial,
			"private_key": paymenttest.PrivatePEM(keys[own]), "api_v3_key": v3, "api_url": server.URL,
		}
		if byKey {
			c["public_key_id"], c["public_key"] = keyID, paymenttest.PublicPEM(keys[1])
		}
		return c
	}
	notify := func(event string, v map[string]any) []byte {
		text, _ := json.Marshal(v)
		return body(event, sealed(string(text), "transaction", v3Key))
	}
	said := func(b []byte) paymenttest.Notice {
		return paymenttest.Notice{Header: s.signed(b, 1, time.Now(), s.serial()), Body: string(b)}
	}
	return &paymenttest.Platform{
		Kind: wechatpay.Kind, Account: payment.Account{Name: "wechat"}, Accepted: `{"code":"SUCCESS","message":"成功"}`,
		Credentials: credentials(appID, mchID, v3Key, 0), OtherMerchant: credentials("wx2421b1c4370ec43b", "1900000109",
			strings.Repeat("z", 32), 2),
		Pay: func(no string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.trades[no].paid = true
		},
		Notice: func(no string) paymenttest.Notice {
			s.mu.Lock()
			defer s.mu.Unlock()
			return said(notify("TRANSACTION.SUCCESS", s.transaction(no)))
		},
		Refunded: func(no string) money.Amount { return s.refunds[no] },
		Attacks: func(_ *testing.T, _ *paymenttest.Server, r, other *wallet.Recharge) []paymenttest.Attack {
			with := func(pairs ...any) paymenttest.Notice { // well signed and sealed
				v := s.transaction(r.TradeNo)
				for i := 0; i < len(pairs); i += 2 {
					v[pairs[i].(string)] = pairs[i+1]
				}
				return said(notify("TRANSACTION.SUCCESS", v))
			}
			good := notify("TRANSACTION.SUCCESS", s.transaction(r.TradeNo))
			without := func(name string) paymenttest.Notice {
				n := said(good)
				n.Header.Del(name)
				return n
			}
			header := func(name, value string) paymenttest.Notice {
				n := said(good)
				n.Header.Set(name, value)
				return n
			}
			aged := func(d time.Duration) paymenttest.Notice {
				return paymenttest.Notice{Header: s.signed(good, 1, time.Now().Add(d), s.serial()), Body: string(good)}
			}
			text, _ := json.Marshal(s.transaction(r.TradeNo))
			total := func(raw string) paymenttest.Notice { // an amount that Go's types would not write
				plain := strings.Replace(string(text), fmt.Sprintf(`"total":%d`, s.trades[r.TradeNo].total),
					`"total":`+raw, 1)
				return said(body("TRANSACTION.SUCCESS", sealed(plain, "transaction", v3Key)))
			}
			return []paymenttest.Attack{
				{Name: "no signature", Notice: without("Wechatpay-Signature"), Reason: payment.BadSignature},
				{Name: "no time", Notice: without("Wechatpay-Timestamp"), Reason: payment.BadSignature},
				{Name: "no serial number", Notice: without("Wechatpay-Serial"), Reason: payment.BadSignature},
				{Name: "another nonce", Notice: header("Wechatpay-Nonce", "x"), Reason: payment.BadSignature},
				{
					Name: "an unknown serial number", Notice: header("Wechatpay-Serial", "PUB_KEY_ID_9"),
					Reason: payment.BadSignature,
				},
				{
					Name: "WeChat Pay's own probe", Notice: header("Wechatpay-Signature", "WECHATPAY/SIGNTEST/abcdefg"),
					Reason: payment.BadSignature,
				},
				{
					Name: "a time in other digits", Notice: header("Wechatpay-Timestamp", "１７６３６５８０００"),
					Reason: payment.BadSignature,
				},
				{Name: "another key", Notice: paymenttest.Notice{
					Header: s.signed(good, 2, time.Now(), s.serial()),
					Body:   string(good),
				}, Reason: payment.BadSignature},
				{
					Name: "another body", Notice: paymenttest.Notice{
						Header: said(good).Header,
						Body:   string(good) + " ",
					},
					Reason: payment.BadSignature,
				},
				{Name: "ten minutes old", Notice: aged(-10 * time.Minute), Reason: payment.BadSignature},
				{Name: "ten minutes early", Notice: aged(10 * time.Minute), Reason: payment.BadSignature},
				{
					Name: "sealed with another key",
					Notice: said(body("TRANSACTION.SUCCESS", sealed(string(text), "transaction",
						strings.Repeat("k", 32)))), Reason: payment.BadSignature,
				},
				{
					Name: "not sealed", Notice: said(body("TRANSACTION.SUCCESS", s.transaction(r.TradeNo))),
					Reason: payment.Unreadable,
				},
				{Name: "another app", Notice: with("appid", "wx2421b1c4370ec43b"), Reason: payment.WrongMerchant},
				{Name: "another merchant", Notice: with("mchid", "1900000109"), Reason: payment.WrongMerchant},
				{
					Name: "another amount", Notice: with("amount", map[string]any{"total": 1, "currency": "CNY"}),
					Reason: payment.WrongAmount,
				},
				{
					Name: "the amount in yuan", Notice: with("amount", map[string]any{"total": 30, "currency": "CNY"}),
					Reason: payment.WrongAmount,
				},
				{
					Name:   "what the payer gave, not what it was for",
					Notice: with("amount", map[string]any{"payer_total": 3000, "currency": "CNY"}),
					Reason: payment.WrongAmount,
				},
				{Name: "no amount", Notice: with("amount", nil), Reason: payment.Unreadable},
				{
					Name: "another currency", Notice: with("amount", map[string]any{"total": 3000, "currency": "HKD"}),
					Reason: payment.WrongCurrency,
				},
				{Name: "a broken amount", Notice: total("3000.5"), Reason: payment.Unreadable},
				{Name: "an amount as text", Notice: total(`"3000"`), Reason: payment.Unreadable},
				{Name: "full-width digits", Notice: total(`"３０００"`), Reason: payment.Unreadable},
				{Name: "another recharge's number with this payment", Notice: with("out_trade_no", other.TradeNo,
					"amount", map[string]any{"total": 5000, "currency": "CNY"}), Reason: payment.NotConfirmed},
				{
					Name: "an unknown number", Notice: with("out_trade_no", "NOSUCHNUMBER"),
					Reason: payment.UnknownNumber,
				},
				{
					Name: "an unknown payment", Notice: with("transaction_id", "4200000000000000"),
					Reason: payment.NotConfirmed,
				},
				{Name: "no payment's number", Notice: with("transaction_id", ""), Reason: payment.Unreadable},
				{Name: "an unknown state", Notice: with("trade_state", "MAYBE"), Reason: payment.Unreadable},
			}
		},
	}, s
}

func TestNativePaymentWithAPublicKey(t *testing.T) { paymenttest.TestPlatform(t, platform(true)) }

func TestNativePaymentWithPlatformCertificates(t *testing.T) {
	paymenttest.TestPlatform(t, platform(false))
}

func TestUnknownSerialNumbersDoNotMakeUsFetchCertificatesAgainAndAgain(t *testing.T) {
	p, s := newPlatform(t, false)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	r := p.Recharge(t, c, c.User(t), 3000)
	p.Pay(r.TradeNo)
	for i := range 20 {
		n := p.Notice(r.TradeNo)
		n.Header.Set("Wechatpay-Serial", strconv.Itoa(i))
		c.SendNotify(t.Context(), "wechat", n)
	}
	if s.fetches != 1 {
		t.Fatalf("%d fetches", s.fetches)
	}
}

func TestANotifyComesAgainWhereTheCertificatesCouldNotBeFetched(t *testing.T) {
	p, s := newPlatform(t, false)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	user := c.User(t)
	p.Open(t, c)
	s.trades["NOSUCHNUMBER"], s.down = &trade{total: 1}, true
	if w := c.SendNotify(t.Context(), "wechat", p.Notice("NOSUCHNUMBER")); w.Code != http.StatusServiceUnavailable {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	s.down = false
	c.Advance(11 * time.Second)
	r := p.Recharge(t, c, user, 3000)
	p.Pay(r.TradeNo)
	if w := c.SendNotify(t.Context(), "wechat", p.Notice(r.TradeNo)); w.Code != http.StatusOK ||
		c.Balance(t, user).Posted != 3000 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

func TestANotifyOfARefundIsTakenAndCreditsNothing(t *testing.T) {
	p, s := newPlatform(t, true)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	user := c.User(t)
	r := p.Recharge(t, c, user, 3000)
	p.Pay(r.TradeNo)
	resource := sealed(`{"mchid":"`+mchID+`","out_trade_no":"`+r.TradeNo+`","refund_status":"SUCCESS"}`, "refund",
		v3Key)
	resource["original_type"] = "refund"
	b := body("REFUND.SUCCESS", resource)
	w := c.SendNotify(t.Context(), "wechat", paymenttest.Notice{
		Header: s.signed(b, 1, time.Now(), keyID), Body: string(b),
	})
	if w.Code != 200 || c.Balance(t, user).Posted != 0 {
		t.Fatalf("%d %s, %+v", w.Code, w.Body, c.Balance(t, user))
	}
}

func TestKeysThatCannotBeUsedAreNamed(t *testing.T) {
	p, _ := newPlatform(t, true)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	for field, change := range map[string][2]string{
		"private_key": {"private_key", "x"}, "api_v3_key": {"api_v3_key", "short"}, "public_key": {"public_key_id", ""},
		"mchid": {"mchid", ""},
	} {
		credentials := map[string]string{}
		for name, v := range p.Credentials {
			credentials[name] = v
		}
		credentials[change[0]] = change[1]
		_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "wechatpay", Name: "wechat"}, credentials)
		paymenttest.WantField(t, "credentials."+field, err)
	}
}
