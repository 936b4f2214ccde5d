// Package sandbox is a gateway for demos and tests, where anybody pays by pressing a button. All else is as with a real
// platform: it has its own record of bills, sends signed notifies to the same address, and answers when it is asked.
package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/seal"
	"airstrip/internal/wallet"
)

// Name is the gateway's name in paths and in the ledger.
const Name = "sandbox"

// Gateway is the sandbox.
type Gateway struct {
	db   *db.DB
	key  []byte
	site string
}

// New returns the sandbox, whose pay pages are under site, an address without a closing slash.
func New(d *db.DB, key seal.Key, site string) *Gateway {
	return &Gateway{d, key.For("sandbox gateway notify"), site}
}

// Method is the sandbox as a way to pay, built in where it is wanted at all.
func (g *Gateway) Method() payment.Method {
	return payment.Method{
		Account: payment.Account{
			Kind: Name, Name: Name, TitleZH: "沙盒支付（演示）", TitleEN: "Sandbox (demo)", Icon: Name,
			Enabled: true,
		},
		Gateway: g,
	}
}

type bill struct {
	bun.BaseModel `bun:"table:sandbox_payment"`
	TradeNo       string `bun:",pk"`
	TransactionID string
	Amount        money.Amount
	Currency      string
	Title         string
	ReturnURL     string
	State         string // open, paid or failed
	CreatedAt     time.Time
}

var states = map[string]payment.PaymentState{"open": payment.Waiting, "paid": payment.Paid, "failed": payment.Failed}

// Begin records the bill.
func (g *Gateway) Begin(ctx context.Context, b payment.Bill) (wallet.PayPage, error) {
	row := bill{
		TradeNo: b.TradeNo, TransactionID: "SB" + b.TradeNo, Amount: b.Amount, Currency: b.Currency, Title: b.Title,
		ReturnURL: b.ReturnURL,
		State:     "open", CreatedAt: g.db.Now(),
	}
	err := g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx)
		return err
	})
	return wallet.PayPage{Kind: "url", URL: g.site + "/sandbox/pay/" + b.TradeNo}, err
}

// Ask reads the sandbox's record of the bill. There is none before its page was opened.
func (g *Gateway) Ask(ctx context.Context, asked payment.Bill) (payment.Payment, error) {
	b, err := g.find(ctx, asked.TradeNo)
	if errors.Is(err, errNoBill) {
		return asked.Unpaid(payment.Waiting), nil
	}
	if err != nil {
		return payment.Payment{}, err
	}
	return b.payment(), nil
}

func (b *bill) payment() payment.Payment {
	return payment.Payment{
		TradeNo: b.TradeNo, TransactionID: b.TransactionID, Amount: b.Amount, Currency: b.Currency,
		State: states[b.State],
	}
}

type refund struct {
	bun.BaseModel `bun:"table:sandbox_refund"`
	No            string `bun:",pk"`
	TradeNo       string
	Amount        money.Amount
	CreatedAt     time.Time
}

// Refund records the refund, where the bill was paid and has that much remaining.
func (g *Gateway) Refund(ctx context.Context, r payment.Refund) error {
	return g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var paid []money.Amount
		if err := tx.NewRaw(`UPDATE sandbox_payment SET state = state WHERE trade_no = ? AND state = 'paid'
			RETURNING amount`, r.Bill.TradeNo).Scan(ctx, &paid); err != nil {
			return err
		}
		again, err := tx.NewSelect().Model((*refund)(nil)).Where("no = ?", r.No).Exists(ctx)
		if err != nil || again {
			return err
		}
		back, err := returned(ctx, tx, r.Bill.TradeNo)
		if err != nil {
			return err
		}
		if len(paid) == 0 || back+r.Amount > paid[0] {
			return &payment.RefundRefused{Words: "the bill has not that much left"}
		}
		_, err = tx.NewInsert().Model(&refund{
			No: r.No, TradeNo: r.Bill.TradeNo, Amount: r.Amount,
			CreatedAt: g.db.Now(),
		}).Exec(ctx)
		return err
	})
}

// Returned gives what went back of the bill.
func (g *Gateway) Returned(ctx context.Context, tradeNo string) (money.Amount, error) {
	return returned(ctx, g.db, tradeNo)
}

func returned(ctx context.Context, idb bun.IDB, tradeNo string) (back money.Amount, err error) {
	err = idb.NewRaw(`SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM sandbox_refund WHERE trade_no = ?`, tradeNo).
		Scan(ctx, &back)
	return back, err
}

var errNoBill = fault.NotFound("bill_not_found", "没有这张账单", "There is no such bill")

func (g *Gateway) find(ctx context.Context, tradeNo string) (*bill, error) {
	var found []bill
	err := g.db.NewSelect().Model(&found).Where("trade_no = ?", tradeNo).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = errNoBill
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Close pays the bill or lets the payment fail, where it is open.
func (g *Gateway) Close(ctx context.Context, tradeNo string, paid bool) error {
	to := "failed"
	if paid {
		to = "paid"
	}
	return g.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewUpdate().Model((*bill)(nil)).Set("state = ?", to).Where("trade_no = ? AND state = 'open'",
			tradeNo).Exec(ctx)
		return err
	})
}

// Notice returns the form of the notify for p: its fields and, as sign, the HMAC-SHA256 in hex of the lines name=value
// in the order of names.
func (g *Gateway) Notice(p payment.Payment) url.Values {
	form := url.Values{
		"trade_no": {p.TradeNo}, "transaction_id": {p.TransactionID}, "amount": {p.Amount.String()},
		"currency": {p.Currency}, "state": {string(p.State)},
	}
	form.Set("sign", hex.EncodeToString(g.sign(form)))
	return form
}

func (g *Gateway) sign(form url.Values) []byte {
	var lines []string
	for name := range form {
		if name != "sign" {
			lines = append(lines, name+"="+form.Get(name)+"\n")
		}
	}
	slices.Sort(lines)
	h := hmac.New(sha256.New, g.key)
	for _, line := range lines {
		h.Write([]byte(line))
	}
	return h.Sum(nil)
}

// Read verifies and reads what Notice made.
func (g *Gateway) Read(_ context.Context, n payment.Notify) (payment.Payment, error) {
	form, err := n.Form()
	if err != nil {
		return payment.Payment{}, err
	}
	values := url.Values{}
	for name, v := range form {
		values.Set(name, v)
	}
	sign, err := hex.DecodeString(form["sign"])
	if err != nil || !hmac.Equal(sign, g.sign(values)) {
		return payment.Payment{}, payment.ErrSignature
	}
	amount, err := money.Parse(form["amount"])
	if err != nil {
		return payment.Payment{}, errors.Join(payment.ErrUnreadable, err)
	}
	return payment.Payment{
		TradeNo: form["trade_no"], TransactionID: form["transaction_id"], Amount: amount, Currency: form["currency"],
		State: payment.PaymentState(form["state"]),
	}, nil
}

// Answer is the word success or fail.
func (g *Gateway) Answer(accepted bool) payment.Answer {
	return payment.Word(accepted, "success", "fail")
}
