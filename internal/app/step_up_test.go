package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/permission"
)

// everydayPermissions are those whose operations ask for no recent password or passkey: written down apart from
// package permission, so that whoever adds one there must add it here too.
var everydayPermissions = []permission.Permission{
	"money.ledger.read",
	"approval.read", "money.adjustment.read", "money.refund.read", "payment.case.read", "order.read", "order.cancel",
	"recharge.read", "recharge.notify.read", "gateway.read", "cdkey.read", "coupon.read", "plan.read",
	"plan.text.write", "node.read", "node.user.read", "node.speed_test.read", "node.silence", "node.shared_key.read",
	"traffic.batch.read", "traffic.total.read", "node.rule.read", "node.rule.hit.read", "node.blocked_address.read",
	"node.blocked_address.lift", "link.template.read", "link.group.read", "client.read", "announcement.read",
	"announcement.write", "guide.read", "guide.write", "overview.read", "user.read", "user.label",
	"user.history.read", "user.add", "user.note", "user.bulk", "staff.role.read", "staff.member.read", "console.view",
	"console.view.manage", "network.ban.read", "ticket.read",
	"ticket.answer", "ticket.manage", "ticket.merge", "ticket.canned_answer.write", "mail.read", "mail.retry",
	"mail.template.read",
	"media.read", "shareaccount.read", "partner.read", "job.run", "audit.read", "api_key.read", "webhook.read",
	"webhook.send",
	"setting.read", "setting.write", "setting.test", "job.read", "job.manage", "system.read",
}

// dangerousAlone are operations that ask for it, although others of their permission do not.
var dangerousAlone = []string{"staff_announcement_broadcast", "staff_bulk_job_start"}

func (r staffRoute) isDangerous() bool {
	return !slices.Contains(everydayPermissions, r.permission) || slices.Contains(dangerousAlone, r.id) ||
		strings.HasSuffix(r.path, "/csv") || strings.HasSuffix(r.path, "/parquet")
}

func stepUpAsked(w *httptest.ResponseRecorder) bool {
	return w.Code == http.StatusForbidden && strings.Contains(w.Body.String(), `"step_up_required"`)
}

func TestStepUp_EachDangerousOperation_RefusesASessionThatWasLeftOpen(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		routes := h.staffRoutes(h.T)
		h.now = h.now.Add(11 * time.Minute)
		owner := h.staff[account.Owner]
		h.since = map[int64]signedIn{} // nobody signs in anew
		asked := 0
		for _, r := range routes {
			if r.token {
				continue
			}
			w := h.asMember(owner, r)
			if stepUpAsked(w) != r.isDangerous() {
				h.Errorf("%s %s (%s), which needs %s, answers %d %s to an old session", r.method, r.path, r.id,
					r.permission, w.Code, w.Body)
			}
			if r.isDangerous() {
				asked++
			}
			if w := h.asMember(h.staff[account.Viewer], r); stepUpAsked(w) &&
				!slices.Contains(r.roles, account.Viewer) {
				h.Errorf("%s asks a viewer to step up for what viewers may not do", r.id)
			}
		}
		if asked < 40 {
			h.Errorf("only %d operations ask for it", asked)
		}
		for _, p := range everydayPermissions {
			if !p.Known() {
				h.Errorf("there is no %s", p)
			}
		}
		for _, g := range permission.Table {
			if g.Permission.Dangerous() == slices.Contains(everydayPermissions, g.Permission) {
				h.Errorf("%s is dangerous: %t", g.Permission, g.Permission.Dangerous())
			}
		}

		if w := h.call(h.Context(), owner, "POST", "/api/v2/user/account/step-up", `{"password":"a long enough password"}`); w.
			Code != http.StatusOK {
			h.Fatal(w.Body)
		}
		for _, r := range routes {
			if w := h.asMember(owner, r); !r.token && (stepUpAsked(w) || w.Code == http.StatusForbidden) {
				h.Errorf("%s answers %s after the password", r.id, w.Body)
			}
		}
	})
}

func TestStepUp_IsOfOneSessionAndOneMember(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner, admin := h.staff[account.Owner], h.staff[account.Admin]
		h.now = h.now.Add(11 * time.Minute)
		signIn := func(email string) string {
			g, err := h.Accounts.SignIns.ByPassword(h.Context(),
				account.SignIn{Email: email, Password: "a long enough password"}, account.Client{})
			if err != nil {
				h.Fatal(err)
			}
			return g.Access
		}
		dangerous := func(bearer string) bool {
			return stepUpAsked(h.call(h.Context(), testUser{bearer: bearer}, "GET", "/api/v2/staff/users/csv", ""))
		}
		stepUp := func(bearer, password string) int {
			return h.call(h.Context(), testUser{bearer: bearer}, "POST", "/api/v2/user/account/step-up",
				fmt.Sprintf(`{"password":%q}`, password)).Code
		}
		if !dangerous(admin.bearer) || dangerous(signIn("admin@example.com")) {
			h.Error("another session of the same member counts, or a sign-in does not")
		}
		if !dangerous(admin.bearer) {
			h.Error("a sign-in elsewhere lets an old session act")
		}
		if code := stepUp(admin.bearer, "something else entirely"); code != http.StatusUnprocessableEntity ||
			!dangerous(admin.bearer) {
			h.Errorf("a wrong password answers %d", code)
		}
		if code := stepUp(owner.bearer, "a long enough password"); code != http.StatusOK || dangerous(owner.bearer) ||
			!dangerous(admin.bearer) {
			h.Errorf("the owner's password answers %d, or it counts for another member", code)
		}
		if code := stepUp(h.users[0].bearer, "a long enough password"); code != http.StatusOK || !dangerous(admin.bearer) {
			h.Errorf("a user's password answers %d, or it counts for a member", code)
		}
		h.now = h.now.Add(9 * time.Minute)
		owner.bearer = signIn("owner@example.com")
		token, _, err := h.Accounts.SignIns.MakeToken(h.Context(), "owner@example.com")
		if err != nil {
			h.Fatal(err)
		}
		g, err := h.Accounts.SignIns.ByToken(h.Context(), token.String(), account.Client{})
		if err != nil {
			h.Fatal(err)
		}
		if !dangerous(g.Access) {
			h.Error("a sign-in by link counts as one by password")
		}
		for range 5 {
			stepUp(admin.bearer, "something else entirely")
		}
		if code := stepUp(signIn("admin@example.com"), "a long enough password"); code != http.StatusOK {
			h.Errorf("guesses of one session hold up another: %d", code)
		}
	})
}
