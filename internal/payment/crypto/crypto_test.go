package crypto_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment"
	"airstrip/internal/payment/crypto"
	"airstrip/internal/payment/paymenttest"
	"airstrip/internal/wallet"
)

const token = "epusdt_password_xasddawqe"

// platformServer is an epusdt server.
type platformServer struct {
	t     *testing.T
	url   string
	mu    sync.Mutex
	bills map[string]*bill // by our number
}

type bill struct {
	amount float64
	paid   bool
}

// signature signs as epusdt does: floats in their shortest form, nothing for null.
func signature(fields map[string]any, token string) string {
	var pairs []string
	for name, v := range fields {
		switch v := v.(type) {
		case float64:
			pairs = append(pairs, name+"="+strconv.FormatFloat(v, 'f', -1, 64))
		case int:
			pairs = append(pairs, name+"="+strconv.Itoa(v))
		case string:
			if name != "signature" && v != "" {
				pairs = append(pairs, name+"="+v)
			}
		}
	}
	slices.Sort(pairs)
	sum := md5.Sum([]byte(strings.Join(pairs, "&") + token))
	return hex.EncodeToString(sum[:])
}

func tradeID(no string) string { return "T" + no[:17] }

func (s *platformServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := strings.CutPrefix(r.URL.Path, "/pay/check-status/"); ok {
		for no, b := range s.bills {
			if tradeID(no) == id {
				fmt.Fprintf(w,
					`{"status_code":200,"message":"success","data":{"trade_id":%q,"status":%d},"request_id":"b1344d70-ff19-4543-b601-37abfb3b3686"}`, id, map[bool]int{false: 1, true: 2}[b.paid])
				return
			}
		}
		fmt.Fprint(w, `{"status_code":10008,"message":"订单不存在","data":null,"request_id":""}`)
		return
	}
	var fields map[string]any
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil || r.URL.Path != "/api/v1/order/create-transaction" {
		s.t.Errorf("%s: %v", r.URL.Path, err)
		return
	}
	no, _ := fields["order_id"].(string)
	amount, isNumber := fields["amount"].(float64)
	if fields["signature"] != signature(fields, token) {
		fmt.Fprint(w, `{"status_code":401,"message":"签名认证错误","data":null,"request_id":""}`)
		return
	}
	if !isNumber || len(no) > 32 || fields["notify_url"] == "" {
		s.t.Errorf("create: %v", fields)
	}
	s.bills[no] = &bill{amount: amount}
	fmt.Fprintf(w, `{"status_code":200,"message":"success","data":{"trade_id":%q,"order_id":%q,"amount":%v,"actual_amount":4.2801,"token":"TNEns8t9jbWENbStkQdVQtHMGpbsYsQjZK","expiration_time":1795197000,"payment_url":%q},"request_id":"b1344d70"}`,
		tradeID(no), no, amount, s.url+"/pay/checkout-counter/"+tradeID(no))
}

func (s *platformServer) notice(no string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{
		"trade_id": tradeID(no), "order_id": no, "amount": s.bills[no].amount, "actual_amount": 4.2801,
		"token":                "TNEns8t9jbWENbStkQdVQtHMGpbsYsQjZK",
		"block_transaction_id": "123333333321232132131", "status": 2,
	}
}

func signed(fields map[string]any, token string) paymenttest.Notice {
	fields["signature"] = signature(fields, token)
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return paymenttest.Notice{Body: string(body), Header: http.Header{"Content-Type": {"application/json"}}}
}

