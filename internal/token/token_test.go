package token_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
	"airstrip/internal/token"
)

var (
	key  = seal.Key{7}
	id   = uuid.MustParse("0199d5a5-2b4e-7c3a-9a53-4d1f2b6f0a11")
	user = uuid.MustParse("0199d5a5-2b4e-7c3a-9a53-4d1f2b6f0a22")
)

func open(t *testing.T, d *db.DB) *token.Tokens {
	t.Helper()
	tokens, err := token.New(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func sign(t *testing.T, tokens *token.Tokens, c token.Claims) string {
	t.Helper()
	raw, err := tokens.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func allKinds(now time.Time) map[token.Type]token.Claims {
	return map[token.Type]token.Claims{
		token.LoginCode:  token.NewLoginCode(id, now, time.Minute, token.SubjectLoginCode{TgLoginToken: "t"}),
		token.UserLinkTg: token.NewUserLinkTg(id, now, time.Minute, token.SubjectUserLinkTg{UserID: 7}),
		token.Access: token.NewAccess(id, now,
			token.SubjectAccess{UserID: 7, UserNewID: user, UserName: "小明", Email: "a@example.com"}),
		token.Refresh: token.NewRefresh(id, now,
			token.SubjectRefresh{UserID: 7, PasswordHash: user, IsRememberMe: true}),
	}
}

func TestThePayloadsAreThoseOfTheContract(t *testing.T) {
	tokens := open(t, dbtest.SQLite(t))
	at := time.Unix(1_800_000_000, 999_000_000).UTC()
	want := map[token.Type]string{
		token.LoginCode:  `{"exp":1800000060,"role":"guest","token_type":"login_code","subject_login_code":{"tg_login_token":"t"}}`,
		token.UserLinkTg: `{"exp":1800000060,"role":"user","token_type":"user_link_tg","subject_user_link_tg":{"user_id":7}}`,
		token.Access: `{"exp":1800001200,"role":"user","token_type":"access","subject_access":{"user_id":7,
			"user_new_id":"0199d5a5-2b4e-7c3a-9a53-4d1f2b6f0a22","user_name":"小明","email":"a@example.com"}}`,
		token.Refresh: `{"exp":1802592000,"role":"user","token_type":"refresh","subject_refresh":{"user_id":7,
			"password_hash":"0199d5a5-2b4e-7c3a-9a53-4d1f2b6f0a22","is_remember_me":true}}`,
	}
	for kind, claims := range allKinds(at) {
		var got, expected map[string]any
		payload, err := base64.RawURLEncoding.DecodeString(strings.Split(sign(t, tokens, claims), ".")[1])
		if err != nil || json.Unmarshal(payload, &got) != nil || json.Unmarshal([]byte(want[kind]), &expected) != nil {
			t.Fatalf("%s: %s, %v", kind, payload, err)
		}
		expected["jti"], expected["iat"] = id.String(), float64(1_800_000_000)
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestATokenIsOnlyEverAcceptedAsWhatItIs(t *testing.T) {
	d := dbtest.SQLite(t)
	tokens := open(t, d)
	for kind, claims := range allKinds(d.Now()) {
		raw := sign(t, tokens, claims)
		for want := range allKinds(d.Now()) {
			got, err := tokens.Verify(t.Context(), raw, want)
			switch {
			case want == kind && (err != nil || got.ID != id || got.Type != kind):
				t.Errorf("%s: %+v, %v", kind, got, err)
			case want != kind && !errors.Is(err, token.ErrInvalid):
				t.Errorf("%s was accepted as %s", kind, want)
			}
		}
	}
}

func TestSubjectsThatDoNotFitTheTypeAreRefused(t *testing.T) {
	d := dbtest.SQLite(t)
	tokens := open(t, d)
	for name, spoil := range map[string]func(*token.Claims){
		"two subjects": func(c *token.Claims) { c.SubjectUserLinkTg = &token.SubjectUserLinkTg{UserID: 1} },
		"no subject":   func(c *token.Claims) { c.SubjectAccess = nil },
		"a guest's":    func(c *token.Claims) { c.Role = token.Guest },
		"no id":        func(c *token.Claims) { c.ID = uuid.Nil },
		"no end":       func(c *token.Claims) { c.ExpiresAt = nil },
		"no begin":     func(c *token.Claims) { c.IssuedAt = nil },
	} {
		c := allKinds(d.Now())[token.Access]
		spoil(&c)
		if _, err := tokens.Verify(t.Context(), sign(t, tokens, c), token.Access); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestATokenEndsAtItsTime(t *testing.T) {
	d := dbtest.SQLite(t)
	tokens := open(t, d)
	begin := d.Now()
	raw := sign(t, tokens, allKinds(begin)[token.Access])
	for after, alive := range map[time.Duration]bool{
		0: true, token.AccessLife - 2*time.Second: true,
		token.AccessLife: false, 24 * time.Hour: false,
	} {
		d.SetClock(func() time.Time { return begin.Add(after) })
		if _, err := tokens.Verify(t.Context(), raw, token.Access); (err == nil) != alive {
			t.Errorf("after %s: %v", after, err)
		}
	}
}

func TestVerify_TokenOfAClockThatWasAhead_IsRefused(t *testing.T) {
	d := dbtest.SQLite(t)
	tokens := open(t, d)
	begin := d.Now()
	for ahead, alive := range map[time.Duration]bool{
		4 * time.Minute: true, 6 * time.Minute: false, 24 * time.Hour: false,
	} {
		for kind, claims := range allKinds(begin.Add(ahead)) {
			d.SetClock(func() time.Time { return begin.Add(ahead) })
			raw := sign(t, tokens, claims)
			if _, err := tokens.Verify(t.Context(), raw, kind); err != nil {
				t.Fatal(kind, err)
			}
			d.SetClock(func() time.Time { return begin })
			if _, err := tokens.Verify(t.Context(), raw, kind); (err == nil) != alive {
				t.Errorf("%s issued %s ahead: %v", kind, ahead, err)
			}
		}
	}
}

func TestNoChangedTokenIsAccepted(t *testing.T) {
	d := dbtest.SQLite(t)
	tokens := open(t, d)
	good := sign(t, tokens, allKinds(d.Now())[token.Access])
	rng := rand.New(rand.NewPCG(1, 2))
	tried := 0
	refuse := func(raw string) {
		t.Helper()
		if raw == good {
			return
		}
		tried++
		if _, err := tokens.Verify(t.Context(), raw, token.Access); !errors.Is(err, token.ErrInvalid) {
			t.Fatalf("accepted\n%q, made from\n%q", raw, good)
		}
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/\r\n \x00"
	for range 24_000 {
		b := []byte(good)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(b))
			switch rng.IntN(5) {
			case 0:
				b[at] = letters[rng.IntN(len(letters))]
			case 1:
				b = slices.Delete(b, at, at+1)
			case 2:
				b = slices.Insert(b, at, letters[rng.IntN(len(letters))])
			case 3:
				b[at] ^= 1 << rng.IntN(8)
			case 4:
				b = append(b, letters[rng.IntN(len(letters))])
			}
		}
		refuse(string(b))
	}
	for at := range len(good) + 1 { // what base64 would read past, at every place
		for _, extra := range []string{"\n", "\r", "\r\n", "="} {
			refuse(good[:at] + extra + good[at:])
		}
	}
	for _, raw := range []string{
		"", ".", "..", "...", strings.Repeat("a", 1<<20), good + "." + good, good + ".",
		strings.Repeat(good+".", 100),
	} {
		refuse(raw)
	}
	if tried < 20_000 {
		t.Fatalf("only %d tokens were tried", tried)
	}
}

func TestForeignSignaturesAreRefused(t *testing.T) {
	d := dbtest.SQLite(t)
	tokens := open(t, d)
	good := sign(t, tokens, allKinds(d.Now())[token.Access])
	header, err := base64.RawURLEncoding.DecodeString(strings.Split(good, ".")[0])
	if err != nil {
		t.Fatal(err)
	}
	var kid struct{ Kid string }
	if err := json.Unmarshal(header, &kid); err != nil || kid.Kid == "" {
		t.Fatalf("header %s, %v", header, err)
	}
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, forged := range map[string]struct {
		method jwt.SigningMethod
		key    any
	}{
		"another key": {jwt.SigningMethodEdDSA, stranger},
		"none":        {jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType},
		"HMAC":        {jwt.SigningMethodHS256, []byte(kid.Kid)},
	} {
		c := allKinds(d.Now())[token.Access]
		unsigned := jwt.NewWithClaims(forged.method, &c)
		unsigned.Header["kid"] = kid.Kid
		raw, err := unsigned.SignedString(forged.key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Verify(t.Context(), raw, token.Access); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProcessesThatStartAtOnceAgreeOnOneKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		all := make([]*token.Tokens, 12)
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() {
				var err error
				if all[i], err = token.New(t.Context(), d, key); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		claims := allKinds(d.Now())[token.Refresh]
		first := sign(t, all[0], claims)
		for i, tokens := range all {
			if raw := sign(t, tokens, claims); raw != first {
				t.Errorf("process %d signs otherwise", i)
			}
		}
	})
}

func TestAReplacedKeyIsHonouredUntilItsTokensAreOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		begin := d.Now()
		mine, other := open(t, d), open(t, d)
		old := sign(t, mine, allKinds(begin)[token.Refresh])
		if _, err := mine.Rotate(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		renewed := sign(t, mine, allKinds(begin)[token.Refresh])
		if renewed == old {
			t.Fatal("the key stayed")
		}
		for name, tokens := range map[string]*token.Tokens{
			"this process":                    mine,
			"another, that has not heard yet": other, "a restarted one": open(t, d),
		} {
			for _, raw := range []string{old, renewed} {
				if _, err := tokens.Verify(t.Context(), raw, token.Refresh); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		d.SetClock(func() time.Time { return begin.Add(40 * 24 * time.Hour) })
		forgotten := open(t, d)
		if _, err := forgotten.Verify(t.Context(), old, token.Refresh); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("long after: %v", err)
		}
	})
}

// A key that leaked signs for whoever has it, so nothing that it signed holds any longer, in other processes too.
func TestRotate_WithRevoke_EndsEveryToken(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		mine, other := open(t, d), open(t, d)
		oldest := sign(t, mine, allKinds(d.Now())[token.Refresh])
		if _, err := mine.Rotate(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		old := sign(t, mine, allKinds(d.Now())[token.Refresh])
		if _, err := mine.Rotate(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		renewed := sign(t, mine, allKinds(d.Now())[token.Refresh])
		if _, err := other.Verify(t.Context(), renewed, token.Refresh); err != nil {
			t.Errorf("a token of the new key: %v", err)
		}
		for name, tokens := range map[string]*token.Tokens{
			"this process": mine, "another": other, "a restarted one": open(t, d),
		} {
			for _, raw := range []string{oldest, old} {
				if _, err := tokens.Verify(t.Context(), raw, token.Refresh); !errors.Is(err, token.ErrInvalid) {
					t.Errorf("%s accepts a token of a revoked key: %v", name, err)
				}
			}
		}
	})
}

func TestAWrongSecretKeyIsNamed(t *testing.T) {
	d := dbtest.SQLite(t)
	open(t, d)
	_, err := token.New(t.Context(), d, seal.Key{8})
	if err == nil || !strings.Contains(err.Error(), "AIRSTRIP_SECRET_KEY") {
		t.Fatalf("it said %v", err)
	}
}
