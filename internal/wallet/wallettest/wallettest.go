// Package wallettest checks wallets in tests.
package wallettest

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/wallet"
)

// Check returns every place where the ledger or what is paid is not as it must be.
func Check(t rapid.TB, w *wallet.Wallets) []db.Violation {
	t.Helper()
	ledger, err := w.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	payments, err := w.CheckPayments(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(ledger, payments)
}
