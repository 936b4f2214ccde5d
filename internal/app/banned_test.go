package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	"airstrip/internal/cdkey"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shareaccount"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
	"airstrip/internal/webpush/webpushtest"
)

// openToBanned names the operations with which users change something, and which a banned user may go on using: what is
// theirs stays theirs, but nothing is sold or given to them. Each one that is not here must be tried below.
var openToBanned = map[string]bool{
	"auth_sign_out": true, "account_change_password": true, "account_close": true, "account_edit_email": true,
	"account_edit_email_request_code": true, "account_edit_password": true, "account_edit_profile": true,
	"account_unlink_telegram":     true,
	"account_link_telegram_begin": true, "account_passkey_begin": true, "account_passkey_finish": true,
	"account_passkey_remove": true,
	"account_passkey_rename": true, "account_security_set": true, "account_sessions_end_others": true,
	"account_session_end":      true,
	"account_two_factor_begin": true, "account_recovery_codes_renew": true, "api_token_create": true,
	"account_step_up": true, "account_step_up_request_code": true, // proof for the operations above
	"api_token_revoke":   true,
	"invite_withdraw":    true,                             // into their own wallet
	"invite_code_change": true, "invite_code_remove": true, // nobody signs up with a banned user's codes
	"invite_payout_ask": true, "invite_payout_withdraw": true, // staff decides
	"order_cancel": true, "order_refund_request": true, "refund_request_withdraw": true,
	"link_token_reset": true, "ss_password_reset": true,
	"service_auto_renew": true, // takes nothing before the ban is over
	"shop_pre_order":     true, // tells a price
	"recharge_get":       true, // shows one that was begun
	"recharge_cancel":    true,
	// to ask about the ban
	"ticket_open": true, "ticket_message_send": true, "ticket_message_send_old": true, "ticket_status_set": true,
	"ticket_read":              true,
	"ticket_attachment_upload": true, "ticket_attachment_remove": true,
	"notices_set": true, "notices_test": true, "push_unsubscribe": true,
	"announcements_mark_read": true,

	"POST /v1/user/password": true, "POST /v1/user/sspwd": true, "POST /v1/user/gaset": true,
	"POST /v1/user/gacheck": true,
	"POST /v1/user/buy_pre": true, "POST /v1/user/ticket": true,
}

// changes returns the operations with which users change something, of v2 by the contract and of v1 by the router.
func (f *testServer) changes() (ids []string) {
	for _, item := range f.api(http.NewServeMux()).Paths {
		for _, o := range []*huma.Operation{item.Post, item.Put, item.Delete, item.Patch} {
			if o != nil && len(o.Tags) == 1 && o.Tags[0] == "user" {
				ids = append(ids, o.OperationID)
			}
		}
	}
	for _, r := range f.legacy(http.NewServeMux()).Routes() {
		if strings.HasPrefix(r.Pattern, "POST /v1/user/") {
			ids = append(ids, r.Pattern)
		}
	}
	return ids
}

func TestBanned_EachOperationThatTakesMoneyOrGives_RefusesABannedUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		plan, other, pack := h.sells(h.T, shop.KindPlan, 100), h.sells(h.T, shop.KindPlan, 300),
			h.sells(h.T, shop.KindPackage, 100)
		if err := h.Settings.Set(h.Context(), map[string]json.RawMessage{
			"invite_price": json.RawMessage(`"1.00"`), "invite_quota": json.RawMessage(`1`),
		}); err != nil {
			h.Fatal(err)
		}
		user := h.addUser(h.T, "banned", 5000)
		h.names[user.id], h.since[user.id] = "banned", signedIn{user.bearer, h.now}
		h.ask(user, 200, "POST", buy(plan), "{}", nil)
		services, _, err := h.Services.List(h.Context(), user.id)
		if err != nil || len(services) != 1 {
			h.Fatal(services, err)
		}
		_, keys, err := h.CDKeys.Make(h.Context(), cdkey.Batch{Name: "test", Gift: cdkey.Gift{
			Kind:   cdkey.Amount,
			Amount: 100,
		}, Size: 4, MaxUses: 1}, nil)
		if err != nil {
			h.Fatal(err)
		}
		shared, err := h.Shares.Add(h.Context(), shareaccount.Draft{Name: "Netflix", Enabled: true},
			shareaccount.NewSecret{Password: "secret", TOTP: new("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")})
		if err != nil {
			h.Fatal(err)
		}
		browser := webpushtest.New(h.T, h.DB.Now).Subscribe("push.example.com", "")
		sharePath := fmt.Sprintf("/api/v2/user/services/share-account/%d", shared.ID)
		type try struct{ path, body string }
		v1 := func(path, form string) []try { return []try{{path + "?" + form, ""}} }
		tries := map[string][]try{
			"shop_confirm_order": {
				{buy(other), "{}"},
				{buy(pack), "{}"},
				{buy(plan), fmt.Sprintf(`{"renew_service_id":%d}`, services[0].ID)},
				{buy(other), fmt.Sprintf(`{"change_service_id":%d}`, services[0].ID)},
				{buy(h.sells(h.T, shop.KindPlan, 90000)), `{"gateway":"` + sandbox.Name + `"}`},
			},
			"share_account_secret": {{sharePath + "/secret", ""}},
			"share_account_code":   {{sharePath + "/code", ""}},
			"recharge_create": {{"/api/v2/user/wallet/recharge", `{"amount":"20.00","gateway":"` + sandbox.Name +
				`"}`}},
			"cd_key_redeem":   {{"/api/v2/user/wallet/cd-key/" + keys[0], ""}},
			"invite_buy":      {{"/api/v2/user/invite/buy", `{"count":1}`}},
			"invite_code_add": {{"/api/v2/user/invite/codes", `{"code":"mine-42"}`}},
			"push_subscribe":  {{"/api/v2/user/account/push", browser.JSON()}},
			"checkin_post":    {{"/api/v2/user/services-old/checkin", ""}},

			"POST /v1/user/buy":                    v1("/v1/user/buy", fmt.Sprintf("shop=%d", other)),
			"POST /v1/user/shop/buytrafficpackage": v1("/v1/user/shop/buytrafficpackage", fmt.Sprintf("shop=%d", pack)),
			"POST /v1/user/payment/purchase":       v1("/v1/user/payment/purchase", "price=20&type="+sandbox.Name),
			"POST /v1/user/buy_invite":             v1("/v1/user/buy_invite", "num=1"),
			"POST /v1/user/checkin":                v1("/v1/user/checkin", ""),
		}
		ban, err := h.Accounts.Bans.Ban(h.Context(), account.BanTask{AccountID: user.id, Reason: "abuse"},
			account.Identity{})
		if err != nil {
			h.Fatal(err)
		}
		for _, id := range h.changes() {
			if openToBanned[id] == (tries[id] != nil) {
				h.Errorf("%s is to be either tried or open to banned users", id)
			}
			for _, a := range tries[id] {
				w := h.call(h.Context(), user, "POST", a.path, a.body)
				if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "account_banned") {
					h.Errorf("%s %s answers a banned user %d %s", a.path, a.body, w.Code, w.Body)
				}
			}
		}
		if b := h.balance(h.T, user.id); b.Posted != 4900 || b.Held != 0 {
			h.Errorf("the banned user has %+v", b)
		}
		h.ask(user, 200, "POST", fmt.Sprintf("/api/v2/user/shop-old/%d/pre-order", other), "{}", nil)

		if _, err := h.Accounts.Bans.Unban(h.Context(), ban.AccountID, account.Identity{}); err != nil {
			h.Fatal(err)
		}
		for id, all := range tries { // each of them works for anybody else
			for _, a := range all {
				h.give(h.T, user.id, 500)            // also where an order holds all that there is
				if strings.Contains(id, "checkin") { // the other generation's call has taken the day
					h.now = h.now.AddDate(0, 0, 1)
				}
				if w := h.call(h.Context(), h.present(user), "POST", a.path, a.body); w.Code != http.StatusOK {
					h.Errorf("%s: %s %s answers %d %s after the ban", id, a.path, a.body, w.Code, w.Body)
				}
			}
		}
		h.sound(h.T)
	})
}

