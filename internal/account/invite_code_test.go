package account_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/invite"
	"airstrip/internal/wallet"

	"github.com/uptrace/bun"
)

// signUpWith makes a user by an invite code.
func (w *testSite) signUpWith(email, code string) (account.User, error) {
	g, err := w.SignUps.SignUp(w.Context(), account.SignUp{
		Email: email, Name: "b", Password: password, Repeated: password, InviteCode: code,
	}, home)
	return g.User, err
}

func TestInviteCodes_BringPeopleInAndAreCountedEach(t *testing.T) {
	each(t, func(w *testSite) {
		inviter := w.signUp("a@example.com").User
		invites := invite.New(w.db, w.settings, w.wallets)
		slug, err := invites.AddCode(w.Context(), inviter.ID, "Fast-Lane", "forum")
		w.must(err)
		random, err := invites.AddCode(w.Context(), inviter.ID, "", "")
		w.must(err)
		for n, code := range []string{
			inviter.InviteCode, strings.ToLower(inviter.InviteCode), "fast-lane", " FAST-LANE ", slug.Code, random.Code,
		} {
			u, err := w.signUpWith(fmt.Sprintf("b%d@example.com", n), code)
			if err != nil || u.InvitedBy == nil || *u.InvitedBy != inviter.ID {
				w.Fatalf("with %q: %+v, %v", code, u.InvitedBy, err)
			}
		}
		codes, err := invites.Codes(w.Context(), inviter.ID)
		w.must(err)
		got := []string{}
		for _, c := range codes {
			got = append(got, fmt.Sprint(c.Label, c.IsGiven, c.SignUps, c.Payers))
		}
		if want := []string{"true 2 0", "forumfalse 3 0", "false 1 0"}; fmt.Sprint(got) != fmt.Sprint(want) {
			w.Errorf("%q, want %q", got, want)
		}
		for _, code := range []string{slug.Code, inviter.InviteCode} {
			w.must(invites.ChangeCode(w.Context(), inviter.ID, code, invite.CodeChange{Disabled: new(true)}))
			_, err = w.signUpWith("c@example.com", code)
			if got := w.fields(err); got != "invite_code:invite_code_unknown" {
				w.Errorf("with %q, which is disabled: %q", code, got)
			}
			w.must(invites.ChangeCode(w.Context(), inviter.ID, code, invite.CodeChange{Disabled: new(false)}))
			w.must(w.SignUps.CheckInviteCode(w.Context(), code, home))
		}
		w.want(invites.RemoveCode(w.Context(), inviter.ID, slug.Code), invite.ErrCodeUsed)
		w.want(invites.RemoveCode(w.Context(), inviter.ID, inviter.InviteCode), invite.ErrNoCode)

		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			return invites.Close(ctx, tx, inviter.ID)
		}))
		other := w.signUp("d@example.com").User
		if _, err := invites.AddCode(w.Context(), other.ID, "FAST-LANE", ""); err != nil {
			w.Errorf("the code of a closed account: %v", err)
		}
	})
}

func TestInviteCodes_ThatCannotBeChosen(t *testing.T) {
	each(t, func(w *testSite) {
		a, b := w.signUp("a@example.com").User, w.signUp("b@example.com").User
		invites := invite.New(w.db, w.settings, w.wallets)
		w.set("invite_reserved", []string{"Brand"})
		_, err := invites.AddCode(w.Context(), a.ID, "mine-42", "")
		w.must(err)
		for code, want := range map[string]string{
			"abc": "code:length", strings.Repeat("x", 33): "code:length", "admin": "code:reserved",
			"Sup_Port": "code:reserved", "b-r-a-n-d": "code:reserved", "closed-7": "code:reserved",
			"MINE-42": "code:taken", "mine 42": "code:characters", "邀请码邀请": "code:characters",
			"-mine": "code:characters", "mine-": "code:characters", "mine/../x": "code:characters",
			"аdmin":      "code:characters", // Cyrillic
			b.InviteCode: "code:reserved", strings.ToLower(b.InviteCode): "code:reserved", "abcdefgh23": "code:reserved",
		} {
			_, err := invites.AddCode(w.Context(), b.ID, code, "")
			if got := w.fields(err); !strings.Contains(got, want) {
				w.Errorf("%q: %q, want %q", code, got, want)
			}
		}
		_, err = invites.AddCode(w.Context(), b.ID, "fine", strings.Repeat("x", 41))
		if got := w.fields(err); got != "label:too_long" {
			w.Errorf("a long name: %q", got)
		}
		w.want(invites.ChangeCode(w.Context(), b.ID, "mine-42", invite.CodeChange{Disabled: new(true)}), invite.ErrNoCode)
		w.want(invites.ChangeCode(w.Context(), b.ID, a.InviteCode, invite.CodeChange{Disabled: new(true)}),
			invite.ErrNoCode)
		w.want(invites.RemoveCode(w.Context(), b.ID, "mine-42"), invite.ErrNoCode)
		w.must(invites.RemoveCode(w.Context(), a.ID, "mine-42"))
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: b.ID, Reason: "x"}, account.Identity{})
		w.must(err)
		_, err = invites.AddCode(w.Context(), b.ID, "fine", "")
		w.want(err, wallet.ErrBanned)
	})
}

func TestInviteCodes_AtTheSameTimeAreNoMoreThanTheSettingAllows(t *testing.T) {
	each(t, func(w *testSite) {
		a := w.signUp("a@example.com").User
		w.set("invite_codes", 3)
		invites := invite.New(w.db, w.settings, w.wallets)
		var wg sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for n := range 8 {
			wg.Go(func() {
				_, err := invites.AddCode(w.Context(), a.ID, fmt.Sprintf("mine-%d", n), "")
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					made++
				}
			})
		}
		wg.Wait()
		if made != 3 {
			w.Errorf("%d codes were made", made)
		}
		_, err := invites.AddCode(w.Context(), a.ID, "mine-9", "")
		w.want(err, invite.ErrTooManyCodes)
	})
}
