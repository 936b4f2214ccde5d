// Package shop owns plans with their prices, coupons, orders, and refunds of orders. A purchase is one transaction that
// writes the order, its invoice, the ledger postings and the service, or nothing. An order that waits for money holds
// the balance, the stock and the coupon that it took, and gives all of them back when it ends unpaid. An order keeps
// its price; where it can no longer be kept it is cancelled, and the money stays in the wallet.
package shop

import (
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/invite"
	"airstrip/internal/limit"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

// Shop is where users buy.
type Shop struct {
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	services *service.Services
	invites  *invite.Invites
	guesses  *limit.Limiter // wrong coupons, by user
	byNumber *db.Prepared   // a user's order

	priceText, planText string // what is sold, for db.ScanPrepared

	approvals *approval.Approvals
}

// New returns the shop in d. What an order earns goes through invites, which must be the ones that tell users what
// becomes of their payouts.
func New(d *db.DB, settings *setting.Settings, wallets *wallet.Wallets, services *service.Services,
	invites *invite.Invites,
) *Shop {
	byNumber := selectOrders(d, (*Order)(nil)).Where("?TableAlias.id = ? AND ?TableAlias.user_id = ?", bun.Safe("?"),
		bun.Safe("?"))
	return &Shop{
		db: d, settings: settings, wallets: wallets, services: services, invites: invites,
		guesses:   limit.Per(time.Hour, 30),
		byNumber:  d.Prepared(byNumber.String()),
		priceText: d.NewSelect().Model((*Price)(nil)).Where("id = ? AND offered", bun.Safe("?")).String(),
		planText:  d.NewSelect().Model((*Plan)(nil)).Where("id = ? AND removed_at IS NULL", bun.Safe("?")).String(),
		approvals: approval.New(d, settings),
	}
}

// Invites returns what inviters earn by the shop's orders.
func (s *Shop) Invites() *invite.Invites { return s.invites }
