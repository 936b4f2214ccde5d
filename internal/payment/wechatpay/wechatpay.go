// Package wechatpay is WeChat Pay (微信支付), API v3: native payment, a QR code that the payer scans.
//
// Documented at https://pay.weixin.qq.com/doc/v3/merchant/4012791877 (native payment),
// https://pay.weixin.qq.com/doc/v3/merchant/4012791882 (notifies), https://pay.weixin.qq.com/doc/v3/merchant/4012365342
// (signatures of calls) and https://pay.weixin.qq.com/doc/v3/merchant/4013053420 (signatures of WeChat Pay's).
package wechatpay

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/wallet"
)

// Kind is WeChat Pay.
var Kind = payment.Kind{
	Name:       "wechatpay",
	Title:      fault.Text{ZH: "微信支付", EN: "WeChat Pay"},
	Currencies: []string{"CNY"},
	Fields: []payment.Field{
		{Name: "appid", Title: fault.Text{ZH: "应用 APPID（与商户号绑定）", EN: "APPID bound to the merchant"}, Required: true},
		{Name: "mchid", Title: fault.Text{ZH: "商户号", EN: "Merchant number (mchid)"}, Required: true},
		{Name: "serial_no", Title: fault.Text{
			ZH: "商户 API 证书序列号",
			EN: "Serial number of the merchant's API certificate",
		}, Required: true},
		{Name: "private_key", Title: fault.Text{
			ZH: "商户 API 私钥（apiclient_key.pem）",
			EN: "The merchant's private key (apiclient_key.pem)",
		}, Required: true, Long: true},
		{Name: "api_v3_key", Title: fault.Text{ZH: "APIv3 密钥（32 字节）", EN: "APIv3 key (32 bytes)"}, Required: true},
		{Name: "public_key_id", Title: fault.Text{
			ZH: "微信支付公钥 ID（PUB_KEY_ID_ 开头；不填则使用平台证书）",
			EN: "ID of WeChat Pay's public key, beginning with PUB_KEY_ID_; without it platform certificates " +
				"are used",
		}},
		{
			Name: "public_key", Title: fault.Text{
				ZH: "微信支付公钥（pub_key.pem）",
				EN: "WeChat Pay's public key (pub_key.pem)",
			},
			Long: true,
		},
		{Name: "api_url", Title: fault.Text{
			ZH: "接口地址（默认正式环境）",
			EN: "Address of the API, by default that of the production environment",
		}},
	},
	Open: open,
}

type gateway struct {
	appID, mchID, serial, url string
	private                   *rsa.PrivateKey
	aead                      cipher.AEAD
	now                       func() time.Time

	mu      sync.Mutex
	keys    map[string]*rsa.PublicKey // of WeChat Pay, by serial number or id
	fetched time.Time                 // when the certificates were last asked for; unused with a public key
	failed  error                     // of that, nil where it went well
	byKey   bool
}

func open(s payment.Setup) (payment.Gateway, error) {
	g := &gateway{
		appID: s.Credentials["appid"], mchID: s.Credentials["mchid"], serial: s.Credentials["serial_no"],
		url: s.Or("api_url", "https://api.mch.weixin.qq.com"),
		now: s.Now, keys: map[string]*rsa.PublicKey{},
	}
	var err error
	if g.private, err = rsakey.Private(s.Credentials["private_key"]); err != nil {
		return nil, payment.BadCredential("private_key", err)
	}
	block, err := aes.NewCipher([]byte(s.Credentials["api_v3_key"]))
	if err != nil || len(s.Credentials["api_v3_key"]) != 32 {
		return nil, payment.BadCredential("api_v3_key", errors.New("not 32 bytes"))
	}
	if g.aead, err = cipher.NewGCM(block); err != nil {
		return nil, err
	}
	id, text := s.Credentials["public_key_id"], s.Credentials["public_key"]
	if (id == "") != (text == "") {
		return nil, payment.BadCredential("public_key", errors.New("the key and its id belong together"))
	}
	if g.byKey = id != ""; g.byKey {
		if g.keys[id], err = rsakey.Public(text); err != nil {
			return nil, payment.BadCredential("public_key", err)
		}
	}
	return g, nil
}

type amount struct {
	Total    int64  `json:"total"` // fen
	Currency string `json:"currency"`
}

// Begin asks for the text of a QR code.
func (g *gateway) Begin(ctx context.Context, b payment.Bill) (wallet.PayPage, error) {
	var made struct {
		CodeURL string `json:"code_url"`
	}
	err := g.call(ctx, http.MethodPost, "/v3/pay/transactions/native", map[string]any{
		"appid": g.appID, "mchid": g.mchID, "description": b.Title, "out_trade_no": b.TradeNo,
		"time_expire": b.ExpiresAt.UTC().Format(time.RFC3339),
		"notify_url":  b.NotifyURL, "amount": amount{int64(b.Amount), b.Currency},
	}, &made)
	if err == nil && made.CodeURL == "" {
		err = errors.New("wechatpay: no QR code in the answer")
	}
	return wallet.PayPage{Kind: "qrcode", URL: made.CodeURL}, err
}