func TestBanned_PaymentOfAnOrderFromBefore_StaysInTheWallet(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.addUser(h.T, "banned", 400)
		no, err := h.Payments.Confirm(h.Context(), user.id, shop.Purchase{PriceID: h.sells(h.T, shop.KindPlan, 2000)},
			sandbox.Name)
		if err != nil {
			h.Fatal(err)
		}
		o, err := h.Shop.Order(h.Context(), user.id, strconv.FormatInt(no, 10))
		if err != nil {
			h.Fatal(err)
		}
		ofOrder, err := h.Payments.Show(h.Context(), user.id, strconv.FormatInt(*o.RechargeID, 10))
		if err != nil {
			h.Fatal(err)
		}
		alone := h.recharge(h.T, user.id, 3000)
		h.now = h.now.Add(time.Minute)
		if _, err := h.Accounts.Bans.Ban(h.Context(), account.BanTask{AccountID: user.id, Reason: "abuse"},
			account.Identity{}); err != nil {
			h.Fatal(err)
		}
		for _, r := range []*wallet.Recharge{ofOrder, alone} {
			if err := h.sandbox.Close(h.Context(), r.TradeNo, true); err != nil {
				h.Fatal(err)
			}
			if w := h.notify(h.Context(), sandbox.Name, h.signed(notice(r))); w.Code != http.StatusOK {
				h.Fatalf("the payment is answered with %d %s", w.Code, w.Body)
			}
		}
		o, err = h.Shop.Order(h.Context(), user.id, strconv.FormatInt(no, 10))
		if err != nil || o.State != shop.Cancelled || o.Service != nil {
			h.Errorf("the order is %+v, %v", o, err)
		}
		if b := h.balance(h.T, user.id); b.Posted != 400+ofOrder.Amount+alone.Amount || b.Held != 0 {
			h.Errorf("the user has %+v", b)
		}
		h.sound(h.T)
	})
}

// Who is banned is told no role, as they have none of its permissions; with the end of the ban it is back.
func TestBanned_StaffAreToldNoRole(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(h *fixture) {
		viewer := h.staff[account.Viewer]
		told := func() (role string) {
			var me struct {
				StaffRole string `json:"staff_role"`
			}
			h.ask(viewer, 200, "GET", "/api/v2/user/get_me", "", &me)
			return me.StaffRole
		}
		if role := told(); role != "viewer" {
			h.Errorf("the role is %q", role)
		}
		_, err := h.Accounts.Bans.Ban(h.Context(), account.BanTask{AccountID: viewer.id}, account.Identity{})
		if err != nil {
			h.Fatal(err)
		}
		if role := told(); role != "" {
			h.Errorf("while banned the role is %q", role)
		}
		if _, err := h.Accounts.Bans.Unban(h.Context(), viewer.id, account.Identity{}); err != nil {
			h.Fatal(err)
		}
		if role := told(); role != "viewer" {
			h.Errorf("after the ban the role is %q", role)
		}
	})
}
