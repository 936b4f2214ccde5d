package app

import (
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
)

func TestNotice_OrderThatStaffAssigns_ReachesItsUser(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.addUser(h.T, "assignee", 0)
		if _, err := h.Payments.OrderFor(h.Context(), payment.StaffOrder{
			UserID: user.id, PriceID: h.sells(h.T, shop.KindPlan, 2000), Price: 1500, Gateway: sandbox.Name, Reason: "a call",
		}); err != nil {
			h.Fatal(err)
		}
		if n := h.mailsTo("assignee@example.com", "order_assigned"); n != 1 {
			h.Errorf("%d mails about the order", n)
		}
	})
}

func TestNotices_ReachUsersAsTheyChose(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.addUser(h.T, "chooser", 0)
		email := "chooser@example.com"
		const path = "/api/v2/user/notices"

		// A ticket answer reaches who chose nothing, and not who turned it off.
		ticket := h.openTicket(user, "First", "Help")
		h.answerTicket(h.staff[account.Support], ticket.No, `{"content":"Answer"}`)
		if n := h.mailsTo(email, "ticket_answered"); n != 1 {
			h.Errorf("%d mails about the first answer", n)
		}
		h.ask(user, 200, "PUT", path, `{"choices":[{"event":"ticket","channel":"mail","is_wanted":false}]}`, nil)
		ticket = h.openTicket(user, "Second", "Help")
		h.answerTicket(h.staff[account.Support], ticket.No, `{"content":"Answer"}`)
		if n := h.mailsTo(email, "ticket_answered"); n != 1 {
			h.Errorf("%d mails, the second one to a user who turned them off", n)
		}

		// The security page shows the same choice as this one.
		h.ask(user, 200, "POST", "/api/v2/user/account/security", `{"email_notification":false}`, nil)
		var shown struct {
			Events []struct {
				Event    string
				Channels []struct {
					Channel  string
					IsWanted bool `json:"is_wanted"`
				}
			}
		}
		h.ask(user, 200, "GET", path, "", &shown)
		for _, e := range shown.Events {
			for _, c := range e.Channels {
				off := c.Channel == "mail" && (e.Event == "ticket" || e.Event == "sign_in" || e.Event == "payment")
				if c.IsWanted == off {
					h.Errorf("%s by %s: %v", e.Event, c.Channel, c.IsWanted)
				}
			}
		}

		h.ask(user, 409, "PUT", path, `{"choices":[{"event":"security","channel":"mail","is_wanted":false}]}`, nil)
		h.ask(user, 422, "PUT", path, `{"choices":[{"event":"else","channel":"mail","is_wanted":false}]}`, nil)
		h.ask(user, 200, "POST", path+"/test", `{"channel":"mail"}`, nil)
		if n := h.mailsTo(email, "notice_test"); n != 1 {
			h.Errorf("%d test mails", n)
		}
		h.ask(user, 409, "POST", path+"/test", `{"channel":"telegram"}`, nil)
	})
}

func TestNotices_OfARefusedPayout_SaysWhy(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		user := h.addUser(h.T, "payee", 0)
		if err := h.Invites.RefusePayout(h.Context(), h.payout(user), "no such account", nil); err != nil {
			h.Fatal(err)
		}
		if n := h.mailsTo("payee@example.com", "payout_decided"); n != 1 {
			h.Errorf("%d mails about the payout", n)
		}
	})
}
