package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/cdkey"
	"airstrip/internal/idempotency"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/ticket"
	"airstrip/internal/wallet"
	"airstrip/internal/webpush/webpushtest"
)

// refusedBefore are the operations with which users change something and which refuse a closed account for another
// reason before they would write anything, or that only show something.
var refusedBefore = map[string]string{
	"account_link_telegram_begin":  "the bot is off here",
	"account_passkey_finish":       "it was begun by nobody",
	"account_recovery_codes_renew": "the second factor went with the account",
	"POST /v1/user/gacheck":        "the second factor went with the account",
	"POST /v1/user/gaset":          "the second factor went with the account",
	"service_auto_renew":           "the service ended with the account",
	"DELETE /v1/user/bought":       "the service ended with the account",
	"order_refund_request":         "nothing of the order can be refunded any more",
	"ticket_read":                  "the ticket went with the account",
	"recharge_get":                 "it shows a recharge",
	"shop_pre_order":               "it shows a price",
	"POST /v1/user/buy_pre":        "it shows a price",
}

// closes closes an account as staff does, and gives its user a session again, as a call has that was admitted just
// before the closing and goes on after it.
func (h *fixture) closes(u testUser, email string) {
	h.Helper()
	h.write(`CREATE TABLE kept_session AS SELECT * FROM session WHERE account_id = ?`, u.id)
	h.write(`CREATE TABLE kept_pair AS SELECT * FROM token_pair WHERE session_id IN (SELECT id FROM kept_session)`)
	h.ask(h.staff[account.Admin], 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", u.id),
		fmt.Sprintf(`{"email":%q,"forfeit":%q,"reason":"x"}`, email, h.balance(h.T, u.id).Posted), nil)
	h.write(`INSERT INTO session SELECT * FROM kept_session`)
	h.write(`INSERT INTO token_pair SELECT * FROM kept_pair`)
	h.write(`DROP TABLE kept_pair`)
	h.write(`DROP TABLE kept_session`)
}

