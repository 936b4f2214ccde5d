// Package payment brings money in: recharges through gateways, their notifies, and purchases that a recharge completes.
package payment

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// Payments is the site's cash desk.
type Payments struct {
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	shop     *shop.Shop
	site     string
	gateways []Gateway
}

// New gives the cash desk with the gateways that are open. site is the address of the site without a closing slash.
func New(d *db.DB, settings *setting.Settings, wallets *wallet.Wallets, shop *shop.Shop, site string, gateways ...Gateway) *Payments {
	return &Payments{d, settings, wallets, shop, site, gateways}
}

// Register puts expiry, the look after lost notifies and the sealing of the ledger on the timetable.
func (p *Payments) Register(q *job.Queue) {
	q.Every("payment.expire", job.Interval(30*time.Second), p.Expire)
	q.Every("payment.check", job.Interval(time.Minute), p.Check)
	q.Every("payment.forget", job.Interval(24*time.Hour), p.forget)
	q.Every("wallet.seal", job.Interval(10*time.Minute), p.wallets.Seal)
}

// Faults of gateways.
var (
	ErrNoGateway   = fault.NotFound("gateway_not_found", "没有这个支付方式", "There is no such payment gateway")
	ErrGatewayDown = fault.Unavailable("gateway_unavailable", "支付平台暂时无法使用，请稍后再试", "The payment gateway cannot be reached right now; please try again in a moment").After(10 * time.Second)
)

// Gateways gives the open gateways in the order in which users see them.
func (p *Payments) Gateways() []Gateway { return p.gateways }

// Gateway gives the open gateway called name.
func (p *Payments) Gateway(name string) (Gateway, error) {
	i := slices.IndexFunc(p.gateways, func(g Gateway) bool { return g.Name() == name })
	if i < 0 {
		return nil, ErrNoGateway
	}
	return p.gateways[i], nil
}

func (p *Payments) chosen(name string) error {
	if _, err := p.Gateway(name); err != nil {
		return fault.Invalid("gateway", "unknown", "没有这个支付方式", "There is no such payment gateway")
	}
	return nil
}

// Recharge begins a recharge of the user's wallet and gives it with its pay page.
func (p *Payments) Recharge(ctx context.Context, userID int64, gateway string, amount money.Amount) (*wallet.Recharge, error) {
	if err := p.chosen(gateway); err != nil {
		return nil, err
	}
	id, err := idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		r, err := p.wallets.StartRecharge(ctx, tx, userID, gateway, amount)
		if err != nil {
			return 0, err
		}
		return r.ID, nil
	})
	if err != nil {
		return nil, err
	}
	return p.Show(ctx, userID, strconv.FormatInt(id, 10))
}

// Show gives the user's recharge by number or uuid and, while it waits for payment, its pay page; none while
// the gateway cannot be reached.
func (p *Payments) Show(ctx context.Context, userID int64, id string) (*wallet.Recharge, error) {
	r, err := p.wallets.Recharge(ctx, userID, id)
	if err != nil || r.State != wallet.RechargePending || r.PayPage != nil {
		return r, err
	}
	g, err := p.Gateway(r.Gateway)
	if err != nil {
		return r, nil // the gateway was closed since; the recharge can only expire
	}
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	page, err := g.Begin(ctx, Bill{
		TradeNo: r.TradeNo, Amount: r.Amount, Currency: r.Currency, Title: p.settings.Get().SiteName,
		ReturnURL: p.site + "/user/wallet/recharge/new?id=" + strconv.FormatInt(r.ID, 10), NotifyURL: p.site + "/v1/payment/notify/" + g.Name(),
	})
	if err != nil {
		slog.WarnContext(ctx, "a gateway gave no pay page; it is asked again with the next look", "recharge", r.ID, "gateway", r.Gateway, "error", err)
		return r, nil
	}
	r.PayPage = &page
	return r, p.wallets.KeepPayPage(ctx, r, page)
}

// Confirm buys from the wallet or, where that is too little, begins a recharge of the difference through the gateway;
// the order completes by itself when that is paid. It gives the order's number.
func (p *Payments) Confirm(ctx context.Context, userID int64, what shop.Purchase, gateway string) (orderID int64, err error) {
	if err := p.chosen(gateway); err != nil {
		return 0, err
	}
	return idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		return p.shop.Place(ctx, tx, userID, what, func(ctx context.Context, tx bun.Tx, missing money.Amount) (int64, time.Time, error) {
			r, err := p.wallets.StartRecharge(ctx, tx, userID, gateway, p.wallets.RechargeFor(missing))
			if err != nil {
				return 0, time.Time{}, err
			}
			return r.ID, r.ExpiresAt, nil
		})
	})
}

// Expire ends recharges and orders whose time is over.
func (p *Payments) Expire(ctx context.Context) error {
	return errors.Join(p.shop.Expire(ctx), p.wallets.ExpireRecharges(ctx))
}

const (
	askFor   = 10 * time.Second // how long a gateway may take
	askUntil = 2 * time.Hour    // how long after its end a recharge is still asked about
)

// Check asks the gateways about recharges that are not paid, so that a lost notify is found.
func (p *Payments) Check(ctx context.Context) error {
	recharges, err := p.wallets.UnpaidRecharges(ctx, p.db.Now().Add(-askUntil))
	if err != nil {
		return err
	}
	for i := range recharges {
		r := &recharges[i]
		g, err := p.Gateway(r.Gateway)
		if err != nil || r.PayPage == nil {
			continue // nothing can have been paid
		}
		pay, err := ask(ctx, g, r.TradeNo)
		if err == nil && pay.State != Waiting {
			_, err = p.settle(ctx, g, pay, 0)
		}
		if err != nil {
			slog.WarnContext(ctx, "could not learn of a recharge from its gateway", "recharge", r.ID, "gateway", r.Gateway, "error", err)
		}
	}
	return nil
}

func ask(ctx context.Context, g Gateway, tradeNo string) (Payment, error) {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	return g.Ask(ctx, tradeNo)
}
