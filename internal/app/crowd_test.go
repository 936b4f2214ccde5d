package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"airstrip/internal/shop"
)

func TestCrowd_OfPurchases_SpendsTheBalanceOnly(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		price := f.sells(t, shop.KindPackage, 100)
		c := f.addUser(t, "buyer", 100*100)
		tries := size(300, 10_000)
		var crowd, start sync.WaitGroup
		var won, lost atomic.Int64
		start.Add(1)
		for i := range tries {
			crowd.Go(func() {
				start.Wait()
				ask := func() *httptest.ResponseRecorder {
					return fronts[i%len(fronts)].call(t.Context(), c, http.MethodPost, buy(price), "")
				}
				w := ask()
				for w.Code == http.StatusServiceUnavailable && strings.Contains(w.Body.String(), `"database_busy"`) {
					w = ask() // as it says: in the crowd its turn did not come within half a minute
				}
				switch {
				case w.Code == http.StatusOK:
					won.Add(1)
				case w.Code == http.StatusConflict && strings.Contains(w.Body.String(), `"balance_too_low"`):
					lost.Add(1)
				default:
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		start.Done()
		crowd.Wait()
		b := f.balance(t, c.id)
		if won.Load() != 100 || lost.Load() != int64(tries-100) || b.Posted != 0 || b.Held != 0 || b.Movements != 101 {
			t.Fatalf("%d bought, %d refused, %+v", won.Load(), lost.Load(), b)
		}
		_, packages, err := f.Services.List(t.Context(), c.id)
		if err != nil || len(packages) != 100 {
			t.Fatalf("%d packages, %v", len(packages), err)
		}
		f.sound(t)
	})
}
