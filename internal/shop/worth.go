package shop

import (
	"context"
	"math/bits"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/service"
)

// shortMonth is how many days count as a month of a plan at least. A gift of fewer days brings the traffic of a whole
// month all the same.
const shortMonth = 31

// priceMemory is how long a price that was lowered still counts for what things are worth. Without it a member could
// lower a price, make keys or coupons that seem to be worth little, and raise the price again.
const priceMemory = 30 * 24 * time.Hour

// dearestPrices returns the prices of all plans, those not offered too, each with the highest amount that it has had
// within priceMemory.
func dearestPrices(ctx context.Context, idb bun.IDB, now time.Time) ([]Price, error) {
	var prices []Price
	if err := idb.NewSelect().Model(&prices).Relation("Plan").Scan(ctx); err != nil {
		return nil, err
	}
	var past []struct {
		PriceID int64
		Amount  money.Amount
	}
	// A row of the history counts until the next one begins; the newest counts now.
	err := idb.NewRaw(`SELECT h.price_id, MAX(h.amount) AS amount FROM price_history AS h
		WHERE NOT EXISTS (SELECT 1 FROM price_history AS n WHERE n.price_id = h.price_id AND n.since > h.since
		AND n.since <= ?) GROUP BY h.price_id`, now.Add(-priceMemory)).Scan(ctx, &past)
	highest := make(map[int64]money.Amount, len(past))
	for _, p := range past {
		highest[p.PriceID] = p.Amount
	}
	for i := range prices {
		prices[i].Amount = max(prices[i].Amount, highest[prices[i].ID])
	}
	return prices, err
}

// PlanWorth returns what time of a plan is worth at most: its months, days counted as months that have begun, at the
// price of the plan's dearest month, whether that price is offered or not. Time of a plan whose traffic is never reset
// is worth its dearest price at least, since any time brings all of the traffic. A plan without a price above zero has
// no bound: approval.Unknown.
func PlanWorth(
	ctx context.Context, idb bun.IDB, now time.Time, planID int64, months, days int,
) (money.Amount, error) {
	prices, err := dearestPrices(ctx, idb, now)
	if err != nil {
		return 0, err
	}
	begun := int64(months) + int64((days+shortMonth-1)/shortMonth)
	var worth money.Amount
	for _, p := range prices {
		if p.PlanID != planID || p.Amount == 0 || p.Months == 0 {
			continue
		}
		worth = max(worth, share(p.Amount, begun, int64(p.Months)))
		if p.Plan.Reset == service.Never {
			worth = max(worth, p.Amount)
		}
	}
	if worth == 0 {
		return approval.Unknown, nil
	}
	return worth, nil
}

// TrafficWorth returns what bytes are worth at most: as much as in the package whose bytes are dearest, whether it is
// sold now or not. Without a package that costs something there is no bound: approval.Unknown.
func TrafficWorth(ctx context.Context, idb bun.IDB, now time.Time, bytes int64) (money.Amount, error) {
	prices, err := dearestPrices(ctx, idb, now)
	if err != nil {
		return 0, err
	}
	worth := money.Amount(0)
	for _, p := range prices {
		if p.Plan.Kind == KindPackage && p.Amount > 0 {
			worth = max(worth, share(p.Amount, bytes, *p.Plan.TrafficBytes))
		}
	}
	if worth == 0 {
		return approval.Unknown, nil
	}
	return worth, nil
}

// worth returns what the uses of the coupon that are left take off at most, at the dearest price that it is for;
// approval.Unknown where its uses have no end, or where it is for no price that there is. Only what paid orders used,
// be they refunded or not, is used for good: what pending ones hold comes back where they end, and counts as left.
func (c *Coupon) worth(ctx context.Context, idb bun.IDB, now time.Time) (money.Amount, error) {
	if c.Total == nil {
		return approval.Unknown, nil
	}
	used, err := idb.NewSelect().Model((*Order)(nil)).Where("coupon_id = ? AND state IN (?, ?)", c.ID, Paid, Refunded).
		Count(ctx)
	if err != nil {
		return 0, err
	}
	left := *c.Total - used
	if c.Percent == nil {
		return Times(c.Amount, left), nil
	}
	prices, err := dearestPrices(ctx, idb, now)
	if err != nil {
		return 0, err
	}
	dearest := money.Amount(0)
	for _, p := range prices {
		if p.Amount >= c.Minimum && (len(c.Plans) == 0 || slices.Contains(c.Plans, p.PlanID)) && (len(c.Months) == 0 ||
			slices.Contains(c.Months, p.Months)) {
			dearest = max(dearest, p.Amount)
		}
	}
	if dearest == 0 {
		return approval.Unknown, nil
	}
	return Times(share(dearest, int64(*c.Percent), 100), left), nil
}

// Times returns n times the worth; approval.Unknown where the worth is that or the product too large.
func Times(worth money.Amount, n int64) money.Amount {
	hi, lo := bits.Mul64(uint64(worth), uint64(n))
	if worth == approval.Unknown || hi != 0 || lo >= uint64(approval.Unknown) {
		return approval.Unknown
	}
	return money.Amount(lo)
}

// share returns amount × part / whole, rounded up; approval.Unknown where that is too large.
func share(amount money.Amount, part, whole int64) money.Amount {
	hi, lo := bits.Mul64(uint64(amount), uint64(part))
	if hi >= uint64(whole) {
		return approval.Unknown
	}
	quotient, rest := bits.Div64(hi, lo, uint64(whole))
	if quotient >= uint64(approval.Unknown) {
		return approval.Unknown
	}
	if rest > 0 {
		quotient++
	}
	return money.Amount(quotient)
}
