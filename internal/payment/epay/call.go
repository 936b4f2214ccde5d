package epay

import (
	"context"
	"fmt"
	"net/url"

	"airstrip/internal/payment"
)

// query returns what the platform knows of an order, nil where it knows of none.
func (g *gateway) query(ctx context.Context, tradeNo string) (map[string]string, error) {
	// the first version signs nothing here: it wants the key itself, and its answer is as safe as TLS
	if g.private == nil {
		said, err := g.post(ctx, "/api.php?act=order", url.Values{
			"pid": {g.pid}, "key": {g.key},
			"out_trade_no": {tradeNo},
		})
		if err != nil || said["code"] == "1" {
			return said, err
		}
		return nil, g.unless(said, "-1")
	}
	form, err := g.sign(map[string]string{"out_trade_no": tradeNo})
	if err != nil {
		return nil, err
	}
	said, err := g.post(ctx, "/api/pay/query", form)
	if err != nil {
		return nil, err
	}
	if said["code"] == "0" {
		return said, g.verify(said)
	}
	return nil, g.unless(said, "-1")
}

// unless returns the platform's no as an error, but for the code that says that there is no such order.
func (g *gateway) unless(said map[string]string, code string) error {
	if said["code"] == code {
		return nil
	}
	return fmt.Errorf("epay: the platform answered %.20s: %.200s", said["code"], said["msg"])
}

// withRefund is an account with RSA keys. The first version's refunds have no number of ours, so that a repeated one
// would give the money back twice; it is not offered there.
type withRefund struct{ *gateway }

// Refund gives back a part or all of an order, unless the platform has done so under this number before: not every
// platform keeps to one refund for a number.
func (g withRefund) Refund(ctx context.Context, r payment.Refund) error {
	form, err := g.sign(map[string]string{"out_refund_no": r.No})
	if err != nil {
		return err
	}
	said, err := g.post(ctx, "/api/pay/refundquery", form)
	if err != nil {
		return err
	}
	if said["code"] == "0" && said["status"] == "1" {
		return g.verify(said)
	}
	if form, err = g.sign(map[string]string{
		"trade_no": r.TransactionID, "out_refund_no": r.No,
		"money": r.Amount.String(),
	}); err != nil {
		return err
	}
	if said, err = g.post(ctx, "/api/pay/refund", form); err != nil {
		return err
	}
	if said["code"] != "0" {
		return &payment.RefundRefused{Words: said["msg"]}
	}
	return g.verify(said)
}
