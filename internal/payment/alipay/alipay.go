// Package alipay is Alipay (支付宝): face-to-face payment by a QR code that the payer scans, and page pay, signed RSA2.
//
// Documented at https://opendocs.alipay.com/open/8ad49e4a_alipay.trade.precreate (face-to-face),
// https://opendocs.alipay.com/open/59da99d0_alipay.trade.page.pay (page pay),
// https://opendocs.alipay.com/open/204/105301 (notifies) and https://opendocs.alipay.com/common/02mse3 (signatures).
package alipay

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/payment/rsakey"
	"airstrip/internal/wallet"
)

// Kind is Alipay.
var Kind = payment.Kind{
	Name:       "alipay",
	Title:      fault.Text{ZH: "支付宝", EN: "Alipay"},
	Currencies: []string{currency},
	Fields: []payment.Field{
		{Name: "app_id", Title: fault.Text{ZH: "应用 APPID", EN: "APPID of the app"}, Required: true},
		{Name: "private_key", Title: fault.Text{ZH: "应用私钥", EN: "Private key of the app"}, Required: true, Long: true},
		{
			Name: "alipay_public_key", Title: fault.Text{ZH: "支付宝公钥", EN: "Alipay's public key"}, Required: true,
			Long: true,
		},
		{Name: "seller_id", Title: fault.Text{
			ZH: "商户 PID（2088 开头）；填写后核对收款方",
			EN: "Merchant PID, beginning with 2088; where given, the receiver is compared with it",
		}},
		{Name: "product", Title: fault.Text{
			ZH: "产品：precreate 当面付（默认），page 电脑网站支付",
			EN: "Product: precreate for face-to-face (the default), page for page pay",
		}, Choices: []string{
			"precreate",
			"page",
		}},
		{Name: "api_url", Title: fault.Text{
			ZH: "网关地址（默认正式环境）",
			EN: "Address of the gateway, by default that of the production environment",
		}},
	},
	Open: open,
}

const (
	currency   = "CNY" // the only one of these products; their messages name none
	production = "https://openapi.alipay.com/gateway.do"
	clock      = "2006-01-02 15:04:05"
)

// zone is that of all times in messages.
var zone = time.FixedZone("CST", 8*60*60)

type gateway struct {
	appID, sellerID, url string
	page                 bool
	private              *rsa.PrivateKey
	alipay               *rsa.PublicKey
	now                  func() time.Time
}

func open(s payment.Setup) (payment.Gateway, error) {
	private, err := rsakey.Private(s.Credentials["private_key"])
	if err != nil {
		return nil, payment.BadCredential("private_key", err)
	}
	public, err := rsakey.Public(s.Credentials["alipay_public_key"])
	if err != nil {
		return nil, payment.BadCredential("alipay_public_key", err)
	}
	if public.Equal(private.Public()) { // whoever mixes them up would believe their own signatures
		return nil, payment.BadCredential("alipay_public_key", errors.New("this is the app's own public key"))
	}
	return &gateway{
		appID: s.Credentials["app_id"], sellerID: s.Credentials["seller_id"], url: s.Or("api_url", production),
		page:    s.Credentials["product"] == "page",
		private: private, alipay: public, now: s.Now,
	}, nil
}

type order struct {
	OutTradeNo     string `json:"out_trade_no"`
	TotalAmount    string `json:"total_amount"`
	Subject        string `json:"subject"`
	ProductCode    string `json:"product_code,omitempty"`
	TimeExpire     string `json:"time_expire,omitempty"`     // of page pay
	TimeoutExpress string `json:"timeout_express,omitempty"` // of face-to-face payment, in minutes
}

// Begin asks for a QR code, or gives the address of the pay page, which is made without asking.
func (g *gateway) Begin(ctx context.Context, b payment.Bill) (wallet.PayPage, error) {
	o := order{OutTradeNo: b.TradeNo, TotalAmount: b.Amount.String(), Subject: b.Title}
	if g.page {
		o.ProductCode, o.TimeExpire = "FAST_INSTANT_TRADE_PAY", b.ExpiresAt.In(zone).Format(clock)
		form, err := g.form("alipay.trade.page.pay", o, map[string]string{
			"notify_url": b.NotifyURL,
			"return_url": b.ReturnURL,
		})
		return wallet.PayPage{Kind: "url", URL: g.url + "?" + form.Encode()}, err
	}
	o.TimeoutExpress = fmt.Sprintf("%dm", max(1, int(b.ExpiresAt.Sub(g.now()).Minutes())))
	var made struct {
		QRCode string `json:"qr_code"`
	}
	if err := g.call(ctx, "alipay.trade.precreate", o, map[string]string{"notify_url": b.NotifyURL},
		&made); err != nil {
		return wallet.PayPage{}, err
	}
	if made.QRCode == "" {
		return wallet.PayPage{}, errors.New("alipay: no QR code in the answer")
	}
	return wallet.PayPage{Kind: "qrcode", URL: made.QRCode}, nil
}

