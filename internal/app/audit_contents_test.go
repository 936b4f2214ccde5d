package app

import (
	"fmt"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/shop"
)

// The reason of an entry is the member's own: of a granted request for a refund that is the answer, not the user's
// text.
func TestAudit_GrantedRefundRequest_HasTheAnswerAsItsReason(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("1000.00")
		user := h.users[0]
		price := h.sells(h.T, shop.KindPlan, 2000)
		h.give(h.T, user.id, 2000)
		var bought struct{ Order struct{ No int64 } }
		h.ask(user, 200, "POST", buy(price), "{}", &bought)
		var request struct{ ID int64 }
		h.ask(user, 200, "POST", fmt.Sprintf("/api/v2/user/orders/%d/refund-request", bought.Order.No),
			`{"reason":"the text of the user"}`, &request)
		h.ask(h.staff[account.Finance], 200, "POST", fmt.Sprintf("/api/v2/staff/refund-requests/%d/decision",
			request.ID),
			`{"grant":true,"answer":"an outage on our side"}`, nil)
		found, _, err := h.Audit.Find(h.Context(), audit.Filter{Object: "order_refund", Limit: 1})
		if err != nil || len(found) != 1 || found[0].Reason != "an outage on our side" ||
			strings.Contains(found[0].After, "text of the user") {
			h.Errorf("the log has %+v, %v", found, err)
		}
	})
}

// Whether a coupon waits is said by the state of its act alone.
func TestAudit_Coupon_WaitsAsItsActDoes(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		for limit, state := range map[string]string{"1000.00": "alone", "0.00": "waiting"} {
			h.limited(limit)
			h.ask(h.staff[account.Finance], 200, "POST", "/api/v2/staff/coupons",
				fmt.Sprintf(`{"code":"CODE%s","amount":"1.00","total":1}`, limit[:1]), nil)
			found, _, err := h.Audit.Find(h.Context(), audit.Filter{Action: "coupon.write", Limit: 1})
			if err != nil || len(found) != 1 || !strings.Contains(found[0].After, `"state":"`+state+`"`) ||
				strings.Contains(found[0].After, "waits") || !strings.Contains(found[0].After, `"code":"C`) {
				h.Errorf("%s: the log has %+v, %v", state, found, err)
			}
		}
	})
}
