package app

import (
	"fmt"
	"testing"
)

// namedRow is what the API says of members of staff in what they made, decided or changed.
type namedRow struct {
	ID         int64
	MadeBy     *int64 `json:"made_by"`
	MadeByWho  string `json:"made_by_email"`
	DecidedBy  *int64 `json:"decided_by"`
	DecidedWho string `json:"decided_by_email"`
	UpdatedBy  *int64 `json:"updated_by"`
	UpdatedWho string `json:"updated_by_email"`
	User       *struct {
		ID    int64
		Email string
	}
}

func TestStaff_WhoMadeOrDecided_IsNamedByAddress(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := newActSite(h)
		emails, err := h.Accounts.Emails(h.Context(), []int64{site.bob.id, site.user.id, site.owner.id})
		site.must(err)
		isBob := func(what string, id *int64, email string) {
			h.Helper()
			if id == nil || *id != site.bob.id || email != emails[site.bob.id] {
				h.Errorf("%s: made or decided by %v %q, want %d %q", what, id, email, site.bob.id, emails[site.bob.id])
			}
		}
		get := func(path string, result any) {
			h.Helper()
			h.ask(site.bob, 200, "GET", "/api/v2/staff/"+path, "", result)
		}
		post := func(path, body string, result any) {
			h.Helper()
			h.ask(site.bob, 200, "POST", "/api/v2/staff/"+path, body, result)
		}
		var one namedRow
		var list struct{ Payouts, Cases, Coupons, Batches, Templates []namedRow }

		payout := fmt.Sprintf("commission-payouts/%d", h.payout(site.user))
		post(payout+"/refuse", `{"answer":"the name is wrong"}`, nil)
		get(payout, &one)
		isBob("payout", one.MadeBy, one.MadeByWho)
		get("commission-payouts", &list)
		isBob("payout in the list", list.Payouts[0].MadeBy, list.Payouts[0].MadeByWho)

		paymentCase := fmt.Sprintf("payment-cases/%d", site.paymentCase())
		post(paymentCase+"/dismiss", `{"reason":"a test"}`, nil)
		get(paymentCase, &one)
		isBob("payment case", one.DecidedBy, one.DecidedWho)
		get("payment-cases", &list)
		if user := list.Cases[0].User; user == nil || user.ID != site.user.id || user.Email != emails[site.user.id] {
			h.Errorf("payment case in the list: of %v, want %d %q", user, site.user.id, emails[site.user.id])
		}

		post("coupons", `{"code":"SPRING","amount":"1.00","total":1}`, &one)
		isBob("new coupon", one.MadeBy, one.MadeByWho)
		get(fmt.Sprintf("coupons/%d", one.ID), &one)
		isBob("coupon", one.MadeBy, one.MadeByWho)
		get("coupons", &list)
		isBob("coupon in the list", list.Coupons[0].MadeBy, list.Coupons[0].MadeByWho)

		var batch struct{ Batch namedRow }
		post("cd-keys", `{"kind":"amount","amount":"1.00","size":1}`, &batch)
		isBob("new batch", batch.Batch.MadeBy, batch.Batch.MadeByWho)
		get(fmt.Sprintf("cd-keys/%d", batch.Batch.ID), &batch)
		isBob("batch", batch.Batch.MadeBy, batch.Batch.MadeByWho)
		get("cd-keys", &list)
		isBob("batch in the list", list.Batches[0].MadeBy, list.Batches[0].MadeByWho)

		const template = "/api/v2/staff/link-templates"
		h.ask(site.owner, 200, "PUT", template+"/site/0", `{"document":{"rules":"none"}}`, nil)
		h.ask(site.owner, 200, "GET", template, "", &list)
		if got := list.Templates[0]; *got.UpdatedBy != site.owner.id || got.UpdatedWho != emails[site.owner.id] {
			h.Errorf("template: changed by %d %q, want %d %q", *got.UpdatedBy, got.UpdatedWho, site.owner.id,
				emails[site.owner.id])
		}
	})
}
