package account

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

func TestDamagedHashesAreErrorsAndNoMatch(t *testing.T) {
	h := newHasher(presentArgon2)
	good := presentArgon2.hash("a password")
	for _, phc := range []string{
		"x", good + "$", "$argon2i" + good[len("$argon2id"):],
		"$argon2id$v=19$m=19456,t=0,p=1$c2FsdHNhbHRzYWx0$" + "AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=4294967295,t=2,p=1$c2FsdHNhbHRzYWx0$AAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=19456,t=2,p=1$$",
	} {
		if ok, err := h.matches(t.Context(), share{}, "a password", phc, []string{presentArgon2.prefix()}); ok || err == nil {
			t.Errorf("%q: %v, %v", phc, ok, err)
		}
	}
	for password, want := range map[string]bool{"a password": true, "A password": false, "": false} {
		if ok, err := h.matches(t.Context(), share{}, password, good, []string{presentArgon2.prefix()}); ok != want ||
			err != nil {
			t.Errorf("%q: %v, %v", password, ok, err)
		}
	}
	if ok, err := h.matches(t.Context(), share{}, "a password", "", []string{presentArgon2.prefix()}); ok || err != nil {
		t.Errorf("nobody's password: %v, %v", ok, err)
	}
}

func TestADecoyIsWorkedOnLikeTheHashesWhoseCostItHas(t *testing.T) {
	own, err := bcrypt.GenerateFromPassword([]byte("a password"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	php := argon2Cost{64 << 10, 4, 1}.hash("a password")
	for _, stored := range []string{
		string(own), "$2y" + strings.TrimPrefix(string(own), "$2a"), php,
		presentArgon2.hash("x"), legacyHash{MD5Salt, "salt", presentArgon2.hash("x")}.String(),
	} {
		dummy := dummyHash(costOf(stored))
		if costOf(dummy) != costOf(stored) || checkHash(dummy) != nil {
			t.Errorf("the dummy of %s is %s", stored, dummy)
		}
		if isBcrypt(dummy) && !errors.Is(bcrypt.CompareHashAndPassword([]byte(dummy), []byte("x")),
			bcrypt.ErrMismatchedHashAndPassword) {
			t.Errorf("bcrypt does not work on %s", dummy)
		}
	}
}
