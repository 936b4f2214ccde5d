// Package crypto is payment in USDT and the like through a server of the operator's that speaks epusdt's HTTP
// interface, such as epusdt itself or BEpusdt. The bill is in yuan; the server converts it and watches the chain.
//
// Documented at https://github.com/assimon/epusdt/blob/master/wiki/API.md and
// https://github.com/v03413/BEpusdt/blob/main/docs/api/api.md.
package crypto

import (
	"bytes"
	"context"
	"crypto/md5" // demanded by the interface
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/text"
	"airstrip/internal/wallet"
)

// Kind is epusdt.
var Kind = payment.Kind{
	Name:       "crypto",
	Title:      fault.Text{ZH: "USDT", EN: "USDT"},
	Currencies: []string{currency},
	Fields: []payment.Field{
		{Name: "api_url", Title: fault.Text{
			ZH: "epusdt 地址，如 https://usdt.example.com",
			EN: "Address of epusdt, such as https://usdt.example.com",
		}, Required: true},
		{
			Name: "token", Title: fault.Text{ZH: "接口密钥（api_auth_token）", EN: "Token of the interface (api_auth_token)"},
			Required: true,
		},
		{Name: "trade_type", Title: fault.Text{
			ZH: "币种与网络，如 usdt.trc20（仅 BEpusdt）",
			EN: "Coin and network, such as usdt.trc20 (BEpusdt only)",
		}},
		{Name: "create_path", Title: fault.Text{
			ZH: "下单路径（默认 /api/v1/order/create-transaction）",
			EN: "Path for new bills, by default /api/v1/order/create-transaction",
		}},
	},
	Open: open,
}

const currency = "CNY" // of bills; messages name none

type gateway struct {
	url, path, token, tradeType string
}

func open(s payment.Setup) (payment.Gateway, error) {
	g := &gateway{
		strings.TrimRight(s.Credentials["api_url"], "/"),
		s.Or("create_path", "/api/v1/order/create-transaction"), s.Credentials["token"], s.Credentials["trade_type"],
	}
	if _, ok := text.WebAddress(g.url); !ok {
		return nil, payment.BadCredential("api_url", errors.New("not an address"))
	}
	if !strings.HasPrefix(g.path, "/") {
		return nil, payment.BadCredential("create_path", errors.New("not a path"))
	}
	return g, nil
}

func (g *gateway) sign(fields map[string]string) string {
	sum := md5.Sum([]byte(rsakey.Sorted(fields, "signature") + g.token))
	return hex.EncodeToString(sum[:])
}

