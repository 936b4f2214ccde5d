package captcha_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/captcha"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/limit"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// world is a site with captchas, in which time is set by the test.
type world struct {
	*testing.T
	*captcha.Captchas
	db       *db.DB
	settings *setting.Settings
	secrets  *secret.Secrets
	now      time.Time
}

func each(t *testing.T, test func(w *world)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := &world{T: t, db: d, now: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), secrets: secret.New(d, seal.Key{1})}
		d.SetClock(func() time.Time { return w.now })
		var err error
		w.settings, err = setting.New(t.Context(), d)
		w.must(err)
		w.Captchas = captcha.New(d, seal.Key{1}, w.settings, w.secrets)
		test(w)
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) want(err, target error) {
	w.Helper()
	if !errors.Is(err, target) {
		w.Fatalf("%v, want %v", err, target)
	}
}

func (w *world) wantField(err error, name, code string) {
	w.Helper()
	if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != name || f.Fields[0].Code != code {
		w.Fatalf("%v, want %s: %s", err, name, code)
	}
}

func (w *world) set(pairs ...any) {
	w.Helper()
	values := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		raw, err := json.Marshal(pairs[i+1])
		w.must(err)
		values[pairs[i].(string)] = raw
	}
	w.must(w.settings.Set(w.Context(), values))
}

var (
	here  = netip.MustParseAddr("192.0.2.1")
	there = netip.MustParseAddr("192.0.2.2")
)

// solve does the work as the page does it, all puzzles at once.
func solve(id string, puzzles, zeros int) []int64 {
	solutions := make([]int64, puzzles)
	var wg sync.WaitGroup
	for i := range solutions {
		wg.Go(func() {
			puzzle := fmt.Appendf(nil, "%d%s", i, id)
			for s := int64(0); ; s++ {
				sum := sha256.Sum256(strconv.AppendInt(puzzle, s, 10))
				if binary.BigEndian.Uint64(sum[:])>>(64-4*zeros) == 0 { // that many hexadecimal digits
					solutions[i] = s
					return
				}
			}
		})
	}
	wg.Wait()
	return solutions
}

// wrong returns a number that does not solve puzzle i of one zero digit.
func wrong(id string, i int) int64 {
	for s := int64(0); ; s++ {
		if sum := sha256.Sum256(fmt.Appendf(nil, "%d%s%d", i, id, s)); sum[0] >= 16 {
			return s
		}
	}
}

func (w *world) token() string {
	w.Helper()
	ch, err := w.NewChallenge(w.Context(), here)
	w.must(err)
	token, until, err := w.Solve(w.Context(), ch.ID, solve(ch.ID.String(), ch.Puzzles, ch.Zeros), here)
	w.must(err)
	if !until.Equal(w.now.Add(15 * time.Minute)) {
		w.Errorf("good until %s", until)
	}
	return token
}

func TestTheWorkOf80PuzzlesGivesATokenThatIsGoodOnce(t *testing.T) {
	each(t, func(w *world) {
		ch, err := w.NewChallenge(w.Context(), here)
		w.must(err)
		if ch.Puzzles != 80 || ch.Zeros != 4 || ch.ID.Version() != 7 {
			w.Errorf("asked for %+v", ch)
		}
		token, _, err := w.Solve(w.Context(), ch.ID, solve(ch.ID.String(), 80, 4), here)
		w.must(err)
		if name, mac, _ := strings.Cut(token, ":"); name != ch.ID.String() || len(mac) != 64 {
			w.Errorf("token %s", token)
		}
		w.must(w.Consume(w.Context(), token, here))
		w.want(w.Consume(w.Context(), token, here), captcha.ErrUsed)
	})
}

func TestWhatIsWrongWithAnAnswerIsSaid(t *testing.T) {
	each(t, func(w *world) {
		w.set("captcha_puzzles", 3, "captcha_zeros", 1)
		ch, err := w.NewChallenge(w.Context(), here)
		w.must(err)
		right := solve(ch.ID.String(), 3, 1)
		_, _, err = w.Solve(w.Context(), uuid.New(), right, here)
		w.wantField(err, "cap_id", "version")
		_, _, err = w.Solve(w.Context(), uuid.Must(uuid.NewV7()), right, here)
		w.want(err, captcha.ErrUnknown)
		_, _, err = w.Solve(w.Context(), ch.ID, right[:2], here)
		w.wantField(err, "solutions", "count")
		_, _, err = w.Solve(w.Context(), ch.ID, []int64{right[0], right[1], wrong(ch.ID.String(), 2)}, here)
		w.wantField(err, "solutions", "wrong")
		_, _, err = w.Solve(w.Context(), ch.ID, right, there)
		w.wantField(err, "cap_id", "mismatch")

		forged := ch.ID.String() + ":" + strings.Repeat("0", 64)
		w.wantField(w.Consume(w.Context(), forged, here), "verify_token", "mismatch")
		w.wantField(w.Consume(w.Context(), strings.ToUpper(forged), here), "verify_token", "format")
		token, _, err := w.Solve(w.Context(), ch.ID, right, here)
		w.must(err)
		_, _, err = w.Solve(w.Context(), ch.ID, right, here)
		w.want(err, captcha.ErrAlreadySolved)
		w.wantField(w.Consume(w.Context(), token, there), "verify_token", "mismatch")
		w.now = w.now.Add(16 * time.Minute)
		w.want(w.Consume(w.Context(), token, here), captcha.ErrExpired)

		late, err := w.NewChallenge(w.Context(), here)
		w.must(err)
		w.now = w.now.Add(16 * time.Minute)
		_, _, err = w.Solve(w.Context(), late.ID, solve(late.ID.String(), 3, 1), here)
		w.want(err, captcha.ErrExpired)
	})
}