func platform(t *testing.T) *paymenttest.Platform {
	s := &platformServer{t: t, bills: map[string]*bill{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return &paymenttest.Platform{
		Kind: crypto.Kind, Account: payment.Account{Name: "usdt"}, Accepted: "ok",
		Credentials:   map[string]string{"api_url": server.URL, "token": token},
		OtherMerchant: map[string]string{"api_url": server.URL, "token": "other"},
		Pay: func(no string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.bills[no].paid = true
		},
		Notice: func(no string) paymenttest.Notice { return signed(s.notice(no), token) },
		Attacks: func(t *testing.T, _ *paymenttest.Server, r, other *wallet.Recharge) []paymenttest.Attack {
			with := func(pairs ...any) paymenttest.Notice { // well signed
				fields := s.notice(r.TradeNo)
				for i := 0; i < len(pairs); i += 2 {
					fields[pairs[i].(string)] = pairs[i+1]
				}
				return signed(fields, token)
			}
			after := func(old, new string) paymenttest.Notice { // changed after it was signed
				n := signed(s.notice(r.TradeNo), token)
				if !strings.Contains(n.Body, old) {
					t.Fatalf("no %s in %s", old, n.Body)
				}
				n.Body = strings.Replace(n.Body, old, new, 1)
				return n
			}
			return []paymenttest.Attack{
				{
					Name: "no signature", Notice: after(`"signature":"`, `"signature":"","x":"`),
					Reason: payment.BadSignature,
				},
				{Name: "no signature field", Notice: after(`"signature"`, `"sig"`), Reason: payment.BadSignature},
				{Name: "another token", Notice: signed(s.notice(r.TradeNo), "guess"), Reason: payment.BadSignature},
				{Name: "no token", Notice: signed(s.notice(r.TradeNo), ""), Reason: payment.BadSignature},
				{
					Name: "an amount after signing", Notice: after(`"amount":30,`, `"amount":50,`),
					Reason: payment.BadSignature,
				},
				{
					Name: "a doubled amount", Notice: after(`"amount":30,`, `"amount":30,"amount":50,`),
					Reason: payment.BadSignature,
				},
				{
					Name: "an amount in other capitals", Notice: after(`"amount":30,`, `"amount":30,"Amount":50,`),
					Reason: payment.BadSignature,
				},
				{Name: "a field after signing", Notice: after(`{`, `{"x":"1",`), Reason: payment.BadSignature},
				{
					Name: "an object as the amount", Notice: after(`"amount":30,`, `"amount":{},`),
					Reason: payment.Unreadable,
				},
				{Name: "an exponent", Notice: after(`"amount":30,`, `"amount":3e1,`), Reason: payment.Unreadable},
				{
					Name: "no JSON", Notice: paymenttest.Notice{Body: "order_id=" + r.TradeNo + "&status=2"},
					Reason: payment.Unreadable,
				},
				{Name: "another amount", Notice: with("amount", 0.01), Reason: payment.WrongAmount},
				{Name: "the amount in fen", Notice: with("amount", 3000), Reason: payment.WrongAmount},
				{Name: "the amount in USDT", Notice: with("amount", 4.28), Reason: payment.WrongAmount},
				{Name: "a third of a fen", Notice: with("amount", 30.003), Reason: payment.Unreadable},
				{Name: "full-width digits", Notice: with("amount", "３０"), Reason: payment.Unreadable},
				{Name: "Arabic digits", Notice: with("amount", "٣٠"), Reason: payment.Unreadable},
				{Name: "an unknown number", Notice: with("order_id", "NOSUCHNUMBER"), Reason: payment.UnknownNumber},
				{Name: "another recharge's number with this payment", Notice: with("order_id", other.TradeNo, "amount",
					50), Reason: payment.NotConfirmed},
				{Name: "an unknown bill", Notice: with("trade_id", "T0"), Reason: payment.NotConfirmed},
				{Name: "no bill", Notice: with("trade_id", ""), Reason: payment.Unreadable},
				{Name: "an unknown state", Notice: with("status", 22), Reason: payment.Unreadable},
			}
		},
	}
}

func TestEpusdt(t *testing.T) { paymenttest.TestPlatform(t, platform) }

func TestAFractionalAmountIsSignedAsEpusdtReadsIt(t *testing.T) {
	p := platform(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	user := c.User(t)
	r := p.Recharge(t, c, user, 2850) // 28.50 is 28.5 there
	p.Pay(r.TradeNo)
	if w := c.SendNotify(t.Context(), "usdt", p.Notice(r.TradeNo)); w.Body.String() != "ok" ||
		c.Balance(t, user).Posted != 2850 {
		t.Fatalf("%d %s, %+v", w.Code, w.Body, c.Balance(t, user))
	}
}

func TestABillThatIsNotPaidCreditsNothing(t *testing.T) {
	p := platform(t)
	c := paymenttest.New(t, dbtest.SQLite(t), []payment.Kind{p.Kind})
	p.Open(t, c)
	user := c.User(t)
	for status, want := range map[float64]wallet.RechargeState{1: wallet.RechargePending, 3: wallet.RechargeFailed} {
		r := p.Recharge(t, c, user, 3000)
		var fields map[string]any
		if err := json.Unmarshal([]byte(p.Notice(r.TradeNo).Body), &fields); err != nil {
			t.Fatal(err)
		}
		fields["status"] = status
		w := c.SendNotify(t.Context(), "usdt", signed(fields, token))
		after, err := c.Wallets.RechargeByTradeNo(t.Context(), r.TradeNo)
		if err != nil || w.Body.String() != "ok" || after.State != want || c.Balance(t, user).Posted != 0 {
			t.Errorf("status %v: %d %s, %+v, %v", status, w.Code, w.Body, after, err)
		}
	}
}
