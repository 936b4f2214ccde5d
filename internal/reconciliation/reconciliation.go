// Package reconciliation compares what payment gateways say of themselves with the books. Staff imports a gateway's
// statement, a file of comma-separated lines; the package keeps it as evidence and finds which payments the site does
// not know, knows with another amount, or knows and the gateway does not. A statement moves no money: staff decides on
// what differs by the operations for recharges, refunds and payment cases, and enters what the gateway paid out as a
// settlement of package wallet.
package reconciliation

import (
	"airstrip/internal/db"
	"airstrip/internal/payment"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

// Reconciliation holds the statements of gateways.
type Reconciliation struct {
	db       *db.DB
	settings *setting.Settings
	wallets  *wallet.Wallets
	payments *payment.Payments
}

// New returns the statements stored in d.
func New(d *db.DB, settings *setting.Settings, wallets *wallet.Wallets, payments *payment.Payments) *Reconciliation {
	return &Reconciliation{d, settings, wallets, payments}
}
