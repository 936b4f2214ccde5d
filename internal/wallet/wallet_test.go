package wallet_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

func open(t *testing.T, d *db.DB, users ...int64) *wallet.Wallets {
	t.Helper()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	w := wallet.New(d, settings)
	for _, user := range users {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error { return w.Open(ctx, tx, user) }); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestANewWalletIsEmpty(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		b, err := open(t, d, 7).Balance(t.Context(), 7)
		if err != nil || b.Posted != 0 || b.Available != 0 || b.CreatedAt.IsZero() {
			t.Fatalf("%+v, %v", b, err)
		}
	})
}