// An operation that users have may be admitted just before the account is closed and go on after it. None of them
// writes anything then, whichever it is and whatever it writes.
func TestClosed_CallThatWasAdmittedBefore_WritesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if err := h.Settings.Set(h.Context(), settings(`{"invite_price":"1.00","invite_quota":1,"payout_min":"0.10"}`)); err != nil {
			h.Fatal(err)
		}
		plan, pack, u := h.sells(h.T, shop.KindPlan, 100), h.sells(h.T, shop.KindPackage, 100),
			h.addUser(h.T, "leaving", 5000)
		var bought struct{ Order struct{ No int64 } }
		h.ask(u, 200, "POST", buy(plan), "{}", &bought)
		recharge := h.recharge(h.T, u.id, 2000)
		_, keys, err := h.CDKeys.Make(h.Context(), cdkey.Batch{
			Name: "test", Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: 100}, Size: 1, MaxUses: 1,
		}, nil)
		if err != nil {
			h.Fatal(err)
		}
		h.announce(`{"title":"all"}`)
		service, order := h.serviceOf(u.id), fmt.Sprintf("/api/v2/user/orders/%d/", bought.Order.No)
		browser := webpushtest.New(h.T, h.DB.Now).Subscribe("push.example.com", "").JSON()
		h.closes(u, "leaving@example.com")
		if again, err := h.Payments.Show(h.Context(), u.id, recharge.UUID.String()); err != nil ||
			again.State != "expired" {
			h.Errorf("the recharge of a closed account is %+v, %v", again, err)
		}

		const password = `"password":"a long enough password"`
		const newPassword = `{"current_password":"a long enough password","new_password":"another long password"}`
		const user = "/api/v2/user/"
		inputs := map[string][2]string{ // path, where it needs one, and body
			"account_change_password": {"", newPassword},
			"account_close": {"", fmt.Sprintf(`{"email":"closed-%d@invalid","forfeit":%q,%s}`, u.id,
				h.balance(h.T, u.id).Posted, password)},
			"account_edit_email": {
				"", `{"email":"new@example.com","email_code":"123456","current_email_code":"123456"}`,
			},
			"account_edit_email_request_code": {
				"", `{"email":"new@example.com","current_password":"a long enough password"}`,
			},
			"account_edit_password":        {"", newPassword},
			"account_edit_profile":         {"", `{"user_name":"New"}`},
			"account_link_telegram_begin":  {"", `{` + password + `}`},
			"account_passkey_begin":        {"", `{"name":"phone",` + password + `}`},
			"account_passkey_finish":       {"", `{"credential":{}}`},
			"account_passkey_remove":       {"", ""},
			"account_passkey_rename":       {"", `{"name":"phone"}`},
			"account_recovery_codes_renew": {"", `{"ga_token":"123456",` + password + `}`},
			"account_security_set":         {"", `{"email_notification":true}`},
			"account_session_end":          {user + "account/sessions/" + uuid.NewString(), ""},
			"account_sessions_end_others":  {"", ""},
			"account_step_up":              {"", `{` + password + `}`},
			"account_step_up_request_code": {"", ""},
			"account_two_factor_begin":     {"", `{` + password + `}`},
			"account_unlink_telegram":      {"", ""},
			"announcements_mark_read":      {"", `{}`},
			"api_token_create":             {"", `{"name":"script","scopes":["read"],` + password + `}`},
			"api_token_revoke":             {"", ""},
			"auth_sign_out":                {"", ""},
			"cd_key_redeem":                {user + "wallet/cd-key/" + keys[0], ""},
			"checkin_post":                 {"", ""},
			"invite_buy":                   {"", `{"count":1}`},
			"invite_code_add":              {"", `{"code":"mine-42"}`},
			"invite_code_change":           {user + "invite/codes/mine-42", `{"label":"x"}`},
			"invite_code_remove":           {user + "invite/codes/mine-42", ""},
			"invite_payout_ask":            {"", `{"amount":"1.00","method":"bank","account":"me"}`},
			"invite_payout_withdraw":       {"", ""},
			"invite_withdraw":              {"", `{"amount":"1.00"}`},
			"link_token_reset":             {"", ""},
			"notices_set":                  {"", `{"choices":[{"event":"announcement","channel":"mail","is_wanted":false}]}`},
			"notices_test":                 {"", `{"channel":"mail"}`},
			"order_cancel":                 {order + "cancel", ""},
			"order_refund_request":         {order + "refund-request", `{"reason":"slow"}`},
			"push_subscribe":               {"", browser},
			"push_unsubscribe":             {"", ""},
			"recharge_cancel":              {user + "wallet/recharge/" + recharge.UUID.String() + "/cancel", ""},
			"recharge_create":              {"", `{"amount":"20.00","gateway":"` + sandbox.Name + `"}`},
			"refund_request_withdraw":      {"", ""},
			"service_auto_renew":           {fmt.Sprintf("/api/v2/user/services/%d/auto-renew", service), `{"auto_renew":true}`},
			"share_account_code":           {"", ""},
			"share_account_secret":         {"", ""},
			"shop_confirm_order":           {buy(plan), "{}"},
			"ss_password_reset":            {"", ""},
			"ticket_attachment_remove":     {uploadPath + uuid.NewString(), ""},
			"ticket_attachment_upload":     {uploadPath + uuid.NewString() + "?name=a.txt", "some text"},
			"ticket_message_send":          {"", `{"content":"hello"}`},
			"ticket_message_send_old":      {"", `{"content":"hello"}`},
			"ticket_open":                  {"", `{"title":"Hello","content":"Hello"}`},
			"ticket_read":                  {"", `{"up_to":1}`},
			"ticket_status_set":            {"", `{"status":"closed"}`},

			"DELETE /v1/user/bought":   {fmt.Sprintf("/v1/user/bought?id=%d", service), ""},
			"GET /v1/user/url_reset":   {"/v1/user/url_reset", ""},
			"POST /v1/user/buy":        {fmt.Sprintf("/v1/user/buy?shop=%d", plan), ""},
			"POST /v1/user/buy_invite": {"/v1/user/buy_invite?num=1", ""},
			"POST /v1/user/checkin":    {"/v1/user/checkin", ""},
			"POST /v1/user/gacheck":    {"/v1/user/gacheck?code=123456", ""},
			"POST /v1/user/gaset":      {"/v1/user/gaset?enable=0", ""},
			"POST /v1/user/password": {
				"/v1/user/password?oldpwd=a+long+enough+password&pwd=another+long+one&repwd=another+long+one", "",
			},
			"POST /v1/user/payment/purchase": {
				"/v1/user/payment/purchase?price=20&type=" + sandbox.Name, "",
			},
			"POST /v1/user/shop/buytrafficpackage": {
				fmt.Sprintf("/v1/user/shop/buytrafficpackage?shop=%d", pack), "",
			},
			"POST /v1/user/sspwd":             {"/v1/user/sspwd", ""},
			"POST /v1/user/ticket":            {"/v1/user/ticket?title=Hello&content=Hello", ""},
			"PUT /v1/user/ticket/{ticket_id}": {"/v1/user/ticket/1?content=Hello", ""},
		}
		before := h.rows(h.T)
		for _, r := range userRoutes(h.App) {
			if r.id == "user_events" || strings.HasSuffix(r.path, "/changes") || strings.HasSuffix(r.path, "/events") {
				continue // a stream
			}
			in, known := inputs[r.id]
			path, media := in[0], "application/json"
			if path == "" {
				path = r.filled()
			}
			if r.id == "ticket_attachment_upload" {
				media = "application/octet-stream"
			}
			w := h.callAs(h.Context(), u, r.method, path, media, in[1])
			after := h.rows(h.T)
			if !maps.Equal(before, after) {
				h.Errorf("%s answers %d and changes %s", r.id, w.Code, changed(before, after))
			}
			before = after
			isRefused := w.Code == http.StatusConflict && strings.Contains(w.Body.String(), `"account_closed"`)
			_, earlier := refusedBefore[r.id]
			switch {
			case w.Code == http.StatusUnauthorized || w.Code >= 500 && !earlier:
				h.Errorf("%s answers %d %s: the call is to be admitted", r.id, w.Code, w.Body)
			case known && !earlier && !isRefused:
				h.Errorf("%s answers a closed account %d %s, want account_closed", r.id, w.Code, w.Body)
			case r.method != http.MethodGet && !known && !earlier:
				h.Errorf("%s (%d %s) is to have its input above, or to be named in refusedBefore", r.id, w.Code, w.Body)
			}
		}
		h.sound(h.T)
	})
}

