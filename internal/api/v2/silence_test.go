package v2_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// comparable is all of an answer that its reader can compare with another: status, headers and body, without the
// request's id.
func (a answer) comparable() string {
	h := maps.Clone(a.header)
	id := h.Get("X-Request-Id")
	h.Del("X-Request-Id")
	return fmt.Sprintf("%d %v %s", a.status, h, strings.ReplaceAll(a.raw, id, ""))
}

func TestNoAnswerTellsWhetherAnAddressHasAnAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		p.set("sign_up_email_code", "true")
		now := d.Now()
		d.SetClock(func() time.Time { return now }) // what says how long to wait says the same
		p.signUpByCode("known@example.com")
		now = now.Add(time.Hour)
		calls := 0
		ask := func(path, body, email string) string {
			calls++
			return p.call("POST", path, "", strings.ReplaceAll(body, "EMAIL", email), "From",
				fmt.Sprintf("198.51.100.%d", calls), "Accept-Language", "en").comparable()
		}
		for i, c := range []struct{ path, body string }{
			{login, `{"email":"EMAIL","password":"wrong password"}`},
			{login, `{"email":"EMAIL","password":"wrong password","two_fa_code":"012345"}`},
			{login + "-by-email-code", `{"email":"EMAIL","email_code":"012345"}`},
			{register, `{"email":"EMAIL","name":"x","password":"a good password","re_password":"a good password","email_code":"012345"}`},
			{register, `{"email":"EMAIL","name":"x","password":"a good password","re_password":"a good password"}`},
			{resetPassword, `{"email":"EMAIL","email_code":"012345","password":"a good password"}`},
			{register + "/request-email-code", `{"email":"EMAIL"}`},
			{register + "/request-email-code", `{"email":"EMAIL"}`}, // too soon
			{"/api/v2/auth/account_login/request-email-code", `{"email":"EMAIL"}`},
			{requestResetCode, `{"email":"EMAIL"}`},
			{register, `{"email":"EMAIL","name":"x","password":"a good password","re_password":"a good password","email_code":"bad"}`},
		} {
			if c.path != register+"/request-email-code" {
				now = now.Add(2 * time.Minute)
			}
			known, unknown := ask(c.path, c.body, "known@example.com"), ask(c.path, c.body, "other@example.com")
			if known != unknown {
				t.Errorf("%d: %s answers\n%s\nand\n%s", i, c.path, known, unknown)
			}
		}
	})
}

// signUpByCode makes an account where the address must be proven.
func (p *people) signUpByCode(email string) {
	p.Helper()
	p.want(p.call("POST", register+"/request-email-code", "", fmt.Sprintf(`{"email":%q}`, email)), 200, "")
	p.want(p.call("POST", register, "",
		fmt.Sprintf(`{"email":%q,"name":"x","password":%q,"re_password":%q,"email_code":%q}`, email, password, password,
			p.mailed(email))), 200, "")
}
