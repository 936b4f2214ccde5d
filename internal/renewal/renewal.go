// Package renewal keeps services going: it renews those that renew themselves from the wallet, and reminds the users of
// the others.
package renewal

import (
	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/job"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// Renewals are the renewals of all services.
type Renewals struct {
	db       *db.DB
	settings *setting.Settings
	accounts *account.Accounts
	wallets  *wallet.Wallets
	shop     *shop.Shop
}

// New gives the renewals of the services in d.
func New(d *db.DB, settings *setting.Settings, accounts *account.Accounts, wallets *wallet.Wallets, shop *shop.Shop) *Renewals {
	return &Renewals{d, settings, accounts, wallets, shop}
}

// Register puts renewals and reminders on the timetable.
func (r *Renewals) Register(q *job.Queue) {
	q.Every("renewal.renew", r.Renew)
	q.Every("renewal.remind", r.Remind)
}
