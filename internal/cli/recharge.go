package cli

import (
	"context"
	"fmt"

	"airstrip/internal/app"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/wallet"
)

type rechargeCommand struct {
	Refund  rechargeRefund  `cmd:"" help:"Pay a recharge, or a part of it, back through its gateway, and print what became of that as JSON."`
	Refunds rechargeRefunds `cmd:"" help:"List the refunds of recharges, as JSON."`
	Confirm rechargeConfirm `cmd:"" help:"Let a refund go on that waits for a second member of staff: one by hand as paid, any other through its gateway."`
	Decline rechargeDecline `cmd:"" help:"End a refund that waits; the money is the user's again."`
}

type rechargeRefund struct {
	TradeNo string `arg:"" help:"Of the recharge."`
	Amount  string `arg:"" help:"As 10.00; out of the user's wallet."`
	Reason  reason `arg:"" help:"The user reads it."`
	ByHand  bool   `help:"Note it as paid by hand, where the gateway cannot give money back."`
}

func (c rechargeRefund) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		amount, err := money.Parse(c.Amount)
		if err != nil {
			return fmt.Errorf("%q: %w", c.Amount, err)
		}
		r, err := a.Wallets.RechargeByTradeNo(ctx, c.TradeNo)
		if err != nil {
			return err
		}
		made, err := a.Payments.GiveBack(ctx, payment.RefundWish{
			RechargeID: r.ID, Amount: amount, Reason: string(c.Reason),
			ByHand: c.ByHand,
		})
		if err != nil {
			return err
		}
		return printJSON(made)
	})
}

type rechargeRefunds struct {
	State string `enum:",pending,done,failed" default:"" help:"pending, done or failed; all by default."`
	part
}

func (c rechargeRefunds) Run(ctx context.Context, cfg *app.Config) error {
	return show(ctx, cfg, func(a *app.App) (any, error) {
		return all(a.Wallets.GatewayRefunds(ctx, wallet.GatewayRefundState(c.State), 0, int64(c.Limit),
			int64(c.Offset)))
	})
}

type rechargeConfirm struct {
	ID int64 `arg:"" help:"Number of the refund, as the list has it."`
}

func (c rechargeConfirm) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Payments.DecideRefund(ctx, c.ID, true, nil)
		return err
	})
}

type rechargeDecline struct {
	ID int64 `arg:"" help:"Number of the refund, as the list has it."`
}

func (c rechargeDecline) Run(ctx context.Context, cfg *app.Config) error {
	return open(ctx, cfg, func(a *app.App) error {
		_, err := a.Payments.DecideRefund(ctx, c.ID, false, nil)
		return err
	})
}