// states of a trade. A closed one was never paid, or all of it was given back.
var states = map[string]payment.PaymentState{
	"WAIT_BUYER_PAY": payment.Waiting, "TRADE_SUCCESS": payment.Paid, "TRADE_FINISHED": payment.Paid,
	"TRADE_CLOSED": payment.Failed,
}

// Ask looks the trade up. It exists at Alipay only once the payer has scanned the code or opened the page.
func (g *gateway) Ask(ctx context.Context, b payment.Bill) (payment.Payment, error) {
	var t struct {
		TradeNo     string `json:"trade_no"`
		OutTradeNo  string `json:"out_trade_no"`
		TradeStatus string `json:"trade_status"`
		TotalAmount string `json:"total_amount"`
	}
	err := g.call(ctx, "alipay.trade.query", map[string]string{"out_trade_no": b.TradeNo}, nil, &t)
	if declined := new(declinedError); errors.As(err, &declined) && declined.SubCode == "ACQ.TRADE_NOT_EXIST" {
		return b.Unpaid(payment.Waiting), nil
	}
	if err != nil {
		return payment.Payment{}, err
	}
	return read(t.OutTradeNo, t.TradeNo, t.TotalAmount, t.TradeStatus)
}

func read(outTradeNo, tradeNo, totalAmount, status string) (payment.Payment, error) {
	amount, err := money.Parse(totalAmount)
	state, known := states[status]
	if err != nil || !known || outTradeNo == "" {
		return payment.Payment{}, payment.ErrUnreadable
	}
	return payment.Payment{
		TradeNo: outTradeNo, TransactionID: tradeNo, Amount: amount, Currency: currency,
		State: state,
	}, nil
}

// Refund gives back a part or all of a trade. Only fund_change Y says that money moved just now; whatever else Alipay
// answers, its book of refunds says whether it did under this number.
func (g *gateway) Refund(ctx context.Context, r payment.Refund) error {
	var made struct {
		FundChange string `json:"fund_change"`
	}
	err := g.call(ctx, "alipay.trade.refund", map[string]string{
		"out_trade_no": r.Bill.TradeNo, "out_request_no": r.No, "refund_amount": r.Amount.String(),
		"refund_reason": r.Reason,
	}, nil, &made)
	if err == nil && made.FundChange == "Y" {
		return nil
	}
	declined := new(declinedError)
	if err != nil && (!errors.As(err, &declined) || !declined.definite()) {
		return err
	}
	var kept struct {
		Status string `json:"refund_status"`
	}
	if err := g.call(ctx, "alipay.trade.fastpay.refund.query", map[string]string{
		"out_trade_no":   r.Bill.TradeNo,
		"out_request_no": r.No,
	}, nil, &kept); err != nil {
		if no := new(declinedError); !errors.As(err, &no) || no.SubCode != "ACQ.TRADE_NOT_EXIST" {
			return err
		}
	}
	switch {
	case kept.Status == "REFUND_SUCCESS":
		return nil
	case err != nil:
		return &payment.RefundRefused{Words: declined.SubMsg}
	}
	return payment.ErrRefundUnderway
}

// Read takes asynchronous notifies only. The parameters of a return address are signed too, but by a payer's browser
// they prove nothing.
func (g *gateway) Read(_ context.Context, n payment.Notify) (payment.Payment, error) {
	form, err := n.Form()
	if err != nil {
		return payment.Payment{}, err
	}
	if form["sign_type"] != "RSA2" || !rsakey.Verify(g.alipay, rsakey.Sorted(form, "sign", "sign_type"), form["sign"]) {
		return payment.Payment{}, payment.ErrSignature
	}
	if form["app_id"] != g.appID || (g.sellerID != "" && form["seller_id"] != g.sellerID) {
		return payment.Payment{}, payment.ErrMerchant
	}
	if n.Method != "POST" || form["notify_type"] != "trade_status_sync" {
		return payment.Payment{}, payment.ErrUnreadable
	}
	if form["refund_fee"] != "" { // of a payment that was taken before; the state is still that of the payment
		return payment.Payment{}, payment.ErrNoPayment
	}
	return read(form["out_trade_no"], form["trade_no"], form["total_amount"], form["trade_status"])
}

// Answer says success; Alipay repeats a notify for a day until it hears that word.
func (g *gateway) Answer(accepted bool) payment.Answer {
	return payment.Word(accepted, "success", "fail")
}
