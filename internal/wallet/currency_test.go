package wallet_test

import (
	"encoding/json"
	"errors"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/setting"
	"airstrip/internal/wallet"
)

func TestCurrency_AfterMoneyMoved_IsFixed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		w := wallet.New(d, settings)
		change := func(currency string) error {
			return settings.Set(t.Context(),
				map[string]json.RawMessage{"currency": json.RawMessage(`"` + currency + `"`)})
		}
		if err := change("EUR"); err != nil {
			t.Fatalf("before money moved: %v", err)
		}

		open(t, d, 7)
		if err := give(t, d, w, 7, 1, 100); err != nil {
			t.Fatal(err)
		}

		var refused *fault.Error
		if err := change("USD"); !errors.As(err, &refused) {
			t.Errorf("after money moved the change gives %v, want a fault", err)
		}
		if got := settings.Get().Currency; got != "EUR" {
			t.Errorf("the currency is %s, want EUR", got)
		}
	})
}
