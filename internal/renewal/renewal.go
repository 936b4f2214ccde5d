// Package renewal renews services from the wallet where their users want that, and reminds the users of all others
// before a service ends. It never takes more than the price that the user agreed to. A renewal is tried from 24 hours
// before the end of the service until 24 hours after it.
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

// New returns the renewals of the services in d.
func New(d *db.DB, settings *setting.Settings, accounts *account.Accounts, wallets *wallet.Wallets,
	shop *shop.Shop,
) *Renewals {
	return &Renewals{d, settings, accounts, wallets, shop}
}

// Register puts renewals and reminders on the timetable.
func (r *Renewals) Register(q *job.Queue) {
	q.Every("renewal.renew", r.Renew)
	q.Every("renewal.remind", r.Remind)
}
