package payment

import (
	"context"
	"slices"

	"airstrip/internal/wallet"
)

// Candidates returns the recharge that the payment of a case names, nil where it names none of ours, and others that
// it may be for, the newest first: unpaid, of the same gateway and amount, and begun shortly before it.
func (p *Payments) Candidates(ctx context.Context, c *Case) (named *wallet.Recharge, others []wallet.Recharge,
	err error,
) {
	if c.RechargeID != nil {
		if named, err = p.wallets.RechargeByNo(ctx, p.db, *c.RechargeID); err != nil {
			return nil, nil, err
		}
	}
	others, err = p.wallets.RechargesLike(ctx, wallet.Asked{
		Gateway: c.Gateway, Amount: c.Amount, Currency: c.Currency, At: c.CreatedAt,
	})
	others = slices.DeleteFunc(others, func(r wallet.Recharge) bool { return named != nil && r.ID == named.ID })
	return named, others, err
}