func TestATokenIsUsedOnceHoweverManyUseItAtOnce(t *testing.T) {
	each(t, func(w *world) {
		w.set("captcha_puzzles", 1, "captcha_zeros", 1)
		token, good := w.token(), 0
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 8 {
			wg.Go(func() {
				err := w.Consume(w.Context(), token, here)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					good++
				} else if !errors.Is(err, captcha.ErrUsed) {
					w.Error(err)
				}
			})
		}
		wg.Wait()
		if good != 1 {
			w.Errorf("good %d times", good)
		}
	})
}

func TestANetworkGetsSoManyChallengesOnAllReplicas(t *testing.T) {
	each(t, func(w *world) {
		other := captcha.New(w.db, seal.Key{1}, w.settings, w.secrets)
		for i := range 200 {
			_, err := []*captcha.Captchas{w.Captchas, other}[i%2].NewChallenge(w.Context(), here)
			w.must(err)
		}
		_, err := other.NewChallenge(w.Context(), here)
		w.want(err, limit.ErrTooMany)
		_, err = w.NewChallenge(w.Context(), there)
		w.must(err)
		w.now = w.now.Add(11 * time.Minute)
		_, err = w.NewChallenge(w.Context(), here)
		w.must(err)
	})
}

func TestACaptchaIsAskedForBySettingAndRisk(t *testing.T) {
	each(t, func(w *world) {
		w.set("captcha_puzzles", 1, "captcha_zeros", 1)
		for _, c := range []struct {
			mode         string
			risky, asked bool
		}{
			{"never", false, false},
			{"never", true, false},
			{"risk", false, false},
			{"risk", true, true},
			{"always", false, true},
			{"always", true, true},
		} {
			w.set("captcha_login", c.mode)
			err := w.Require(w.Context(), captcha.Login, c.risky, "", here)
			if errors.Is(err, captcha.ErrRequired) != c.asked || (!c.asked && err != nil) {
				w.Errorf("%+v: %v", c, err)
			}
		}
		err := w.Require(w.Context(), captcha.Login, false, "", here)
		if f, ok := fault.As(err); !ok || f.Details["captcha_key_type"] != "login" || f.Details["provider"] != "pow" {
			w.Errorf("the page is told %+v", f)
		}
		token := w.token()
		w.want(w.Require(w.Context(), captcha.Login, false, token, there), captcha.ErrRequired)
		w.must(w.Require(w.Context(), captcha.Login, false, token, here))
		w.want(w.Require(w.Context(), captcha.Login, false, token, here), captcha.ErrRequired)
	})
}

// siteverify answers as the providers' documents say, with one secret and answers that are good once.
func siteverify(t *testing.T, sitekey string) string {
	used := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		answer := map[string]any{
			"success": false, "error-codes": []string{}, "challenge_ts": "2026-05-04T03:02:01Z",
			"hostname": "example.com",
		}
		refuse := func(code string) { answer["error-codes"] = []string{code} }
		response := r.PostFormValue("response")
		switch {
		case r.Method != http.MethodPost || r.PostFormValue("remoteip") != here.String():
			refuse("bad-request")
		case r.PostFormValue("secret") != "the-secret":
			refuse("invalid-input-secret")
		case sitekey != "" && r.PostFormValue("sitekey") != sitekey:
			refuse("sitekey-secret-mismatch")
		case used[response]:
			refuse("timeout-or-duplicate")
		case response == "down":
			rw.WriteHeader(http.StatusBadGateway)
		case response == "a-machine":
			answer["success"], answer["score"] = true, 0.1
		case response == "a-person":
			answer["success"], answer["score"] = true, 0.9
		case strings.HasPrefix(response, "good"):
			used[response], answer["success"] = true, true
		default:
			refuse("invalid-input-response")
		}
		if err := json.NewEncoder(rw).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestTheProvidersVerifyOnTheServer(t *testing.T) {
	each(t, func(w *world) {
		for provider, sitekey := range map[string]string{"turnstile": "", "hcaptcha": "public", "recaptcha": ""} {
			w.set("captcha_provider", provider, "captcha_site_key", "public", "captcha_verify_url",
				siteverify(w.T, sitekey), "captcha_register", "always")
			if got := w.Widget(captcha.Register); got != (captcha.Widget{
				Kind: captcha.Register, Mode: "always",
				Provider: provider, SiteKey: "public",
			}) {
				w.Errorf("shown is %+v", got)
			}
			require := func(answer string) error {
				return w.Require(w.Context(), captcha.Register, false, answer, here)
			}
			w.must(w.secrets.Set(w.Context(), secret.CaptchaKey, "another"))
			w.want(require("good"), captcha.ErrUnavailable)
			w.must(w.secrets.Set(w.Context(), secret.CaptchaKey, "the-secret"))
			w.must(require("good"))
			w.want(require("good"), captcha.ErrRequired)
			w.want(require("bad"), captcha.ErrRequired)
			w.want(require(""), captcha.ErrRequired)
			w.want(require("down"), captcha.ErrUnavailable)
			w.must(require("a-person"))
			w.want(require("a-machine"), captcha.ErrRequired)
		}
		w.set("captcha_site_key", "public", "captcha_provider", "hcaptcha", "captcha_verify_url",
			siteverify(w.T, "of another site"))
		w.want(w.Require(w.Context(), captcha.Register, false, "good", here), captcha.ErrUnavailable)
		w.set("captcha_verify_url", "http://127.0.0.1:1/")
		w.want(w.Require(w.Context(), captcha.Register, false, "good", here), captcha.ErrUnavailable)
	})
}
