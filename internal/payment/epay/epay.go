// Package epay is EPay (易支付), the interface that most payment resellers in China speak, with either of its signatures:
// MD5 with a shared key (the first version), or RSA with SHA-256 (the second).
//
// Every reseller has the documentation on its own site, under /doc.html or /doc/index.html; they follow that of the
// original, such as https://pay.v8jisu.cn/doc.html (MD5) and https://epay.qcjy.cc/doc/index.html (RSA).
package epay

import (
	"context"
	"crypto/md5" // demanded by the interface
	"crypto/rsa"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// Kind is EPay.
var Kind = payment.Kind{
	Name:       "epay",
	Title:      fault.Text{ZH: "易支付", EN: "EPay"},
	Currencies: []string{currency},
	Fields: []payment.Field{
		{Name: "api_url", Title: fault.Text{
			ZH: "平台地址，如 https://pay.example.com",
			EN: "Address of the platform, such as https://pay.example.com",
		}, Required: true},
		{Name: "pid", Title: fault.Text{ZH: "商户 ID", EN: "Merchant id (pid)"}, Required: true},
		{Name: "key", Title: fault.Text{ZH: "商户密钥（MD5）", EN: "Merchant key (MD5)"}},
		{Name: "private_key", Title: fault.Text{ZH: "商户私钥（RSA）", EN: "The merchant's private key (RSA)"}, Long: true},
		{Name: "public_key", Title: fault.Text{ZH: "平台公钥（RSA）", EN: "The platform's public key (RSA)"}, Long: true},
		{Name: "type", Title: fault.Text{
			ZH: "支付方式，如 alipay、wxpay、qqpay；不填由付款人选择",
			EN: "Way to pay, such as alipay, wxpay, qqpay; without it the payer chooses",
		}},
	},
	Open: open,
}

const (
	currency = "CNY" // messages name none
	maxAge   = 10 * time.Minute
)

type gateway struct {
	url, pid, kind, key string
	private             *rsa.PrivateKey // with the platform's key, instead of key
	platform            *rsa.PublicKey
	now                 func() time.Time
}

func open(s payment.Setup) (payment.Gateway, error) {
	g := &gateway{
		url: strings.TrimRight(s.Credentials["api_url"], "/"), pid: s.Credentials["pid"],
		kind: s.Credentials["type"], key: s.Credentials["key"], now: s.Now,
	}
	if _, ok := text.WebAddress(g.url); !ok {
		return nil, payment.BadCredential("api_url", errors.New("not an address"))
	}
	private, public := s.Credentials["private_key"], s.Credentials["public_key"]
	if private == "" && public == "" {
		if g.key == "" {
			return nil, fault.Invalid("credentials.key", "required", "请填写商户密钥，或 RSA 的私钥与公钥",
				"Please give the merchant key, or the two keys of RSA")
		}
		return g, nil
	}
	if g.key != "" { // which of them must hold would be open to whoever sends a notify
		return nil, fault.Invalid("credentials.key", "conflict", "MD5 密钥与 RSA 密钥只能填写一种",
			"There is either an MD5 key or RSA keys")
	}
	var err error
	if g.private, err = rsakey.Private(private); err != nil {
		return nil, payment.BadCredential("private_key", err)
	}
	if g.platform, err = rsakey.Public(public); err != nil || g.platform.Equal(g.private.Public()) {
		return nil, payment.BadCredential("public_key", errors.Join(err, rsakey.ErrKey))
	}
	return withRefund{g}, nil
}

func (g *gateway) md5(form map[string]string) string {
	sum := md5.Sum([]byte(rsakey.Sorted(form, "sign", "sign_type") + g.key))
	return hex.EncodeToString(sum[:])
}

// sign adds what every signed message has.
func (g *gateway) sign(form map[string]string) (url.Values, error) {
	form["pid"] = g.pid
	if g.private == nil {
		form["sign"], form["sign_type"] = g.md5(form), "MD5"
	} else {
		form["timestamp"] = strconv.FormatInt(g.now().Unix(), 10)
		sign, err := rsakey.Sign(g.private, rsakey.Sorted(form, "sign", "sign_type"))
		if err != nil {
			return nil, err
		}
		form["sign"], form["sign_type"] = sign, "RSA"
	}
	values := url.Values{}
	for name, v := range form {
		values.Set(name, v)
	}
	return values, nil
}

// verify reports whether the platform signed the message, with the one signature that this account has.
func (g *gateway) verify(form map[string]string) error {
	if g.private == nil {
		if form["sign_type"] != "MD5" || subtle.ConstantTimeCompare([]byte(g.md5(form)), []byte(form["sign"])) != 1 {
			return payment.ErrSignature
		}
		return nil
	}
	at, err := strconv.ParseInt(form["timestamp"], 10, 64)
	if form["sign_type"] != "RSA" || err != nil || g.now().Sub(time.Unix(at, 0)).Abs() > maxAge ||
		!rsakey.Verify(g.platform, rsakey.Sorted(form, "sign", "sign_type"), form["sign"]) {
		return payment.ErrSignature
	}
	return nil
}

// Begin returns the address of the platform's pay page, which is made without asking.
func (g *gateway) Begin(_ context.Context, b payment.Bill) (wallet.PayPage, error) {
	form, err := g.sign(map[string]string{
		"type": g.kind, "out_trade_no": b.TradeNo, "notify_url": b.NotifyURL, "return_url": b.ReturnURL,
		"name": b.Title, "money": b.Amount.String(),
	})
	path := "/submit.php"
	if g.private != nil {
		path = "/api/pay/submit"
	}
	return wallet.PayPage{Kind: "url", URL: g.url + path + "?" + form.Encode()}, err
}

// Ask looks the order up. One whose page was never opened does not exist at the platform.
func (g *gateway) Ask(ctx context.Context, b payment.Bill) (payment.Payment, error) {
	said, err := g.query(ctx, b.TradeNo)
	if err != nil {
		return payment.Payment{}, err
	}
	if said == nil {
		return b.Unpaid(payment.Waiting), nil
	}
	amount, err := money.Parse(said["money"])
	if err != nil || said["out_trade_no"] != b.TradeNo || (said["pid"] != "" && said["pid"] != g.pid) {
		return payment.Payment{}, payment.ErrUnreadable
	}
	state, known := map[string]payment.PaymentState{
		"0": payment.Waiting, "1": payment.Paid, "2": payment.Failed,
		"3": payment.Waiting, "4": payment.Waiting,
	}[said["status"]]
	if !known {
		return payment.Payment{}, payment.ErrUnreadable
	}
	return payment.Payment{
		TradeNo: b.TradeNo, TransactionID: said["trade_no"], Amount: amount, Currency: currency,
		State: state,
	}, nil
}

// Read verifies a notify. The return address has the same parameters, signed as well; like any notify it counts for
// nothing until the platform, when asked, says the same.
func (g *gateway) Read(_ context.Context, n payment.Notify) (payment.Payment, error) {
	form, err := n.Form()
	if err != nil {
		return payment.Payment{}, err
	}
	if err := g.verify(form); err != nil {
		return payment.Payment{}, err
	}
	if form["pid"] != g.pid {
		return payment.Payment{}, payment.ErrMerchant
	}
	amount, err := money.Parse(form["money"])
	if err != nil || form["out_trade_no"] == "" || form["trade_status"] == "" {
		return payment.Payment{}, payment.ErrUnreadable
	}
	state := payment.Waiting
	if form["trade_status"] == "TRADE_SUCCESS" {
		state = payment.Paid
	}
	return payment.Payment{
		TradeNo: form["out_trade_no"], TransactionID: form["trade_no"], Amount: amount,
		Currency: currency, State: state,
	}, nil
}

// Answer says success.
func (g *gateway) Answer(accepted bool) payment.Answer {
	return payment.Word(accepted, "success", "fail")
}

// post sends a form and gives the JSON answer as text by name; numbers stay as they are written.
func (g *gateway) post(ctx context.Context, path string, form url.Values) (map[string]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, body, err := payment.Call(req)
	if err != nil {
		return nil, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil || res.StatusCode != http.StatusOK {
		return nil, payment.Declined(path, res, "", "no JSON")
	}
	said := map[string]string{}
	for name, v := range raw {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = strings.TrimSpace(string(v))
		}
		// lists and objects are not signed
		if text != "null" && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
			said[name] = text
		}
	}
	return said, nil
}
