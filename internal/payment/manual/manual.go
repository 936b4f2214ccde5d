// Package manual is the way to pay that no platform knows of: a transfer or cash, which staff confirms by hand.
package manual

import (
	"context"

	"airstrip/internal/fault"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

// Kind is payment that staff confirms.
var Kind = payment.Kind{
	Name:  "manual",
	Title: fault.Text{ZH: "转账（人工确认）", EN: "Transfer, confirmed by hand"},
	Fields: []payment.Field{
		{
			Name: "instructions_zh", Title: fault.Text{ZH: "付款说明（中文）", EN: "How to pay, in Chinese"}, Required: true,
			Long: true, Public: true,
		},
		{
			Name: "instructions_en", Title: fault.Text{ZH: "付款说明（英文）", EN: "How to pay, in English"}, Required: true,
			Long: true, Public: true,
		},
	},
	Open: func(s payment.Setup) (payment.Gateway, error) {
		return gateway{fault.Text{ZH: s.Credentials["instructions_zh"], EN: s.Credentials["instructions_en"]}}, nil
	},
}

type gateway struct{ instructions fault.Text }

// Begin returns the instructions, and what to write in the payment's reference so that staff finds it.
func (g gateway) Begin(_ context.Context, b payment.Bill) (wallet.PayPage, error) {
	sum := b.Amount.String() + " " + b.Currency
	return wallet.PayPage{Kind: "text", Text: &fault.Text{
		ZH: g.instructions.ZH + "\n\n应付金额：" + sum + "\n付款备注：" + b.TradeNo,
		EN: g.instructions.EN + "\n\nAmount: " + sum + "\nWrite as the payment's reference: " + b.TradeNo,
	}}, nil
}

// Ask reports every bill as unpaid; staff confirms.
func (gateway) Ask(_ context.Context, b payment.Bill) (payment.Payment, error) {
	return b.Unpaid(payment.Waiting), nil
}

// Read refuses every notify, since there is no platform that could send one.
func (gateway) Read(context.Context, payment.Notify) (payment.Payment, error) {
	return payment.Payment{}, payment.ErrSignature
}

// Answer is the word success or fail.
func (gateway) Answer(accepted bool) payment.Answer {
	return payment.Word(accepted, "success", "fail")
}

// Received is the payment that staff says has come.
func (gateway) Received(b payment.Bill) payment.Payment {
	p := b.Unpaid(payment.Paid)
	p.TransactionID = "by-hand-" + b.TradeNo
	return p
}
