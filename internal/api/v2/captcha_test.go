package v2_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
)

func TestAPageShowsTheCaptchaAndItsAnswerOpensTheSignIn(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	p.signUp("a@example.com")
	if err := p.settings.Set(t.Context(), map[string]json.RawMessage{
		"captcha_login": json.RawMessage(`"always"`), "captcha_puzzles": json.RawMessage("2"),
		"captcha_zeros": json.RawMessage("1"),
	}); err != nil {
		t.Fatal(err)
	}
	p.want(p.call("GET", "/api/v2/captcha-key", "", ""), 422, "invalid_input")
	p.want(p.call("GET", "/api/v2/captcha-key?captcha_key_type=none", "", ""), 422, "invalid_input")
	shown := p.want(p.call("GET", "/api/v2/captcha-key?captcha_key_type=login", "", ""), 200, "")
	for _, part := range []string{
		`"mode":"always"`, `"provider":"pow"`, `"site_key":""`, `"tiago2_cap_key_id":""`,
		`"captcha_key":"`,
	} {
		if !strings.Contains(shown.raw, part) {
			t.Errorf("no %s in %s", part, shown.raw)
		}
	}
	signIn := func(token string) answer {
		return p.call("POST", login, "", fmt.Sprintf(`{"email":"a@example.com","password":%q,"verify_token":%q}`,
			password, token))
	}
	p.want(signIn(""), http.StatusForbidden, "captcha_required")
	var ch struct {
		ID         string
		RequestIP  string `json:"request_ip"`
		Count      int    `json:"cap_challenge_count"`
		Difficulty int    `json:"cap_difficulty"`
	}
	same(t, "challenge", p.want(p.call("GET", "/api/v2/captcha-key-v2", "", ""), 200, "").into(t, &ch),
		"id", "created_at", "verified_at", "consumed_at", "request_ip", "cap_challenge_count", "cap_difficulty")
	var solutions []int
	for i := range ch.Count {
		s := 0
		for sha256.Sum256(fmt.Appendf(nil, "%d%s%d", i, ch.ID, s))[0] >= 16 {
			s++
		}
		solutions = append(solutions, s)
	}
	body, err := json.Marshal(map[string]any{"cap_id": ch.ID, "solutions": solutions})
	if err != nil || ch.Difficulty != 1 || ch.RequestIP == "" {
		t.Fatal(err, ch)
	}
	var token struct {
		VerifyToken string `json:"verify_token"`
	}
	same(t, "token", p.want(p.call("POST", "/api/v2/captcha-key-v2-verify", "", string(body)), 200, "").into(t, &token),
		"verify_token", "expires_at")
	p.want(p.call("POST", "/api/v2/captcha-key-v2-verify", "", string(body)), http.StatusConflict,
		"captcha_already_solved")
	p.want(signIn(token.VerifyToken), 200, "")
	p.want(signIn(token.VerifyToken), http.StatusForbidden, "captcha_required")
	p.want(p.call("POST", "/api/v2/captcha-key-v2-consume", "", fmt.Sprintf(`{"verify_token":%q}`, token.VerifyToken)),
		http.StatusConflict, "captcha_used")
	p.want(p.call("POST", "/api/v2/captcha-key-v2-consume", "", `{}`), 422, "invalid_input")
}
