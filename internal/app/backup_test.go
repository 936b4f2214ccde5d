package app

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/shop"
	"airstrip/internal/traffic"
)

// writer is a user who buys, is given money and moves bytes until the test ends it.
type writer struct {
	testUser
	purchases atomic.Int64
}

// What is written while a backup is made is in it as a whole or not at all.
func TestBackup_WhileOthersWrite_RestoresASoundSite(t *testing.T) {
	eachEngine(t, func(t *testing.T, c Config) {
		const price, has, gift = money.Amount(100), money.Amount(100_000_00), money.Amount(7)
		s := newTestServer(t, c)
		pack := s.sells(t, shop.KindPackage, price)
		n, _, err := s.Nodes.Add(t.Context(), node.Draft("hk", node.VMess, "hk.example", 80))
		if err != nil {
			t.Fatal(err)
		}
		writers := make([]*writer, 4)
		for i := range writers {
			writers[i] = &writer{testUser: s.addUser(t, fmt.Sprintf("user%d", i), has)}
		}
		operator := s.operator(t)
		write := func(w *writer, i int) error {
			if _, err := s.Shop.Confirm(t.Context(), w.id, shop.Purchase{PriceID: pack}); err != nil {
				return err
			}
			w.purchases.Add(1)
			if _, err := s.Wallets.Adjust(operator, w.id, gift, "test", nil); err != nil {
				return err
			}
			_, err := s.Traffic.Record(t.Context(), traffic.Report{
				Node: n, Hash: sha256.Sum256(fmt.Append(nil, w.id, i)),
				Rows: []traffic.Row{{UserID: w.id, Up: 1000, Down: 2000}},
			})
			return err
		}
		var stop atomic.Bool
		var began, all sync.WaitGroup
		for _, w := range writers {
			began.Add(1)
			all.Go(func() {
				begun := sync.OnceFunc(began.Done)
				defer begun()
				for i := 0; !stop.Load(); i++ {
					if err := write(w, i); err != nil {
						t.Error(err)
						return
					}
					begun()
				}
			})
		}
		began.Wait()
		before := make([]int64, len(writers))
		for i, w := range writers {
			before[i] = w.purchases.Load()
		}
		file := filepath.Join(t.TempDir(), "site.backup")
		made, err := Backup(t.Context(), c, "test", file)
		stop.Store(true)
		all.Wait()
		if err != nil || len(made.Broken) > 0 {
			t.Fatalf("%+v, %v", made, err)
		}

		to := config(t)
		if c.DatabaseURL != "" {
			to.DatabaseURL, to.SecretKey = dbtest.EmptyPostgresURL(t), c.SecretKey
		} else {
			key, err := os.ReadFile(filepath.Join(c.Data, "secret.key"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to.Data, "secret.key"), key, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if restored, err := Restore(t.Context(), to, file); err != nil || len(restored.Broken) > 0 {
			t.Fatalf("%+v, %v", restored, err)
		}
		there := newTestServer(t, to)
		there.sound(t)
		for i, w := range writers {
			bought, total, err := there.Shop.Purchases(t.Context(), w.id, 1, 0)
			if err != nil || len(bought) == 0 || total < before[i] || total > w.purchases.Load() {
				t.Errorf("user %d has %d purchases, %v; want between %d and %d", i, total, err, before[i],
					w.purchases.Load())
			}
			spent := has - money.Amount(total)*price
			if b := there.balance(t, w.id); b.Posted < spent+money.Amount(total-1)*gift ||
				b.Posted > spent+money.Amount(total)*gift {
				t.Errorf("user %d has %s after %d purchases", i, b.Posted, total)
			}
		}
		s.sound(t)
	})
}
