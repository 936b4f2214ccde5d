// Package payment brings money in: recharges through gateways, the notifies of these, and the purchases that a recharge
// completes. A payment is credited at most once, whatever a platform sends and however often: only after the gateway's
// signature was verified, the platform was asked, and amount, currency and merchant are those of the bill. Money that
// was paid and matches nothing gets a case for staff. Refunds are asked for under a number that stays, until the
// platform says yes or no. Each gateway is a package below this one.
package payment

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/idempotency"
	"airstrip/internal/invite"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// Payments begins recharges, handles notifies and pays back.
type Payments struct {
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	shop     *shop.Shop
	invites  *invite.Invites
	site     string
	gateways *Gateways

	approvals *approval.Approvals
	onCase    func(ctx context.Context, tx bun.Tx, c *Case) error               // nil: nobody is notified
	onAssign  func(ctx context.Context, tx bun.Tx, userID, orderID int64) error // nil: nobody is notified
}

// New returns the payments of a site. site is the address of the site without a closing slash.
func New(d *db.DB, settings *setting.Settings, wallets *wallet.Wallets, shop *shop.Shop, site string,
	gateways *Gateways,
) *Payments {
	return &Payments{
		db: d, settings: settings, wallets: wallets, shop: shop, invites: shop.Invites(), site: site,
		gateways:  gateways,
		approvals: approval.New(d, settings),
	}
}

// Register puts expiry, the search for lost notifies, pending refunds and the sealing of the ledger on the timetable.
func (p *Payments) Register(q *job.Queue) {
	q.Every("payment.expire", p.Expire)
	q.Every("payment.check", p.Check)
	q.Every("payment.refund", p.RetryRefunds)
	q.Every("payment.forget", p.forget)
	q.Every("wallet.seal", p.wallets.Seal)
}

// ErrGatewayDown is the fault of a platform that does not answer.
var ErrGatewayDown = fault.Unavailable("gateway_unavailable", "支付平台暂时无法使用，请稍后再试",
	"The payment gateway cannot be reached right now; please try again in a moment").After(10 * time.Second)

// Methods returns the ways to pay that are open, in the order in which users see them.
func (p *Payments) Methods() []Method {
	site := p.settings.Get()
	return slices.DeleteFunc(slices.Clone(p.gateways.open.Get()), func(m Method) bool {
		return !m.Enabled ||
			!m.usable(site)
	})
}

// Method returns the way to pay called name, open or not; ErrNoAccount where there is none.
func (p *Payments) Method(name string) (Method, error) {
	m, ok := p.gateways.find(name)
	if !ok {
		return Method{}, ErrNoAccount
	}
	return m, nil
}

// Title returns what users know the way to pay called name by, open or not; the name itself where there is none any
// more.
func (p *Payments) Title(name string) fault.Text {
	m, ok := p.gateways.find(name)
	if !ok {
		return fault.Text{ZH: name, EN: name}
	}
	return m.Title()
}

// Charge returns what a recharge costs through the gateway. A gateway that is not open is a fault of the field
// "gateway".
func (p *Payments) Charge(gateway string, amount money.Amount) (wallet.Charge, error) {
	site := p.settings.Get()
	m, ok := p.gateways.find(gateway)
	if !ok || !m.Enabled || !m.usable(site) {
		return wallet.Charge{}, fault.Invalid("gateway", "unknown", "没有这个支付方式", "There is no such payment gateway")
	}
	charge, err := m.Charge(site, amount)
	charge.Waits = payTime(m.Gateway)
	return charge, err
}

// Recharge begins a recharge of the user's wallet and gives it with its pay page.
func (p *Payments) Recharge(ctx context.Context, userID int64, gateway string, amount money.Amount) (*wallet.Recharge,
	error,
) {
	charge, err := p.Charge(gateway, amount)
	if err != nil {
		return nil, err
	}
	id, err := idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		r, err := p.wallets.StartRecharge(ctx, tx, userID, charge)
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

// Show returns the user's recharge by number or uuid and, while it waits for payment, its pay page; none while
// the gateway cannot be reached.
func (p *Payments) Show(ctx context.Context, userID int64, id string) (*wallet.Recharge, error) {
	r, err := p.wallets.Recharge(ctx, userID, id)
	if err != nil || r.State != wallet.RechargePending || r.PayPage != nil {
		return r, err
	}
	m, err := p.Method(r.Gateway)
	if err != nil {
		return r, nil // the gateway was closed since; the recharge can only expire
	}
	ctx, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	page, err := m.Gateway.Begin(ctx, p.bill(r))
	if err != nil {
		slog.WarnContext(ctx, "a gateway gave no pay page; it is asked again the next time", "recharge", r.ID,
			"gateway", r.Gateway, "error", err)
		return r, nil
	}
	r.PayPage = &page
	return r, p.wallets.SavePayPage(ctx, r, page)
}

// bill is what the gateway knows of the recharge.
func (p *Payments) bill(r *wallet.Recharge) Bill {
	b := Bill{
		TradeNo: r.TradeNo, Amount: r.PayAmount, Currency: r.PayCurrency, Title: title(p.settings.Get().SiteName),
		ExpiresAt: r.ExpiresAt,
		ReturnURL: p.site + "/user/wallet/recharge/new?id=" + strconv.FormatInt(r.ID, 10),
		NotifyURL: p.site + "/v1/payment/notify/" + r.Gateway,
	}
	if r.PayPage != nil {
		b.Ref = r.PayPage.Ref
	}
	return b
}

// title shortens a name to what every platform takes: WeChat Pay counts 127 bytes.
func title(name string) string {
	const longest = 40
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest])
	}
	return name
}

// Confirm buys from the wallet or, where that is too little, begins a recharge of the difference through the gateway;
// the order completes by itself when that is paid. It gives the order's number.
func (p *Payments) Confirm(ctx context.Context, userID int64, what shop.Purchase, gateway string) (orderID int64,
	err error,
) {
	m, err := p.Method(gateway)
	if err != nil || !m.Enabled {
		return 0, fault.Invalid("gateway", "unknown", "没有这个支付方式", "There is no such payment gateway")
	}
	what.PayTime = payTime(m.Gateway)
	return idempotency.Tx(ctx, p.db, func(ctx context.Context, tx bun.Tx) (int64, error) {
		return p.shop.Place(ctx, tx, userID, what, p.bringing(userID, m))
	})
}

// bringing returns what begins the recharge that brings what an order of the user lacks.
func (p *Payments) bringing(userID int64, m Method) shop.RechargeFunc {
	return func(ctx context.Context, tx bun.Tx, missing money.Amount, waits time.Duration) (int64, error) {
		minAmount, _ := m.Limits(p.settings.Get())
		charge, err := p.Charge(m.Name, max(missing, minAmount))
		if err != nil {
			return 0, err
		}
		charge.Waits = waits
		r, err := p.wallets.StartRecharge(ctx, tx, userID, charge)
		if err != nil {
			return 0, err
		}
		return r.ID, nil
	}
}

// Expire ends recharges and orders whose time is over.
func (p *Payments) Expire(ctx context.Context) error {
	return errors.Join(p.shop.Expire(ctx), p.wallets.ExpireRecharges(ctx))
}
