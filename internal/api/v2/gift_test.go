package v2_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

const (
	ann = firstStaff
	bob = firstStaff + 1
)

// refused makes a call that must fail with this status and code.
func (c *moneyServer) refused(
	t *testing.T, user int64, method, path, body string, status int, code string,
) moneyAnswer {
	t.Helper()
	a := c.call(t, user, method, path, body)
	if a.status != status || a.Code != code {
		t.Errorf("%s %s: %d %s, want %d %s", method, path, a.status, a.raw, status, code)
	}
	return a
}

func TestStaffMakesKeysAndUsersRedeemThem(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1, 2)
		made := c.ok(t, ann, "POST", "/api/v2/staff/cd-keys",
			`{"name":"spring","kind":"amount","amount":"10.00","size":3,"per_user":2}`)
		lines := strings.Split(strings.TrimSpace(made["csv"].(string)), "\n")
		if len(lines) != 4 || lines[0] != "cd_key,gives,expires_at" || !strings.HasSuffix(lines[1], ",10.00,") {
			t.Fatalf("%q", lines)
		}
		var keys []string
		for _, line := range lines[1:] {
			keys = append(keys, line[:strings.Index(line, ",")])
		}
		batch := made["batch"].(map[string]any)
		if batch["max_uses"] != 1.0 || batch["made_by"] != float64(ann) || batch["confirmed_at"] == nil ||
			batch["amount"] != "10.00" {
			t.Fatalf("%v", batch)
		}

		got := c.ok(t, 1, "POST", "/api/v2/user/wallet/cd-key/"+strings.ToLower(keys[0]), "", "Idempotency-Key", "a")
		if got["kind"] != "amount" || got["amount"] != "10.00" || got["cd_key"] != keys[0][:5] {
			t.Fatalf("%v", got)
		}
		if again := c.ok(t, 1, "POST", "/api/v2/user/wallet/cd-key/"+strings.ToLower(keys[0]), "", "Idempotency-Key",
			"a"); again["no"] != got["no"] {
			t.Errorf("a repeated request: %v", again)
		}
		used := c.refused(t, 2, "POST", "/api/v2/user/wallet/cd-key/"+keys[0], "", http.StatusNotFound,
			"cd_key_invalid")
		none := c.refused(t, 2, "POST", "/api/v2/user/wallet/cd-key/00000-00000-00000-00000", "", http.StatusNotFound,
			"cd_key_invalid")
		if used.Msg != none.Msg {
			t.Errorf("%q tells a used key from %q", used.Msg, none.Msg)
		}
		c.refused(t, 1, "POST", "/api/v2/user/wallet/cd-key/"+keys[0], "", http.StatusConflict, "cd_key_redeemed")
		c.refused(t, 1, "POST", "/api/v2/user/wallet/cd-key/short", "", http.StatusUnprocessableEntity, "invalid_input")

		for _, path := range []string{"/api/v2/user/wallet/cd-key", "/api/v2/user/wallet/cd-key/cd-key/"} {
			list := c.ok(t, 1, "GET", path, "")
			if records := list["records"].([]any); list["total_count"] != 1.0 || len(records) != 1 {
				t.Errorf("%s: %v", path, list)
			}
		}
		movements := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements", "")["movements"].([]any)
		if first := movements[0].(map[string]any); first["reason"] != "cd_key" ||
			first["text"] != "Cd-key · "+keys[0][:5] || first["balance_after"] != "10.00" {
			t.Errorf("%v", first)
		}

		no := fmt.Sprint(batch["id"])
		c.ok(t, ann, "POST", "/api/v2/staff/cd-keys/"+no+"/void", "")
		c.refused(t, 1, "POST", "/api/v2/user/wallet/cd-key/"+keys[1], "", http.StatusNotFound, "cd_key_invalid")
		shown := c.call(t, ann, "GET", "/api/v2/staff/cd-keys/"+no, "").raw
		if part := c.ok(t, ann, "GET", "/api/v2/staff/cd-keys/"+no+"?limit=2&offset=2",
			"")["keys"].([]any); len(part) != 1 {
			t.Errorf("a part of the keys: %v", part)
		}
		list := c.call(t, ann, "GET", "/api/v2/staff/cd-keys", "").raw
		if slices.ContainsFunc(keys, func(key string) bool {
			return strings.Contains(shown+list, key) || strings.Contains(shown+list, strings.ReplaceAll(key, "-", ""))
		}) || !strings.Contains(shown, keys[0][:5]) {
			t.Error("the keys can be read again: ", shown)
		}
		for _, path := range []string{
			"/api/v2/staff/cd-keys", "/api/v2/staff/coupons",
			"/api/v2/staff/wallet-adjustments",
		} {
			c.refused(t, 1, "GET", path, "", http.StatusForbidden, "not_allowed")
			c.refused(t, 1, "POST", path, "{}", http.StatusForbidden, "not_allowed")
		}
	})
}