// What is asked for beside the closing of an account, or its merge into another one, is done before and ended or moved
// by it, or is refused: nothing of a closed account stays.
func TestClosed_CallsBesideTheClosing_LeaveNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		admin, kept := h.present(h.staff[account.Admin]), h.users[0]
		for i := range size(6, 200) {
			name := fmt.Sprintf("leaving%d", i)
			u := h.addUser(h.T, name, 0)
			closing, body := fmt.Sprintf("/api/v2/staff/users/%d/close", u.id),
				fmt.Sprintf(`{"email":"%s@example.com","forfeit":"0.00","reason":"x"}`, name)
			if i%2 == 1 {
				closing, body = mergeOf(u), mergeBody(kept, name)
			}
			browser := webpushtest.New(h.T, h.DB.Now).Subscribe("push.example.com", "").JSON()
			var wg sync.WaitGroup
			for _, one := range [][2]string{
				{"/api/v2/user/tickets-v2", `{"title":"Hello","content":"Hello"}`},
				{"/api/v2/user/invite/codes", fmt.Sprintf(`{"code":"mine-%d"}`, i)},
				{"/api/v2/user/wallet/recharge", `{"amount":"20.00","gateway":"` + sandbox.Name + `"}`},
				{"/api/v2/user/account/push", browser},
			} {
				wg.Go(func() {
					w := h.call(h.Context(), u, "POST", one[0], one[1])
					if w.Code != 200 && w.Code != 401 && !strings.Contains(w.Body.String(), `"account_closed"`) {
						h.Errorf("%s answers %d %s", one[0], w.Code, w.Body)
					}
				})
			}
			wg.Go(func() {
				if w := h.call(h.Context(), admin, "POST", closing, body); w.Code != 200 && w.Code != 409 {
					h.Errorf("%s answers %d %s", closing, w.Code, w.Body)
				}
			})
			wg.Wait()
		}
		for what, query := range map[string]string{
			"a ticket":            `SELECT COUNT(*) FROM ticket WHERE user_id IN (?)`,
			"an open invite code": `SELECT COUNT(*) FROM invite_code WHERE disabled_at IS NULL AND user_id IN (?)`,
			"a pending recharge":  `SELECT COUNT(*) FROM recharge WHERE state = 'pending' AND user_id IN (?)`,
			"a push subscription": `SELECT COUNT(*) FROM push_subscription WHERE user_id IN (?)`,
		} {
			var found int
			if err := h.DB.NewRaw(query, h.DB.NewRaw(`SELECT id FROM account WHERE closed_at IS NOT NULL`)).
				Scan(h.Context(), &found); err != nil {
				h.Fatal(err)
			}
			if found > 0 {
				h.Errorf("%s of a closed account stays, %d times", what, found)
			}
		}
		h.sound(h.T)
	})
}

