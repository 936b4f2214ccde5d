package invite_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
)

// Whatever touches both rights and somebody's commission locks them in one order: PostgreSQL ends one of two
// transactions that wait for each other only after a second, for which all others wait, too.
func TestCommission_BuyersOfOneInviter_NeverWaitForEachOther(t *testing.T) {
	url := dbtest.PostgresURL(t)
	d, err := db.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, d)
	c.set(t, "change_credit", setting.ToWallet)
	dear, cheap := c.plan(t, 5000), c.plan(t, 1000)
	inviter := c.user(t, 0)
	var all sync.WaitGroup
	for n := range 4 {
		buyer := c.user(t, inviter)
		c.pays(t, buyer, 1_000_000)
		buys := func(p shop.Purchase) (*shop.Order, error) {
			no, err := c.shop.Confirm(t.Context(), buyer, p)
			if err != nil {
				return nil, err
			}
			return c.shop.Order(t.Context(), buyer, strconv.FormatInt(no, 10))
		}
		all.Go(func() {
			for range 25 {
				first, err := buys(shop.Purchase{PriceID: []int64{c.price, c.price, dear, c.price}[n]})
				switch {
				case err != nil:
				case n < 2:
					_, err = c.shop.Refund(t.Context(), first.ID, "not wanted", nil)
				case n == 2: // what is left of the credit goes into the wallet
					_, err = buys(shop.Purchase{PriceID: cheap, ChangeServiceID: first.Service})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	c.sound(t)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if found := deadlocks(t, url); found != 0 {
		t.Errorf("%d transactions waited for each other", found)
	}
}

// deadlocks returns how many deadlocks the database has had, once all earlier sessions have ended and counted theirs.
func deadlocks(t *testing.T, url string) (found int64) {
	t.Helper()
	d, err := db.Open(context.Background(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		var others int64
		if err := d.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(t.Context(), &others); err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := d.NewRaw(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).
		Scan(t.Context(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}
