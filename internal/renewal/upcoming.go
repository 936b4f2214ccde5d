package renewal

import (
	"context"
	"errors"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

// Upcoming is the next renewal of a service: when it renews itself, or would, and what that costs at present.
type Upcoming struct {
	ServiceID int64
	Name      string       // as it was sold, where the reader's language had none of its own
	Names     fault.ByLang `bun:"type:jsonb"`
	EndsAt    time.Time
	AutoRenew bool
	Agreed    money.Amount // the most that automatic renewal may take; 0: no price was agreed
	At        *time.Time   // of the next try, the first one where it does not renew itself; nil: there is none any more
	Price     *shop.Price  // at present; nil: it is not sold any more
	Missing   money.Amount // what the wallet lacks for it, when those before it have taken theirs
	Tries     int          // that failed so far
	Problem   string       // of the last try: balance_too_low, price_raised or not_sold; empty: none failed
}

// Upcoming returns the next renewals of the user's services that run, and of those whose time is over but that are
// still tried, by their end; and what the wallet has for them.
func (r *Renewals) Upcoming(ctx context.Context, userID int64) (list []Upcoming, available money.Amount, err error) {
	now := r.db.Now()
	err = r.db.NewRaw(`SELECT v.id AS service_id, v.name, v.names, v.ends_at, v.auto_renew, v.agreed_price AS agreed, t.next_at AS at, COALESCE(t.tries, 0) AS tries, COALESCE(t.problem, '') AS problem FROM service v
		LEFT JOIN auto_renewal t ON t.service_id = v.id AND t.ends_at = v.ends_at
		WHERE v.user_id = ? AND ((v.ended_at IS NULL AND v.ends_at > ?) OR (v.auto_renew AND `+stillDue+`
			AND v.ends_at > ?)) ORDER BY v.ends_at, v.id`,
		userID, now, now.Add(-after)).Scan(ctx, &list)
	if err != nil {
		return nil, 0, err
	}
	balance, err := r.wallets.Balance(ctx, userID)
	if err != nil {
		return nil, 0, err
	}
	remaining := balance.Available
	for i := range list {
		u := &list[i]
		if u.Tries == 0 {
			u.At = new(shop.RenewsAt(u.EndsAt, now))
		}
		price, err := r.shop.RenewalPrice(ctx, userID, u.ServiceID)
		switch {
		case errors.Is(err, shop.ErrNoPlan) || errors.Is(err, shop.ErrNotRenewable):
			continue
		case err != nil:
			return nil, 0, err
		}
		u.Price, u.Missing = price, max(0, price.Amount-remaining)
		if u.AutoRenew && u.Missing == 0 {
			remaining -= price.Amount
		}
	}
	return list, balance.Available, nil
}
