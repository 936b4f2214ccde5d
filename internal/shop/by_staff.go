package shop

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// ByStaff is what differs in a purchase that a member of staff makes for a user. Plans that are hidden from the shop
// are sold too.
type ByStaff struct {
	Amount money.Amount // in place of the listed price, at most that
	// Waits is how long the order waits for a recharge of all that it costs, where its gateway needs no longer; 0: the
	// wallet pays at once.
	Waits time.Duration
}

// Faults of orders by staff, all of the field "price".
var (
	errAboveList = fault.Invalid("price", "range", "价格不能高于标价", "The price is at most the listed one")
	errNoPrice   = fault.Invalid("price", "free", "免费请使用赠送", "What costs nothing is given as a gift")
	errLowChange = fault.Invalid("price", "change", "更换套餐只能按标价下单",
		"A change of plan is ordered at the listed price")
)

// priceByStaff puts the price that staff names into pr, which is the caller's own. The extra time that a change of plan
// brings follows from the price, so a change has the listed one.
func (p *Purchase) priceByStaff(pr *Price) error {
	if p.ByStaff == nil || p.ByStaff.Amount == pr.Amount {
		return nil
	}
	switch amount := p.ByStaff.Amount; {
	case amount > pr.Amount:
		return errAboveList
	case amount <= 0:
		return errNoPrice
	case p.ChangeServiceID != nil:
		return errLowChange
	}
	pr.Amount = p.ByStaff.Amount
	return nil
}

// assignedFor returns how long an order that staff assigns to its user waits for payment, where its gateway needs no
// longer; 0 of any other.
func (p *Purchase) assignedFor() time.Duration {
	if p.ByStaff == nil {
		return 0
	}
	return p.ByStaff.Waits
}

// spendable returns the part of what is available that the order may take from the wallet: of an order that is
// assigned nothing, since its user has yet to agree.
func (p *Purchase) spendable(available money.Amount) money.Amount {
	if p.assignedFor() > 0 {
		return 0
	}
	return available
}

// BelowList returns the listed amount of a price, and what a member gives who sells at amount: what that is below the
// dearest that the price has been lately. The listed one may be that too, where somebody lowered it a moment ago. An
// amount below the listed one is above zero: errNoPrice.
func (s *Shop) BelowList(ctx context.Context, tx bun.Tx, priceID int64, amount money.Amount) (listed,
	given money.Amount, err error,
) {
	pr, err := s.price(ctx, tx, priceID)
	if err == nil && amount <= 0 && amount < pr.Amount {
		err = errNoPrice
	}
	if err != nil {
		return 0, 0, err
	}
	prices, err := dearestPrices(ctx, tx, s.db.Now())
	for _, p := range prices {
		if p.ID == priceID {
			given = max(0, p.Amount-amount)
		}
	}
	return max(pr.Amount, amount), given, err
}

// Currency returns the currency of all prices.
func (s *Shop) Currency() string { return s.settings.Get().Currency }
