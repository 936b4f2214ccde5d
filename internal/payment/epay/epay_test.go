package epay_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/epay"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/wallet"
)

const (
	pid = "1001"
	key = "WPEKgklvmzm75fg93PLYFl3L49ZFk9FD"
)

// platformServer is a reseller with one merchant, speaking one of the two versions.
type platformServer struct {
	t       *testing.T
	rsa     bool
	mu      sync.Mutex
	orders  map[string]*order
	refunds map[string]money.Amount
}

type order struct {
	money money.Amount
	paid  bool
	back  money.Amount
}

// sign signs a message as the platform does with one of the keys, or with the merchant's MD5 key.
func (s *platformServer) sign(form map[string]string, keys int, secret string) map[string]string {
	if !s.rsa {
		sum := md5.Sum([]byte(rsakey.Sorted(form, "sign", "sign_type") + secret))
		form["sign"], form["sign_type"] = hex.EncodeToString(sum[:]), "MD5"
		return form
	}
	if form["timestamp"] == "" {
		form["timestamp"] = strconv.FormatInt(time.Now().Unix(), 10)
	}
	sign, err := rsakey.Sign(paymenttest.Keys()[keys], rsakey.Sorted(form, "sign", "sign_type"))
	if err != nil {
		s.t.Error(err)
	}
	form["sign"], form["sign_type"] = sign, "RSA"
	return form
}

func (s *platformServer) verified(form map[string]string) bool {
	if !s.rsa {
		sum := md5.Sum([]byte(rsakey.Sorted(form, "sign", "sign_type") + key))
		return form["sign"] == hex.EncodeToString(sum[:])
	}
	return rsakey.Verify(&paymenttest.Keys()[0].PublicKey, rsakey.Sorted(form, "sign", "sign_type"), form["sign"])
}

func plain(v url.Values) map[string]string {
	form := map[string]string{}
	for name := range v {
		form[name] = v.Get(name)
	}
	return form
}

func encode(form map[string]string) string {
	v := url.Values{}
	for name, text := range form {
		v.Set(name, text)
	}
	return v.Encode()
}

func (s *platformServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ParseForm()
	form := plain(r.Form)
	answer := func(v map[string]string, numbers ...string) {
		loose := map[string]any{}
		for name, text := range v {
			loose[name] = text
		}
		for _, name := range numbers {
			n, _ := strconv.Atoi(v[name])
			loose[name] = n
		}
		text, _ := json.Marshal(loose)
		w.Write(text)
	}
	no := func() { answer(map[string]string{"code": "-1", "msg": "订单号不存在"}, "code") }
	known := s.orders[form["out_trade_no"]]
	switch r.URL.Path {
	case "/submit.php", "/api/pay/submit":
		amount, err := money.Parse(form["money"])
		if !s.verified(form) || form["pid"] != pid || err != nil || form["name"] == "" || form["notify_url"] == "" ||
			s.rsa == (r.URL.Path == "/submit.php") {
			s.t.Errorf("submit: %v", form)
		}
		s.orders[form["out_trade_no"]] = &order{money: amount}
	case "/api.php":
		if s.rsa || form["act"] != "order" || form["pid"] != pid || form["key"] != key {
			answer(map[string]string{"code": "-3", "msg": "商户密钥错误"}, "code")
			return
		}
		if known == nil {
			no()
			return
		}
		answer(s.details(form["out_trade_no"], "1"), "code", "status", "pid")
	case "/api/pay/query":
		if !s.rsa || !s.verified(form) {
			answer(map[string]string{"code": "-4", "msg": "RSA签名校验失败"}, "code")
			return
		}
		if known == nil {
			no()
			return
		}
		answer(s.sign(s.details(form["out_trade_no"], "0"), 1, ""), "code", "status", "pid")
	case "/api/pay/refundquery":
		amount, done := s.refunds[form["out_refund_no"]]
		if !s.verified(form) || !done {
			answer(map[string]string{"code": "-1", "msg": "退款记录不存在"}, "code")
			return
		}
		answer(s.sign(map[string]string{
			"code": "0", "refund_no": "2026112017000001",
			"out_refund_no": form["out_refund_no"], "money": amount.String(), "status": "1",
		}, 1, ""), "code")
	case "/api/pay/refund":
		amount, _ := money.Parse(form["money"])
		var of *order
		for n, o := range s.orders {
			if transaction(n) == form["trade_no"] {
				of = o
			}
		}
		if _, again := s.refunds[form["out_refund_no"]]; !again {
			if !s.verified(form) || of == nil || of.back+amount > of.money {
				answer(map[string]string{"code": "-1", "msg": "退款金额不能大于订单金额"}, "code")
				return
			}
			of.back += amount
			s.refunds[form["out_refund_no"]] = amount
		}
		answer(s.sign(map[string]string{
			"code": "0", "msg": "退款成功", "refund_no": "2026112017000001",
			"out_refund_no": form["out_refund_no"], "money": form["money"],
		}, 1, ""), "code")
	default:
		s.t.Errorf("an unknown call of %s", r.URL.Path)
	}
}