// transaction is a payment, in notifies and in answers.
type transaction struct {
	AppID         string  `json:"appid"`
	MchID         string  `json:"mchid"`
	OutTradeNo    string  `json:"out_trade_no"`
	TransactionID string  `json:"transaction_id"`
	TradeState    string  `json:"trade_state"`
	Amount        *amount `json:"amount"` // none of a closed one
}

var states = map[string]payment.PaymentState{
	"SUCCESS": payment.Paid, "NOTPAY": payment.Waiting, "USERPAYING": payment.Waiting, "ACCEPT": payment.Waiting,
	"REFUND": payment.Failed, "CLOSED": payment.Failed, "REVOKED": payment.Failed, "PAYERROR": payment.Failed,
}

func (g *gateway) read(t transaction) (payment.Payment, error) {
	if t.AppID != g.appID || t.MchID != g.mchID {
		return payment.Payment{}, payment.ErrMerchant
	}
	state, known := states[t.TradeState]
	if !known || t.OutTradeNo == "" || (t.Amount == nil && state == payment.Paid) {
		return payment.Payment{}, payment.ErrUnreadable
	}
	p := payment.Payment{TradeNo: t.OutTradeNo, TransactionID: t.TransactionID, State: state}
	if t.Amount != nil {
		p.Amount, p.Currency = money.Amount(t.Amount.Total), t.Amount.Currency
	}
	return p, nil
}

// Ask looks the transaction up.
func (g *gateway) Ask(ctx context.Context, b payment.Bill) (payment.Payment, error) {
	var t transaction
	err := g.call(ctx, http.MethodGet, "/v3/pay/transactions/out-trade-no/"+url.PathEscape(b.TradeNo)+"?mchid="+
		url.QueryEscape(g.mchID), nil, &t)
	if said := new(refusal); errors.As(err, &said) && said.Status == http.StatusNotFound {
		return b.Unpaid(payment.Waiting), nil
	}
	if err != nil {
		return payment.Payment{}, err
	}
	p, err := g.read(t)
	if err == nil && p.State != payment.Paid {
		return b.Unpaid(p.State), nil
	}
	return p, err
}

// Refund gives back a part or all of a transaction, from the merchant's balance. WeChat Pay takes a refund on and
// finishes it later; after a no its book of refunds says whether there is one under this number.
func (g *gateway) Refund(ctx context.Context, r payment.Refund) error {
	var made struct {
		Status string `json:"status"`
	}
	const path = "/v3/refund/domestic/refunds"
	err := g.call(ctx, http.MethodPost, path, map[string]any{
		"out_trade_no": r.Bill.TradeNo, "out_refund_no": r.No, "reason": r.Reason,
		"amount": map[string]any{"refund": int64(r.Amount), "total": int64(r.Bill.Amount), "currency": r.Bill.Currency},
	}, &made)
	if no := new(refusal); errors.As(err, &no) && (no.Status == http.StatusBadRequest ||
		no.Status == http.StatusForbidden || no.Status == http.StatusNotFound) {
		err = g.call(ctx, http.MethodGet, path+"/"+url.PathEscape(r.No), nil, &made)
		if none := new(refusal); errors.As(err, &none) && none.Status == http.StatusNotFound {
			return &payment.RefundRefused{Words: no.Message}
		}
	}
	switch {
	case err != nil:
		return err
	case made.Status == "SUCCESS":
		return nil
	case made.Status == "PROCESSING":
		return payment.ErrRefundUnderway
	case made.Status == "CLOSED":
		return &payment.RefundRefused{Words: "CLOSED"}
	}
	// ABNORMAL: the merchant has to say on the platform where it goes
	return errors.New("wechatpay: the refund is " + made.Status)
}

// Read verifies the signature over the body as it came, then opens what is sealed in it.
func (g *gateway) Read(ctx context.Context, n payment.Notify) (payment.Payment, error) {
	if err := g.verify(ctx, http.Header(n.Header), n.Body); err != nil {
		return payment.Payment{}, err
	}
	var in struct {
		Resource sealed `json:"resource"`
	}
	if err := json.Unmarshal(n.Body, &in); err != nil {
		return payment.Payment{}, errors.Join(payment.ErrUnreadable, err)
	}
	switch in.Resource.OriginalType {
	case "transaction":
	case "refund":
		return payment.Payment{}, payment.ErrNoPayment
	default:
		return payment.Payment{}, payment.ErrUnreadable
	}
	text, err := g.unseal(in.Resource)
	if err != nil {
		return payment.Payment{}, payment.ErrSignature
	}
	var t transaction
	if err := json.Unmarshal(text, &t); err != nil {
		return payment.Payment{}, errors.Join(payment.ErrUnreadable, err)
	}
	return g.read(t)
}

// Answer is 200 where the notify was taken; with anything else it comes again.
func (g *gateway) Answer(accepted bool) payment.Answer {
	a := payment.Word(accepted, `{"code":"SUCCESS","message":"成功"}`, `{"code":"FAIL","message":"失败"}`)
	a.ContentType = "application/json"
	return a
}