// A ticket may be deleted by the closing of its account before the call that opened it is answered, or wrote in it.
func TestClosed_CallWhoseTicketWasDeleted_SaysThatTheAccountWasClosed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		u := h.addUser(h.T, "leaving", 0)
		keyed := func(key string) context.Context {
			return idempotency.With(h.Context(), idempotency.Request{UserID: u.id, Key: key, Hash: []byte(key)})
		}
		var id string
		open := func() error {
			made, err := h.Tickets.Open(keyed("open"), u.id, ticket.Draft{Title: "Hello", Content: "Hello"})
			if err == nil {
				id = fmt.Sprint(made.ID)
			}
			return err
		}
		send := func() error {
			_, err := h.Tickets.Send(keyed("send"), u.id, id, "Hello")
			return err
		}
		if err := errors.Join(open(), send()); err != nil {
			h.Fatal(err)
		}
		h.closes(u, "leaving@example.com")
		for what, repeat := range map[string]func() error{"opening": open, "writing in": send} {
			if err := repeat(); !errors.Is(err, wallet.ErrClosed) {
				h.Errorf("%s a ticket that is deleted: %v, want %v", what, err, wallet.ErrClosed)
			}
		}
	})
}

// A session ends with the account of its call, which does not mean that the user was banned.
func TestClosed_SubscriptionOfAnEndedSession_SaysThatTheAccountWasClosed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		u := h.addUser(h.T, "leaving", 0)
		ctx := account.Acting(h.Context(), u.id)
		browser := webpushtest.New(h.T, h.DB.Now).Subscribe("push.example.com", "")
		h.closes(u, "leaving@example.com")
		err := h.Push.Subscribe(ctx, u.id, uuid.New(), browser.Target())
		if !errors.Is(err, wallet.ErrClosed) {
			h.Errorf("a subscription: %v, want %v", err, wallet.ErrClosed)
		}
	})
}

// Staff that acts on an account which was closed is told that it was, and not that there is no such user.
func TestClosed_ActsOfStaff_SayThatTheAccountWasClosed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		u, plan := h.addUser(h.T, "leaving", 0), h.planOf(h.sells(h.T, shop.KindPlan, 100))
		h.closes(u, "leaving@example.com")
		for path, body := range map[string]string{
			"orders":        fmt.Sprintf(`{"plan_id":%d,"months":1,"price":"1.00","reason":"x"}`, plan),
			"bans":          `{"reason":"spam"}`,
			"close":         `{"email":"leaving@example.com","forfeit":"0.00","reason":"x"}`,
			"notes":         `{"text":"hello"}`,
			"password-mail": `{"reason":"x"}`,
			"link/reset":    `{"reason":"x"}`,
			"sign-in-as":    `{"reason":"x"}`,
		} {
			h.refused(h.staff[account.Admin], 409, "account_closed", "POST", fmt.Sprintf("users/%d/%s", u.id, path), body)
		}
	})
}

// A merge that another one stands in the way of names the act that the page of approvals shows.
func TestMerge_WhileAnotherWaits_NamesItsApproval(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		gone, kept, third := h.addUser(h.T, "gone", 0), h.addUser(h.T, "kept", 0), h.addUser(h.T, "third", 100)
		h.limited("0.00")
		h.ask(h.staff[account.Finance], 200, "POST", "/api/v2/staff/wallet-adjustments", // so that the numbers differ
			fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"x"}`, h.users[0].id), nil)
		h.ask(h.staff[account.Owner], 403, "POST", mergeOf(third), mergeBody(kept, "third"), nil)
		act := h.newestAct()
		w := h.call(h.Context(), h.present(h.staff[account.Owner]), "POST", mergeOf(gone), mergeBody(kept, "gone"))
		var refusal struct{ Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &refusal); err != nil {
			h.Fatal(err)
		}
		if w.Code != 409 || !strings.Contains(refusal.Message, fmt.Sprintf("#%d", act.ID)) {
			h.Errorf("it answers %d %s, want the approval %d", w.Code, w.Body, act.ID)
		}
	})
}
