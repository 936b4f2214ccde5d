package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"airstrip/internal/account"
)

// Each password costs the server time and memory, so one account must not take what the sign-ins of others need.
func TestSignIn_FloodOfCorrectOnesOfOneAccount_LeavesOthersAlone(t *testing.T) {
	each(t, func(w *testSite) {
		w.hashAtFullCost()
		w.set("captcha_login", "never")
		var others []string
		for i := range 6 {
			others = append(others, fmt.Sprintf("other%d@example.com", i))
		}
		for _, email := range append([]string{"busy@example.com"}, others...) {
			_, err := w.Create(w.Context(), email, "x", password, "")
			w.must(err)
		}
		signIn := func(email, ip string) error {
			_, err := w.SignIns.ByPassword(context.Background(),
				account.SignIn{Email: email, Password: password}, from(ip))
			return err
		}

		began, ended := make(chan struct{}), make(chan struct{})
		begin := sync.OnceFunc(func() { close(began) })
		var good, busy atomic.Int64
		var flood sync.WaitGroup
		flood.Go(func() { // 80 at once, and again as long as the others are at it
			for {
				var round sync.WaitGroup
				for range 80 {
					round.Go(func() {
						defer begin()
						switch err := signIn("busy@example.com", "198.51.100.7"); {
						case err == nil:
							good.Add(1)
						case errors.Is(err, account.ErrBusy):
							busy.Add(1)
						default:
							w.Errorf("the flooded account: %v", err)
						}
					})
				}
				round.Wait()
				select {
				case <-ended:
					return
				default:
				}
			}
		})
		<-began
		var all sync.WaitGroup
		for i, email := range others {
			all.Go(func() {
				for range 3 {
					if err := signIn(email, fmt.Sprintf("203.0.%d.9", i)); err != nil {
						w.Errorf("%s: %v", email, err)
					}
				}
			})
		}
		all.Wait()
		close(ended)
		flood.Wait()
		if good.Load() == 0 || busy.Load() == 0 {
			w.Errorf("of the flood %d succeeded and %d were refused as busy, want some of each", good.Load(),
				busy.Load())
		}
	})
}
