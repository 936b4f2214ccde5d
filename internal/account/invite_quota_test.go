package account_test

import (
	"fmt"
	"sync"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/invite"
)

func TestACodeBringsInOnlySoManyAtOnce(t *testing.T) {
	each(t, func(w *testSite) {
		inviter := w.signUp("a@example.com").User
		w.set("invite_quota", 1)
		w.set("invite_price", "0.01")
		w.credit(inviter.ID, 2)
		invites := invite.New(w.db, w.settings, w.wallets)
		if left, err := invites.Buy(w.Context(), inviter.ID, 2); err != nil || left != 3 {
			w.Fatal(left, err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		brought := 0
		for i := range 6 {
			wg.Go(func() {
				_, err := w.SignUps.SignUp(w.Context(), account.SignUp{
					Email: fmt.Sprintf("b%d@example.com", i), Name: "b", Password: password, Repeated: password,
					InviteCode: inviter.InviteCode,
				}, home)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					brought++
				} else if got := w.fields(err); got != "invite_code:invite_code_used_up" {
					w.Errorf("%q: %v", got, err)
				}
			})
		}
		wg.Wait()
		if brought != 3 {
			w.Errorf("%d came in", brought)
		}
		if got := w.fields(w.SignUps.CheckInviteCode(w.Context(), inviter.InviteCode,
			home)); got != "invite_code:invite_code_used_up" {
			w.Errorf("asked for the code: %q", got)
		}
	})
}
