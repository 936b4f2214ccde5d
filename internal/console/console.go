// Package console owns what the console of staff lists users by, the labels that staff puts on what it lists, and the
// views of lists that members save. Its
// facts about users follow from other packages' tables: triggers of the database write them with the fact, in the same
// transaction, and Check computes them anew. Lists of what belongs to users are searched here, by whatever finds users.
package console

import (
	"time"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/listing"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// Console is what the console of staff is made from.
type Console struct {
	Lists *listing.Lists

	db       *db.DB
	accounts *account.Accounts
	wallets  *wallet.Wallets
	shop     *shop.Shop
	zone     listing.Zone
}

// New returns the console of the site in d.
func New(
	d *db.DB, key seal.Key, settings *setting.Settings, accounts *account.Accounts, wallets *wallet.Wallets,
	s *shop.Shop,
) *Console {
	zone := func() *time.Location { return settings.Get().Zone() }
	return &Console{listing.New(d, key, zone), d, accounts, wallets, s, zone}
}
