package v2_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/mail"
)

// staff signs up a member of staff.
func (p *people) staff(role account.Role) tokens {
	p.Helper()
	email := string(role) + "@staff.example.com"
	made := p.signUp(email)
	if err := p.SetRole(p.Context(), email, role); err != nil {
		p.Fatal(err)
	}
	return made
}

// outbox keeps two mails, as a site without an SMTP server does, and gives their ids.
func (p *people) outbox() (code, notice int64) {
	p.Helper()
	q := job.New(p.db)
	p.mails.Register(q)
	if err := p.db.Tx(p.Context(), func(ctx context.Context, tx bun.Tx) error {
		return errors.Join(
			p.mails.Send(ctx, tx, mail.Message{To: "a@example.com", Lang: fault.EN, Content: mail.Code{
				Purpose: "login",
				Code:    "012345", Minutes: 10,
			}, Until: p.db.Now().Add(10 * time.Minute)}),
			p.mails.Send(ctx, tx, mail.Message{To: "b@example.com", Lang: fault.EN, Content: mail.EmailTaken{}}),
		)
	}); err != nil {
		p.Fatal(err)
	}
	if err := q.Work(p.Context()); err != nil {
		p.Fatal(err)
	}
	all, err := p.mails.List(p.Context(), 2)
	if err != nil {
		p.Fatal(err)
	}
	return all[1].ID, all[0].ID
}

func TestStaffSeeTheOutboxAndOnlyOwnersTheCodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		code, notice := p.outbox()
		const list = "/api/v2/staff/mails"
		one := fmt.Sprintf("%s/%d", list, code)

		p.want(p.call("GET", list, "", ""), 401, "sign_in_required")
		user := p.signUp("user@example.com").AccessToken
		finance := p.staff(account.Finance).AccessToken
		for _, bearer := range []string{user, finance} {
			for _, path := range []string{list, one} {
				p.want(p.call("GET", path, bearer, ""), 403, "not_allowed")
			}
			p.want(p.call("POST", one+"/retry", bearer, ""), 403, "not_allowed")
		}

		owner, support := p.staff(account.Owner).AccessToken, p.staff(account.Support).AccessToken
		var page struct {
			TotalCount int64 `json:"total_count"`
			Mails      []struct {
				MailID    int64 `json:"mail_id"`
				Recipient string
				State     string
			}
		}
		a := p.want(p.call("GET", list+"?state=kept&recipient=A@EX&size=1", support, ""), 200, "")
		a.into(t, &page)
		if page.TotalCount != 1 || len(page.Mails) != 1 || page.Mails[0].MailID != code ||
			page.Mails[0].State != "kept" || strings.Contains(a.raw, "012345") {
			t.Errorf("%s", a.raw)
		}
		if got := p.want(p.call("GET", list+"?state=lost", support, ""), 422, "invalid_input").
			fields(); got != "state:choice" {
			t.Error(got)
		}

		if a := p.want(p.call("GET", one+"?with_code=true", owner, ""), 200, ""); !strings.Contains(a.raw, "012345") ||
			!strings.Contains(a.raw, `"code_hidden":false`) {
			t.Errorf("the owner sees %s", a.raw)
		}
		for _, bearer := range []string{owner, support} {
			if a := p.want(p.call("GET", one, bearer, ""), 200, ""); strings.Contains(a.raw, "012345") ||
				!strings.Contains(a.raw, `"code_hidden":true`) || !strings.Contains(a.raw, "••••••") {
				t.Errorf("a reader who does not ask for the code sees %s", a.raw)
			}
		}
		p.want(p.call("GET", one+"?with_code=true", support, ""), 403, "not_allowed")
		p.db.SetClock(func() time.Time { return time.Now().Add(11 * time.Minute) })
		p.want(p.call("GET", one+"?with_code=true", owner, ""), 403, "step_up_required")
		p.db.SetClock(time.Now)
		p.want(p.call("GET", list+"/999", owner, ""), 404, "mail_not_found")

		again := fmt.Sprintf("%s/%d/retry", list, notice)
		p.want(p.call("POST", again, support, ""), 403, "not_allowed")
		p.want(p.call("POST", again, owner, ""), 200, "")
		p.want(p.call("POST", again, owner, ""), 409, "mail_under_way")
	})
}

func TestNobodySeesTheCodesOfMailsToStaff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := serve(t, d)
		owner := p.staff(account.Owner).AccessToken
		p.signUp("a@example.com")
		code, _ := p.outbox()
		one := fmt.Sprintf("/api/v2/staff/mails/%d?with_code=true", code)
		for _, role := range []account.Role{account.Finance, account.Viewer} { // when it is read
			if err := p.SetRole(t.Context(), "a@example.com", role); err != nil {
				t.Fatal(err)
			}
			a := p.want(p.call("GET", one, owner, ""), 200, "")
			if strings.Contains(a.raw, "012345") || !strings.Contains(a.raw, `"code_hidden":true`) {
				t.Errorf("an owner reads the code of %s: %s", role, a.raw)
			}
		}
		if err := p.SetRole(t.Context(), "a@example.com", ""); err != nil {
			t.Fatal(err)
		}
		if a := p.want(p.call("GET", one, owner, ""), 200, ""); !strings.Contains(a.raw, "012345") {
			t.Errorf("of a user: %s", a.raw)
		}
	})
}

func TestAStaffOperationSaysThatASecondFactorIsWanted(t *testing.T) {
	p := serve(t, dbtest.SQLite(t))
	owner := p.staff(account.Owner).AccessToken
	p.want(p.call("GET", "/api/v2/staff/mails", owner, ""), 200, "")
	p.set("staff_two_factor", "true")
	p.want(p.call("GET", "/api/v2/staff/mails", owner, ""), 403, "staff_two_factor_required")
	p.want(p.call("GET", "/api/v2/staff/mails", p.signUp("user@example.com").AccessToken, ""), 403, "not_allowed")
	if a := p.want(p.call("GET", "/api/v2/user/get_me", owner, ""), 200, ""); !strings.Contains(a.raw,
		`"staff_role":"owner","staff_two_factor_due":true`) {
		t.Error(a.raw)
	}
}