func TestABatchWorthMuchWaitsForASecondMember(t *testing.T) {
	d := dbtest.SQLite(t)
	c := newMoneyServer(t, d, 1)
	made := c.ok(t, ann, "POST", "/api/v2/staff/cd-keys", `{"kind":"amount","amount":1000.01,"size":1}`)
	key := strings.Split(made["csv"].(string), "\n")[1][:23]
	path := "/api/v2/staff/cd-keys/" + fmt.Sprint(made["batch"].(map[string]any)["id"]) + "/confirm"
	c.refused(t, 1, "POST", "/api/v2/user/wallet/cd-key/"+key, "", http.StatusNotFound, "cd_key_invalid")
	c.refused(t, ann, "POST", path, "", http.StatusForbidden, "second_member_needed")
	c.ok(t, bob, "POST", path, "")
	c.ok(t, 1, "POST", "/api/v2/user/wallet/cd-key/"+key, "")
}

func TestACouponOnTheWire(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1, 2)
		price := fmt.Sprint(c.plan(t)) // of 19.90
		coupon := c.ok(t, ann, "POST", "/api/v2/staff/coupons", `{"code":"spring","percent":50,"per_user":1,"total":1}`)
		if coupon["code"] != "SPRING" || coupon["percent"] != 50.0 || coupon["taken"] != 0.0 || coupon["plans"] == nil {
			t.Fatalf("%v", coupon)
		}
		q := c.ok(t, 1, "POST", "/api/v2/user/shop-old/"+price+"/pre-order", `{"coupon":"Spring"}`)
		if q["price"] != "19.90" || q["discount"] != "9.95" || q["amount"] != "9.95" || q["missing"] != "9.95" {
			t.Fatalf("%v", q)
		}
		o := c.ok(t, 1, "POST", "/api/v2/user/shop-old/"+price+"/confirm-order",
			`{"coupon":"spring","gateway":"sandbox"}`)
		order := o["order"].(map[string]any)
		if order["discount"] != "9.95" || order["amount"] != "9.95" || order["state"] != "pending" {
			t.Fatalf("%v", order)
		}
		a := c.refused(t, 2, "POST", "/api/v2/user/shop-old/"+price+"/pre-order", `{"coupon":"spring"}`,
			http.StatusUnprocessableEntity, "invalid_input")
		if len(a.Errors) != 1 || a.Errors[0].Field != "coupon" || a.Errors[0].Code != "used_up" {
			t.Fatalf("%s", a.raw)
		}
		c.pay(t, o["recharge"].(map[string]any))
		order = c.ok(t, 1, "GET", "/api/v2/user/orders/"+fmt.Sprint(order["no"]), "")["order"].(map[string]any)
		if order["state"] != "paid" || order["discount"] != "9.95" {
			t.Fatalf("%v", order)
		}
		path := "/api/v2/staff/coupons/" + fmt.Sprint(coupon["id"])
		c.refused(t, 1, "PATCH", path, `{"total":5}`, http.StatusForbidden, "not_allowed")
		for _, wrong := range []string{
			`{"total":-1}`, `{"valid_to":"soon"}`, `{"percent":90}`, `{"code":"OTHER"}`,
			`{"minimum":"much"}`,
		} {
			c.refused(t, ann, "PATCH", path, wrong, http.StatusUnprocessableEntity, "invalid_input")
		}
		changed := c.ok(t, ann, "PATCH", path,
			`{"total":5,"per_user":2,"valid_to":"2099-12-31T16:00:00Z","months":[1,3],"minimum":"5.00"}`)
		if changed["total"] != 5.0 || changed["per_user"] != 2.0 || changed["valid_to"] != "2099-12-31T16:00:00Z" ||
			changed["minimum"] != "5.00" || changed["percent"] != 50.0 {
			t.Fatalf("%v", changed)
		}
		c.ok(t, ann, "PATCH", path, `{"valid_to":"","months":[],"enabled":false}`)
		list := c.ok(t, ann, "GET", "/api/v2/staff/coupons", "")["coupons"].([]any)
		if first := list[0].(map[string]any); first["taken"] != 1.0 || first["enabled"] != false ||
			first["valid_to"] != nil || len(first["months"].([]any)) != 0 || first["per_user"] != 2.0 {
			t.Fatalf("%v", first)
		}
	})
}