func transaction(no string) string { return "2026112017000" + no[:6] }

func (s *platformServer) details(no, code string) map[string]string {
	o := s.orders[no]
	return map[string]string{
		"code": code, "msg": "succ", "trade_no": transaction(no), "out_trade_no": no, "api_trade_no": "4200001825",
		"type": "alipay", "pid": pid,
		"addtime": "2026-11-20 17:00:00", "endtime": "2026-11-20 17:00:05", "name": "网络加速器", "money": o.money.String(),
		"status": map[bool]string{false: "0", true: "1"}[o.paid],
		"param":  "", "buyer": "",
	}
}

// notice is a notify as the platform sends it, before it is signed.
func (s *platformServer) notice(no string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	form := map[string]string{
		"pid": pid, "trade_no": transaction(no), "out_trade_no": no, "type": "alipay", "name": "网络加速器",
		"money": s.orders[no].money.String(), "trade_status": "TRADE_SUCCESS",
	}
	if s.rsa {
		form["api_trade_no"], form["buyer"] = "4200001825", ""
	}
	return form
}

func platform(rsa bool) func(t *testing.T) *paymenttest.Platform {
	return func(t *testing.T) *paymenttest.Platform {
		s := &platformServer{t: t, rsa: rsa, orders: map[string]*order{}, refunds: map[string]money.Amount{}}
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		keys := paymenttest.Keys()
		credentials := func(pid, secret string, own int) map[string]string {
			if !rsa {
				return map[string]string{"api_url": server.URL + "/", "pid": pid, "key": secret, "type": "alipay"}
			}
			return map[string]string{
				"api_url": server.URL, "pid": pid,
				"private_key": paymenttest.PrivatePEM(keys[own]), "public_key": paymenttest.PublicPEM(keys[1]),
			}
		}
		p := &paymenttest.Platform{
			Kind: epay.Kind, Account: payment.Account{Name: "epay"}, Accepted: "success", Credentials: credentials(pid,
				key, 0), OtherMerchant: credentials("1002", strings.Repeat("K", 32), 2),
			Pay: func(no string) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.orders[no].paid = true
			},
			Notice: func(no string) paymenttest.Notice {
				return paymenttest.Notice{Method: "GET", Query: encode(s.sign(s.notice(no), 1, key))}
			},
			Visit: true,
		}
		if rsa {
			p.Refunded = func(no string) money.Amount { return s.refunds[no] }
		}
		p.Attacks = func(_ *testing.T, _ *paymenttest.Server, r, other *wallet.Recharge) []paymenttest.Attack {
			get := func(form map[string]string) paymenttest.Notice {
				return paymenttest.Notice{Method: "GET", Query: encode(form)}
			}
			change := func(form map[string]string, pairs ...string) map[string]string {
				for i := 0; i < len(pairs); i += 2 {
					form[pairs[i]] = pairs[i+1]
				}
				return form
			}
			with := func(pairs ...string) paymenttest.Notice { // well signed
				return get(s.sign(change(s.notice(r.TradeNo), pairs...), 1, key))
			}
			after := func(pairs ...string) paymenttest.Notice { // changed after it was signed
				return get(change(s.sign(s.notice(r.TradeNo), 1, key), pairs...))
			}
			good := s.sign(s.notice(r.TradeNo), 1, key)
			attacks := []paymenttest.Attack{
				{Name: "no signature", Notice: after("sign", ""), Reason: payment.BadSignature},
				{
					Name: "another key", Notice: get(s.sign(s.notice(r.TradeNo), 2, "guess")),
					Reason: payment.BadSignature,
				},
				{Name: "no key at all", Notice: get(s.sign(s.notice(r.TradeNo), 0, "")), Reason: payment.BadSignature},
				{Name: "another kind of signature", Notice: after("sign_type", "SHA1"), Reason: payment.BadSignature},
				{
					Name: "values exchanged", Notice: after("money", good["out_trade_no"], "out_trade_no",
						good["money"]),
					Reason: payment.BadSignature,
				},
				{Name: "an amount after signing", Notice: after("money", "50.00"), Reason: payment.BadSignature},
				{Name: "a field after signing", Notice: after("param", "x"), Reason: payment.BadSignature},
				{Name: "a doubled amount", Notice: paymenttest.Notice{
					Method: "GET",
					Query:  encode(good) + "&money=9999.00",
				}, Reason: payment.Unreadable},
				{Name: "a number swallowed by a name", Notice: after("name", "网络加速器&out_trade_no="+r.TradeNo,
					"out_trade_no", ""), Reason: payment.Unreadable},
				{Name: "another merchant", Notice: with("pid", "1002"), Reason: payment.WrongMerchant},
				{Name: "another amount", Notice: with("money", "0.01"), Reason: payment.WrongAmount},
				{Name: "the amount in fen", Notice: with("money", "3000"), Reason: payment.WrongAmount},
				{Name: "a negative amount", Notice: with("money", "-30.00"), Reason: payment.WrongAmount},
				{Name: "full-width digits", Notice: with("money", "３０.００"), Reason: payment.Unreadable},
				{Name: "Arabic digits", Notice: with("money", "٣٠"), Reason: payment.Unreadable},
				{Name: "a third of a fen", Notice: with("money", "30.003"), Reason: payment.Unreadable},
				{
					Name: "an unknown number", Notice: with("out_trade_no", "NOSUCHNUMBER"),
					Reason: payment.UnknownNumber,
				},
				{Name: "another recharge's number with this payment", Notice: with("out_trade_no", other.TradeNo,
					"money", "50.00"), Reason: payment.NotConfirmed},
				{Name: "an unknown payment", Notice: with("trade_no", "20261120999"), Reason: payment.NotConfirmed},
				{Name: "no payment's number", Notice: with("trade_no", ""), Reason: payment.Unreadable},
				{Name: "no state", Notice: with("trade_status", ""), Reason: payment.Unreadable},
			}
			if rsa {
				old := s.notice(r.TradeNo)
				old["timestamp"] = strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
				md5ed := (&platformServer{t: t}).sign(s.notice(r.TradeNo), 0, "")
				return append(attacks,
					paymenttest.Attack{
						Name: "an hour old", Notice: get(s.sign(old, 1, "")),
						Reason: payment.BadSignature,
					},
					paymenttest.Attack{Name: "MD5 instead of RSA", Notice: get(md5ed), Reason: payment.BadSignature})
			}
			return attacks
		}
		return p
	}
}

