package app

import (
	"fmt"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/shop"
)

// limited sets what a member may give alone on a day.
func (h *fixture) limited(amount string) {
	h.Helper()
	if err := h.Settings.Set(h.Context(), settings(`{"staff_credit_limit": "`+amount+`"}`)); err != nil {
		h.Fatal(err)
	}
}

// waits tells how many acts wait for a second member.
func (h *fixture) waits() int64 {
	h.Helper()
	var list struct {
		TotalCount int64 `json:"total_count"`
	}
	h.ask(h.staff[account.Owner], 200, "GET", "/api/v2/staff/approvals?state=waiting", "", &list)
	return list.TotalCount
}

type madeKeys struct {
	Batch struct {
		ID          int64
		ConfirmedAt *string `json:"confirmed_at"`
	}
	CSV string
}

func (m madeKeys) key() string { return strings.Split(m.CSV, "\n")[1][:23] }

// keys makes a batch as a member.
func (h *fixture) keys(as testUser, body string) (made madeKeys) {
	h.Helper()
	h.ask(as, 200, "POST", "/api/v2/staff/cd-keys", body, &made)
	return made
}

func (h *fixture) redeem(as testUser, status int, key string) {
	h.Helper()
	h.ask(as, status, "POST", "/api/v2/user/wallet/cd-key/"+key, "", nil)
}

func TestApprovals_AllWaysOfGiving_ShareOneDailyLimit(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("100.00")
		ann, bob := h.staff[account.Finance], h.staff[account.Admin]
		var adjusted struct{ State string }
		adjust := func(amount string) string {
			body := fmt.Sprintf(`{"user_id":%d,"amount":"%s","reason":"an outage"}`, h.users[0].id, amount)
			h.ask(ann, 200, "POST", "/api/v2/staff/wallet-adjustments", body, &adjusted)
			return adjusted.State
		}
		if state := adjust("60.00"); state != "posted" {
			h.Fatal(state)
		}
		made := h.keys(ann, `{"kind":"amount","amount":"40.01","size":1}`)
		if made.Batch.ConfirmedAt != nil || h.waits() != 1 {
			h.Fatalf("keys in addition to adjustments: %+v, %d wait", made.Batch, h.waits())
		}
		h.redeem(h.users[0], 404, made.key())
		if made := h.keys(ann, `{"kind":"amount","amount":"40.00","size":1}`); made.Batch.ConfirmedAt == nil {
			h.Fatal("what fits into the limit waits")
		}
		if state := adjust("0.01"); state != "pending" {
			h.Fatal("the limit is used up, and an adjustment is ", state)
		}
		h.ask(bob, 200, "POST", fmt.Sprintf("/api/v2/staff/cd-keys/%d/confirm", made.Batch.ID), "", nil)
		h.redeem(h.users[0], 200, made.key())
		h.sound(h.T)
	})
}

func TestApprovals_KeysOfPlansAndTraffic_CountByTheirWorth(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("10.00")
		ann := h.staff[account.Finance]
		h.sells(h.T, shop.KindPackage, 300) // a gigabyte
		waits := func(body string) bool {
			h.Helper()
			made := h.keys(ann, body)
			if made.Batch.ConfirmedAt == nil {
				h.redeem(h.users[0], 404, made.key())
			}
			return made.Batch.ConfirmedAt == nil
		}
		if !waits(`{"kind":"plan","plan_id":1,"months":11,"size":1}`) { // 1.00 a month
			h.Error("a plan of 11.00 was given alone")
		}
		if !waits(`{"kind":"traffic","bytes":1099511627776,"size":1}`) {
			h.Error("a terabyte was given alone")
		}
		if waits(`{"kind":"plan","plan_id":1,"days":30,"size":5}`) {
			h.Error("five months of 1.00 wait")
		}
		if !waits(`{"kind":"plan","plan_id":1,"days":1,"size":6}`) {
			h.Error("days were counted as less than the month whose traffic they bring")
		}
		h.sound(h.T)
	})
}

func TestApprovals_WhoMadeOrApprovedKeys_CannotRedeemThem(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("10.00")
		ann, bob, cid := h.staff[account.Finance], h.staff[account.Admin], h.staff[account.Owner]
		alone := h.keys(ann, `{"kind":"amount","amount":"5.00","size":1}`)
		h.redeem(ann, 403, alone.key())
		large := h.keys(ann, `{"kind":"amount","amount":"50.00","size":1}`)
		h.ask(bob, 200, "POST", fmt.Sprintf("/api/v2/staff/cd-keys/%d/confirm", large.Batch.ID), "", nil)
		h.redeem(ann, 403, large.key())
		h.redeem(bob, 403, large.key())
		h.redeem(cid, 200, large.key())
		h.redeem(h.users[0], 200, alone.key())
		h.sound(h.T)
	})
}
