package app

import (
	"context"
	"fmt"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/shop"
)

// bytes returns what the user's packages have.
func (h *fixture) bytes(user testUser) (sum int64) {
	h.Helper()
	_, packages, err := h.Services.List(h.Context(), user.id)
	if err != nil {
		h.Fatal(err)
	}
	for _, p := range packages {
		sum += p.Bytes
	}
	return sum
}

func TestApprovals_TrafficGrantedByATokenOfStaff_CountsByItsWorth(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("10.00")
		ann, bob := h.staff[account.Admin], h.staff[account.Finance]
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE account SET telegram_id = 4000 + id`).Exec(ctx)
			return err
		}); err != nil {
			h.Fatal(err)
		}
		key, _, err := h.Accounts.APITokens.Create(h.Context(), ann.id, account.APITokenDraft{
			Name: "bot", Scopes: []account.Scope{account.ScopePartner, account.ScopeGrant},
		})
		if err != nil {
			h.Fatal(err)
		}
		grant := func(status int, to testUser, bytes int64) {
			h.Helper()
			h.ask(testUser{}, status, "GET",
				fmt.Sprintf("/v1/casino_function?sql_table=user&sql_table_telegram_id=%d&type_mode=add"+
					"&sql_table_add_transfer_enable=%d&api_key=%s", 4000+to.id, bytes, key), "", nil)
		}
		user := h.users[0]
		grant(403, user, gigabyte) // what has no price always waits
		if h.waits() != 1 || h.bytes(user) != 0 {
			h.Fatalf("%d wait, %d bytes", h.waits(), h.bytes(user))
		}
		h.decide(bob, 200, false)

		h.sells(h.T, shop.KindPackage, 300) // 100 gigabytes
		grant(200, user, 200*gigabyte)
		for range 2 {
			grant(403, user, 200*gigabyte)
		}
		if h.waits() != 1 || h.bytes(user) != 200*gigabyte {
			h.Fatalf("%d wait, %d bytes", h.waits(), h.bytes(user))
		}
		h.decide(ann, 403, true)
		h.decide(bob, 200, true)
		if h.bytes(user) != 400*gigabyte {
			h.Fatalf("%d bytes", h.bytes(user))
		}
		grant(403, ann, 1) // to the owner of the token
		h.sound(h.T)
	})
}

func TestApprovals_RefundsOfOrders_CountByWhatTheyGiveBack(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("30.00")
		ann, bob := h.staff[account.Admin], h.staff[account.Finance]
		price := h.sells(h.T, shop.KindPlan, 2000)
		order := func(who testUser) (no int64) {
			h.Helper()
			h.give(h.T, who.id, 2000)
			var made struct{ Order struct{ No int64 } }
			h.ask(who, 200, "POST", buy(price), "{}", &made)
			return made.Order.No
		}
		refund := func(as testUser, status int, no int64) {
			h.Helper()
			h.ask(as, status, "POST", fmt.Sprintf("/api/v2/staff/orders/%d/refund", no), `{"reason":"an outage"}`, nil)
		}
		refund(ann, 200, order(h.users[0])) // 20.00
		no := order(h.users[1])
		had := h.balance(h.T, h.users[1].id).Posted
		for range 2 {
			refund(ann, 403, no)
		}
		if got := h.balance(h.T, h.users[1].id).Posted; got != had || h.waits() != 1 {
			h.Fatalf("the wallet has %s, %d wait", got, h.waits())
		}
		refund(bob, 200, no) // the second member says the same
		if got := h.balance(h.T, h.users[1].id).Posted; got != had+2000 || h.waits() != 0 {
			h.Fatalf("the wallet has %s, %d wait", got, h.waits())
		}

		own := order(ann)
		refund(ann, 403, own)
		h.decide(bob, 200, true)
		refund(ann, 409, own)

		// A request stays open while its refund waits, and who withdraws it ends both.
		asked := order(h.users[2])
		var request struct{ ID int64 }
		ask := func() {
			h.Helper()
			h.ask(h.users[2], 200, "POST", fmt.Sprintf("/api/v2/user/orders/%d/refund-request", asked),
				`{"reason":"unused"}`, &request)
		}
		decide := func(as testUser, status int, grant bool) {
			h.Helper()
			h.ask(as, status, "POST", fmt.Sprintf("/api/v2/staff/refund-requests/%d/decision", request.ID),
				fmt.Sprintf(`{"grant":%v,"answer":"as you wish"}`, grant), nil)
		}
		ask()
		decide(ann, 403, true)
		h.ask(h.users[2], 200, "POST", fmt.Sprintf("/api/v2/user/refund-requests/%d/withdraw", request.ID), "", nil)
		if h.waits() != 0 {
			h.Fatal("the refund of a request that was withdrawn waits")
		}
		ask()
		decide(ann, 403, true)
		decide(bob, 200, false)
		if h.waits() != 0 {
			h.Fatal("the refund of a request that was declined waits")
		}
		ask()
		decide(ann, 403, true)
		h.decide(bob, 200, true)
		decide(bob, 409, true)
		h.sound(h.T)
	})
}

// What is bought after the first member's word is not given back by the second one's.
func TestApprovals_RefundOfAnOrderThatGrew_IsDecidedAnew(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("10.00")
		ann, bob := h.staff[account.Admin], h.staff[account.Finance]
		price, user := h.sells(h.T, shop.KindPlan, 2000), h.users[0]
		h.give(h.T, user.id, 6000)
		var made struct {
			Order struct {
				No        int64
				ServiceID int64 `json:"service_id"`
			}
		}
		h.ask(user, 200, "POST", buy(price), "{}", &made)
		h.ask(ann, 403, "POST", fmt.Sprintf("/api/v2/staff/orders/%d/refund", made.Order.No), `{"reason":"an outage"}`,
			nil)
		h.ask(user, 200, "POST", buy(price), fmt.Sprintf(`{"renew_service_id":%d}`, made.Order.ServiceID), nil)
		h.decide(bob, 409, true)
		h.decide(bob, 200, false)
		h.sound(h.T)
	})
}

// What a member gives while another gift to the user waits is refused, not dropped.
func TestApprovals_AnotherGiftWhileOneWaits_IsRefused(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		ann, user := h.staff[account.Admin], h.users[0]
		plan := h.planOf(h.sells(h.T, shop.KindPlan, 2000))
		give := func(status int, path, body, code string) {
			h.Helper()
			w := h.call(h.Context(), h.present(ann), "POST", fmt.Sprintf("/api/v2/staff/users/%d/%s", user.id, path), body)
			h.wantCode(w, status, code)
		}
		traffic := func(status int, gigabytes int64, code string) {
			h.Helper()
			give(status, "traffic-grants", fmt.Sprintf(`{"bytes":%d,"name":"gift","reason":"x"}`, gigabytes*gigabyte), code)
		}
		days := func(status, days int, code string) {
			h.Helper()
			give(status, "service-gifts", fmt.Sprintf(`{"kind":"start","plan_id":%d,"days":%d,"reason":"x"}`, plan, days), code)
		}
		traffic(403, 1, "second_member_needed")
		traffic(403, 1, "second_member_needed")
		traffic(409, 2, "gift_waits")
		days(403, 3, "second_member_needed")
		days(403, 3, "second_member_needed")
		days(409, 4, "gift_waits")
		if n := h.waits(); n != 2 {
			h.Errorf("%d acts wait", n)
		}
		h.decide(h.staff[account.Finance], 200, true)
		h.decide(h.staff[account.Finance], 200, true)
		traffic(403, 2, "second_member_needed")
		days(403, 4, "second_member_needed")
	})
}