// Begin opens a bill. The interface knows amounts as JSON numbers and signs them in their shortest form.
func (g *gateway) Begin(ctx context.Context, b payment.Bill) (wallet.PayPage, error) {
	amount := shortest(b.Amount.String())
	fields := map[string]string{
		"order_id": b.TradeNo, "amount": amount, "notify_url": b.NotifyURL,
		"redirect_url": b.ReturnURL,
	}
	if g.tradeType != "" {
		fields["trade_type"] = g.tradeType
	}
	content := map[string]any{"signature": g.sign(fields)}
	for name, v := range fields {
		content[name] = v
	}
	content["amount"] = json.Number(amount)
	body, err := json.Marshal(content)
	if err != nil {
		return wallet.PayPage{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+g.path, bytes.NewReader(body))
	if err != nil {
		return wallet.PayPage{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	var made struct {
		TradeID    string `json:"trade_id"`
		PaymentURL string `json:"payment_url"`
	}
	if err := call(req, &made); err != nil {
		return wallet.PayPage{}, err
	}
	if u, err := url.Parse(made.PaymentURL); err != nil || !strings.HasPrefix(u.Scheme, "http") || made.TradeID == "" {
		return wallet.PayPage{}, errors.New("crypto: the answer has no pay page")
	}
	return wallet.PayPage{Kind: "url", URL: made.PaymentURL, Ref: made.TradeID}, nil
}

var states = map[string]payment.PaymentState{
	"1": payment.Waiting, "2": payment.Paid, "3": payment.Failed,
	"4": payment.Waiting,
}

// errNoOrder is the error of an order that the server does not know.
var errNoOrder = errors.New("crypto: the server does not know the order")

// noOrder is the code by which the server says that.
const noOrder = 10008

// Ask asks for the state of a bill: all that the interface tells. The bill's amount cannot change once it is open. It
// has no number at the server before its page was opened.
func (g *gateway) Ask(ctx context.Context, b payment.Bill) (payment.Payment, error) {
	if b.Ref == "" {
		return b.Unpaid(payment.Waiting), nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+"/pay/check-status/"+url.PathEscape(b.Ref),
		http.NoBody)
	if err != nil {
		return payment.Payment{}, err
	}
	var said struct {
		TradeID string `json:"trade_id"`
		Status  int    `json:"status"`
	}
	err = call(req, &said)
	if errors.Is(err, errNoOrder) {
		return b.Unpaid(payment.Waiting), nil
	}
	if err != nil {
		return payment.Payment{}, err
	}
	state, known := states[strconv.Itoa(said.Status)]
	if !known || said.TradeID != b.Ref {
		return payment.Payment{}, payment.ErrUnreadable
	}
	p := b.Unpaid(state)
	p.TransactionID = b.Ref
	return p, nil
}

// Read verifies a notify. The number of the payment is the server's own: the chain's may be the same for two bills.
func (g *gateway) Read(_ context.Context, n payment.Notify) (payment.Payment, error) {
	fields, err := read(n.Body)
	if err != nil {
		return payment.Payment{}, err
	}
	if subtle.ConstantTimeCompare([]byte(g.sign(fields)), []byte(fields["signature"])) != 1 {
		return payment.Payment{}, payment.ErrSignature
	}
	amount, err := money.Parse(fields["amount"])
	state, known := states[fields["status"]]
	if err != nil || !known || fields["order_id"] == "" {
		return payment.Payment{}, payment.ErrUnreadable
	}
	return payment.Payment{
		TradeNo: fields["order_id"], TransactionID: fields["trade_id"], Amount: amount,
		Currency: currency, State: state,
	}, nil
}

// Answer says ok.
func (g *gateway) Answer(accepted bool) payment.Answer {
	return payment.Word(accepted, "ok", "fail")
}

var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// read returns a flat JSON object as text by name, numbers in their shortest form, as they are signed.
func read(body []byte) (map[string]string, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, errors.Join(payment.ErrUnreadable, err)
	}
	fields := map[string]string{}
	for name, v := range raw {
		text := string(v)
		switch {
		case text == "null":
		case number.MatchString(text):
			fields[name] = shortest(text)
		default:
			if err := json.Unmarshal(v, &text); err != nil {
				return nil, errors.Join(payment.ErrUnreadable, err)
			}
			fields[name] = text
		}
	}
	return fields, nil
}

// shortest takes the zeros off the end of a decimal.
func shortest(decimal string) string {
	if strings.Contains(decimal, ".") {
		decimal = strings.TrimRight(strings.TrimRight(decimal, "0"), ".")
	}
	return decimal
}

// call sends req and reads the data of the answer; its status_code says whether it was done.
func call(req *http.Request, into any) error {
	res, body, err := payment.Call(req)
	if err != nil {
		return err
	}
	var said struct {
		StatusCode int             `json:"status_code"`
		Message    string          `json:"message"`
		Data       json.RawMessage `json:"data"`
	}
	err = json.Unmarshal(body, &said)
	if err == nil && said.StatusCode == noOrder {
		return errNoOrder
	}
	if err != nil || said.StatusCode != http.StatusOK {
		return payment.Declined(req.URL.Path, res, strconv.Itoa(said.StatusCode), said.Message)
	}
	return json.Unmarshal(said.Data, into)
}