func TestAnAdjustmentOnTheWire(t *testing.T) {
	d := dbtest.SQLite(t)
	c := newMoneyServer(t, d, 1)
	body := `{"user_id":1,"amount":"5.00","reason":"an outage"}`
	for range 2 {
		if a := c.ok(t, ann, "POST", "/api/v2/staff/wallet-adjustments", body, "Idempotency-Key",
			"x"); a["state"] != "posted" || a["made_by"] != float64(ann) {
			t.Fatalf("%v", a)
		}
	}
	if b := c.ok(t, 1, "GET", "/api/v2/user/wallet", ""); b["wallet_balance"] != "5.00" {
		t.Fatalf("%v", b)
	}
	if m := c.ok(t, 1, "GET", "/api/v2/user/wallet/movements",
		"")["movements"].([]any)[0].(map[string]any); m["text"] != "Adjustment by staff · an outage" {
		t.Fatalf("%v", m)
	}
	big := c.ok(t, ann, "POST", "/api/v2/staff/wallet-adjustments",
		`{"user_id":1,"amount":"5000","reason":"a lost payment"}`)
	path := "/api/v2/staff/wallet-adjustments/" + fmt.Sprint(big["id"])
	c.refused(t, ann, "POST", path+"/confirm", "", http.StatusForbidden, "second_member_needed")
	if waiting := c.ok(t, bob, "GET", "/api/v2/staff/wallet-adjustments?state=pending&user_id=1",
		""); waiting["total_count"] != 1.0 {
		t.Fatalf("%v", waiting)
	}
	if a := c.ok(t, bob, "POST", path+"/confirm", ""); a["state"] != "posted" || a["decided_by"] != float64(bob) {
		t.Fatalf("%v", a)
	}
	c.refused(t, bob, "POST", path+"/decline", "", http.StatusConflict, "adjustment_decided")
}

func TestCommissionOnTheWire(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newMoneyServer(t, d, 1, 2)
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			if err := nameAccount(ctx, tx, 1, nil); err != nil {
				return err
			}
			return nameAccount(ctx, tx, 2, new(int64(1)))
		}); err != nil {
			t.Fatal(err)
		}
		price := fmt.Sprint(c.plan(t)) // of 19.90
		c.pay(t, c.ok(t, 2, "POST", "/api/v2/user/shop-old/"+price+"/confirm-order",
			`{"gateway":"sandbox"}`)["recharge"].(map[string]any))
		got := c.ok(t, 1, "GET", "/api/v2/user/invite", "")
		people := got["invited_users"].([]any)
		if got["invite_code"] != "CODE1" ||
			got["invite_link"] != "http://shop.example/auth/sign-up?invite_code=CODE1" || got["total_invites"] != 1.0 ||
			got["total_commission"] != "1.99" || got["commission_rate"] != "0.10" || got["pending"] != "1.99" ||
			got["released"] != "0.00" || len(people) != 1 {
			t.Fatalf("%v", got)
		}
		if p := people[0].(map[string]any); p["username"] != "U2" || p["commission_earned"] != "1.99" ||
			p["status"] != "paid" {
			t.Fatalf("%v", p)
		}
		if r := c.ok(t, 1, "GET", "/api/v2/user/invite/record", ""); r["total_count"] != 1.0 {
			t.Fatalf("%v", r)
		}
		list := c.ok(t, 1, "GET", "/api/v2/user/invite/commissions", "")["commissions"].([]any)
		if first := list[0].(map[string]any); len(list) != 1 || first["amount"] != "1.99" ||
			first["state"] != "pending" || first["username"] != "U2" {
			t.Fatalf("%v", list)
		}
		if others := c.ok(t, 2, "GET", "/api/v2/user/invite/commissions", ""); others["total_count"] != 0.0 {
			t.Fatalf("%v", others)
		}
		all := c.ok(t, ann, "GET", "/api/v2/staff/commissions", "")["commissions"].([]any)
		if len(all) != 1 || all[0].(map[string]any)["amount"] != "1.99" ||
			all[0].(map[string]any)["inviter_id"] != 1.0 ||
			all[0].(map[string]any)["inviter"].(map[string]any)["email"] != "u1@example.com" {
			t.Fatalf("staff reads %v", all)
		}
		if rest := c.ok(t, ann, "GET", "/api/v2/staff/commissions?offset=1",
			""); len(rest["commissions"].([]any)) != 0 {
			t.Fatalf("behind the first there are %v", rest)
		}
		if b := c.ok(t, 1, "GET", "/api/v2/user/wallet", ""); b["invite_balance"] != "0.00" ||
			b["invite_pending"] != "1.99" {
			t.Fatalf("%v", b)
		}
		c.refused(t, 1, "POST", "/api/v2/user/invite/withdraw", `{"amount":"1.00"}`, http.StatusConflict,
			"commission_too_low")
	})
}

// nameAccount gives an account a name, an address and an invite code of its number, and its inviter.
func nameAccount(ctx context.Context, tx bun.Tx, id int64, by *int64) error {
	_, err := tx.NewRaw(`UPDATE account SET email = ?, name = ?, invite_code = ?, invited_by = ? WHERE id = ?`,
		fmt.Sprintf("u%d@example.com", id), fmt.Sprintf("U%d", id), fmt.Sprintf("CODE%d", id), by, id).Exec(ctx)
	return err
}
