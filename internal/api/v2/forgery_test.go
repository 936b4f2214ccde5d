package v2_test

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/token"
)

// forger makes tokens that nobody signed from some that were.
type forger struct {
	*rand.Rand
	access, refresh string
	key             ed25519.PrivateKey // not the server's
	signed          []string           // by the server, but good for nothing for this operation
}

// edited returns a token with header or payload changed, and its old signature.
func (f *forger) edited(part int, change func(map[string]any)) string {
	parts := strings.Split([]string{f.access, f.refresh}[f.IntN(2)], ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[part])
	var object map[string]any
	if err != nil || json.Unmarshal(raw, &object) != nil {
		panic("a token of the server cannot be read")
	}
	change(object)
	if raw, err = json.Marshal(object); err != nil {
		panic(err)
	}
	parts[part] = base64.RawURLEncoding.EncodeToString(raw)
	return strings.Join(parts, ".")
}

func pick[T any](f *forger, all ...T) T { return all[f.IntN(len(all))] }

// next returns a forged token: of the kinds that change the algorithm, the type, the key, the end, the payload, and
// others.
func (f *forger) next() string {
	switch f.IntN(8) {
	case 0:
		made := f.edited(0, func(h map[string]any) {
			h["alg"] = pick[any](f, "none", "None", "NONE", "HS256", "HS512", "RS256", "ES256", "PS256", "eddsa", "",
				nil, 7, []string{"EdDSA"})
		})
		unsigned := made[:strings.LastIndexByte(made, '.')]
		mac := hmac.New(sha256.New, f.key.Public().(ed25519.PublicKey))
		mac.Write([]byte(unsigned))
		return pick(f, made, unsigned+".", unsigned+"."+base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
	case 1:
		return f.edited(1, func(p map[string]any) {
			p["token_type"] = pick[any](f, "access", "refresh", "login_code", "user_link_tg", "ACCESS", "", nil, 1)
			p["x"] = f.Int64()
		})
	case 2:
		return f.edited(0, func(h map[string]any) {
			h["kid"] = pick[any](f, "", nil, 1, "../../../dev/null", "' OR 1=1 --", strings.Repeat("k", 999),
				fmt.Sprintf("%016x", f.Uint64()))
		})
	case 3:
		return f.edited(1, func(p map[string]any) {
			p["exp"] = pick[any](f, 4e9+float64(f.IntN(1e6)), 1e300, "never", nil, -1, float64(f.IntN(2e9)))
		})
	case 4:
		return f.edited(1, func(p map[string]any) {
			switch f.IntN(4) {
			case 0:
				p["role"] = pick[any](f, "owner", "admin", "guest", nil, f.IntN(9))
			case 1:
				p["subject_access"] = map[string]any{"user_id": f.IntN(99), "user_new_id": uuid.NewString()}
			case 2:
				p["jti"] = uuid.UUID([16]byte{byte(f.IntN(256)), byte(f.IntN(256))})
			default:
				p["subject_refresh"] = map[string]any{
					"user_id": f.IntN(99), "password_hash": uuid.Nil,
					"is_remember_me": true,
				}
			}
		})
	case 5: // a byte of it
		raw := []byte(pick(f, f.access, f.refresh))
		at := f.IntN(len(raw))
		for old := raw[at]; raw[at] == old; {
			raw[at] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ %"[f.IntN(70)]
		}
		return string(raw)
	case 6: // its shape
		t := pick(f, f.access, f.refresh)
		parts := strings.Split(t, ".")
		return pick(f, t[:f.IntN(len(t))], t+"=", t+"."+parts[2], parts[0]+"."+parts[1],
			parts[1]+"."+parts[0]+"."+parts[2], "."+t, t+"A", strings.ToUpper(t), parts[0]+".."+parts[2],
			f.refresh[:strings.LastIndexByte(f.refresh, '.')+1]+parts[2][:80]+"AAAA")
	default: // a true signature, of another key or for another operation
		if f.IntN(4) == 0 {
			return pick(f, f.signed...)
		}
		c := token.NewAccess(uuid.New(), time.Now(), token.SubjectAccess{UserID: 1})
		foreign := jwt.NewWithClaims(jwt.SigningMethodEdDSA, &c)
		head, _, _ := strings.Cut(f.access, ".")
		raw, _ := base64.RawURLEncoding.DecodeString(head)
		if json.Unmarshal(raw, &foreign.Header) != nil {
			panic("a token of the server cannot be read")
		}
		foreign.Header["jwk"] = map[string]any{
			"kty": "OKP", "crv": "Ed25519",
			"x": base64.RawURLEncoding.EncodeToString(f.key.Public().(ed25519.PublicKey)),
		}
		made, err := foreign.SignedString(f.key)
		if err != nil {
			panic(err)
		}
		return made
	}
}

// goodForNothing returns tokens that the server's own key signed and that no operation accepts.
func (p *people) goodForNothing(in tokens) (signed []string) {
	now, user := p.db.Now(), token.SubjectAccess{UserID: in.UserID}
	noEnd, noSubject, twoSubjects := token.NewAccess(uuid.New(), now, user), token.NewAccess(uuid.New(), now, user),
		token.NewAccess(uuid.New(), now, user)
	noEnd.ExpiresAt, noSubject.SubjectAccess, twoSubjects.SubjectRefresh = nil, nil,
		&token.SubjectRefresh{UserID: in.UserID}
	for _, c := range []token.Claims{
		noEnd, noSubject, twoSubjects,
		// out; of no session
		token.NewAccess(uuid.New(), now.Add(-time.Hour), user), token.NewAccess(uuid.New(), now, user),
		token.NewRefresh(uuid.New(), now, token.SubjectRefresh{UserID: in.UserID}),
		token.NewLoginCode(uuid.New(), now, time.Hour, token.SubjectLoginCode{TgLoginToken: "x"}),
		token.NewUserLinkTg(uuid.New(), now, time.Hour, token.SubjectUserLinkTg{UserID: in.UserID}),
	} {
		raw, err := p.signer.Sign(c)
		if err != nil {
			p.Fatal(err)
		}
		signed = append(signed, raw)
	}
	return signed
}

// attempt calls one of the operations with a token and returns the status. Most are called behind HTTP, which says no
// more than what it is given there and takes as long as reading the token.
func (p *people) attempt(operation int, forged string) int {
	var err error
	switch operation {
	case 0:
		body, _ := json.Marshal(map[string]string{"refresh_token": forged})
		return p.call("POST", refresh, "", string(body)).status
	case 1:
		return p.call("GET", "/api/v2/user", forged, "").status
	case 2:
		_, err = p.Sessions.Refresh(p.Context(), forged, account.Client{})
	default:
		_, err = p.Sessions.Authenticate(p.Context(), forged)
	}
	if f, ok := fault.As(err); ok {
		return f.Status
	}
	return http.StatusOK
}

func TestTokens_Forged_AreRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		in := p.signUp("a@example.com")
		signed := p.goodForNothing(in)
		var wg sync.WaitGroup
		workers, seed := runtime.GOMAXPROCS(0), sampleSeed(t)
		for i := range workers {
			f := &forger{
				Rand: rand.New(rand.NewPCG(seed, uint64(i))), access: in.AccessToken, refresh: in.RefreshToken,
				key: ed25519.NewKeyFromSeed(make([]byte, 32)), signed: signed,
			}
			wg.Go(func() {
				for range sampleSize(5_000, 50_000) / workers {
					forged := f.next()
					if forged == in.AccessToken || forged == in.RefreshToken {
						continue
					}
					if status := p.attempt(f.IntN(20), forged); status != http.StatusUnauthorized {
						t.Errorf("%d for %s", status, forged)
						return
					}
				}
			})
		}
		wg.Wait()
		if _, err := p.Sessions.Authenticate(context.Background(), in.AccessToken); err != nil {
			t.Errorf("the true one: %v", err)
		}
		if _, err := p.Sessions.Refresh(context.Background(), in.RefreshToken, account.Client{}); err != nil {
			t.Errorf("the true one: %v", err)
		}
	})
}