func TestEPayWithMD5(t *testing.T) { paymenttest.TestPlatform(t, platform(false)) }

func TestEPayWithRSA(t *testing.T) { paymenttest.TestPlatform(t, platform(true)) }

func TestANotifyOfAnUnpaidOrderCreditsNothing(t *testing.T) {
	p := platform(false)(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	user := c.User(t)
	r := p.Recharge(t, c, user, 3000) // opened at the platform, not paid
	for _, want := range []string{"success", "fail"} {
		n := p.Notice(r.TradeNo)
		if want == "success" { // says itself that it is not paid
			form, _ := url.ParseQuery(n.Query)
			wait := plain(form)
			wait["trade_status"] = "WAIT_BUYER_PAY"
			n.Query = encode((&platformServer{t: t}).sign(wait, 0, key))
		}
		if w := c.SendNotify(t.Context(), "epay", n); w.Body.String() != want || c.Balance(t, user).Posted != 0 {
			t.Errorf("%d %s, %+v", w.Code, w.Body, c.Balance(t, user))
		}
	}
}

func TestOneKindOfSignatureIsConfigured(t *testing.T) {
	p := platform(true)(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	for field, pairs := range map[string][2]string{
		"key": {"key", key}, "public_key": {"public_key", ""},
		"private_key": {"private_key", "x"}, "api_url": {"api_url", "pay"},
	} {
		credentials := map[string]string{}
		for name, v := range p.Credentials {
			credentials[name] = v
		}
		credentials[pairs[0]] = pairs[1]
		_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "epay", Name: "epay"}, credentials)
		paymenttest.WantField(t, "credentials."+field, err)
	}
	_, err := c.Gateways.Add(t.Context(), payment.Account{Kind: "epay", Name: "epay"},
		map[string]string{"api_url": "https://pay.example", "pid": "1"})
	paymenttest.WantField(t, "credentials.key", err)
}
