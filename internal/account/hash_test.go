package account

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

func TestAFloodOfHashesIsBounded(t *testing.T) {
	h := newHasher()
	slots, places := int64(cap(h.slots)), cap(h.places)
	var atOnce, done, refused atomic.Int64
	release := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 * places {
		wg.Go(func() {
			err := h.do(t.Context(), func() {
				if n := atOnce.Add(1); n > slots {
					t.Errorf("%d at once", n)
				}
				<-release
				atOnce.Add(-1)
				done.Add(1)
			})
			switch {
			case errors.Is(err, ErrBusy):
				if refused.Add(1) == int64(3*places) { // every place is taken, everybody else was sent away
					close(release)
				}
			case err != nil:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if done.Load() != int64(places) {
		t.Errorf("%d were done; there are %d places", done.Load(), places)
	}
	if err := h.do(t.Context(), func() {}); err != nil {
		t.Errorf("after the flood: %v", err)
	}
}

func TestWhoGoesAwayWaitsNoLonger(t *testing.T) {
	h := newHasher()
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.do(ctx, func() { t.Error("it ran") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if len(h.places) != 0 {
		t.Error("the place was kept")
	}
}

func TestDamagedHashesAreErrorsAndNoMatch(t *testing.T) {
	h := newHasher()
	good := present.hash("a password")
	for _, phc := range []string{
		"x", good + "$", "$argon2i" + good[len("$argon2id"):], "$argon2id$v=19$m=19456,t=0,p=1$c2FsdHNhbHRzYWx0$" + "AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=4294967295,t=2,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=19456,t=2,p=1$$",
	} {
		if ok, err := h.matches(t.Context(), "a password", phc, []string{presentCost}); ok || err == nil {
			t.Errorf("%q: %v, %v", phc, ok, err)
		}
	}
	for password, want := range map[string]bool{"a password": true, "A password": false, "": false} {
		if ok, err := h.matches(t.Context(), password, good, []string{presentCost}); ok != want || err != nil {
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
	if ok, err := h.matches(t.Context(), "a password", "", []string{presentCost}); ok || err != nil {
		t.Errorf("nobody's password: %v, %v", ok, err)
	}
}

func TestADecoyIsWorkedOnLikeTheHashesWhoseCostItHas(t *testing.T) {
	own, err := bcrypt.GenerateFromPassword([]byte("a password"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	php := cost{64 << 10, 4, 1}.hash("a password")
	for _, stored := range []string{string(own), "$2y" + strings.TrimPrefix(string(own), "$2a"), php, present.hash("x"), wrapped{MD5Salt, "salt", present.hash("x")}.String()} {
		decoy := decoyOf(costOf(stored))
		if costOf(decoy) != costOf(stored) || checkHash(decoy) != nil {
			t.Errorf("the decoy of %s is %s", stored, decoy)
		}
		if isBcrypt(decoy) && !errors.Is(bcrypt.CompareHashAndPassword([]byte(decoy), []byte("x")), bcrypt.ErrMismatchedHashAndPassword) {
			t.Errorf("bcrypt does not work on %s", decoy)
		}
	}
}
