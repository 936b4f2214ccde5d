package app

import (
	"testing"

	"airstrip/internal/account"
)

func TestInvites_Figures_SayWhoBroughtWhomAndWhatItCost(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		inviter := h.addUser(h.T, "inviter", 0)
		h.ask(inviter, 200, "POST", "/api/v2/user/invite/codes", `{"code":"forum-42","label":"Forum"}`, nil)
		for _, email := range []string{"one@example.com", "two@example.com"} {
			if _, err := h.Accounts.SignUps.SignUp(h.Context(), account.SignUp{
				Email: email, Name: "Friend", Password: "correct horse 7", Repeated: "correct horse 7", InviteCode: "FORUM-42",
			}, account.Client{}); err != nil {
				h.Fatal(err)
			}
		}
		h.payout(inviter) // of what another friend brought in
		h.ask(inviter, 200, "POST", "/api/v2/user/services-old/checkin/", "", nil)

		var shown struct {
			SignUps       int64 `json:"sign_ups"`
			Payers        int64
			OpenPayouts   int64  `json:"open_payouts"`
			PayoutsAmount string `json:"payouts_amount"`
			Commissions   []struct {
				State, Amount string
				Count         int64
			}
			Codes []struct {
				Code, Label, Commission string
				SignUps                 int64 `json:"sign_ups"`
				Payers                  int64
			}
			Newest []struct {
				Email, Code, Earned string
				InviterEmail        string `json:"inviter_email"`
				Orders              int64
			}
			CheckIns []struct {
				Date         string
				Users, Bytes int64
			} `json:"check_ins"`
		}
		h.ask(h.staff[account.Finance], 200, "GET", "/api/v2/staff/invites?days=7", "", &shown)
		if shown.SignUps != 3 || shown.Payers != 1 || shown.OpenPayouts != 1 || shown.PayoutsAmount != "1.00" {
			h.Errorf("in all %+v", shown)
		}
		if c := shown.Commissions; len(c) != 3 || c[1].State != "released" || c[1].Count != 1 || c[1].Amount != "2.00" ||
			c[0].Count != 0 {
			h.Errorf("the commissions are %+v", c)
		}
		if c := shown.Codes; len(c) != 2 || c[0].Code != "forum-42" || c[0].Label != "Forum" || c[0].SignUps != 2 ||
			c[0].Payers != 0 || c[1].SignUps != 1 || c[1].Payers != 1 || c[1].Commission != "2.00" {
			h.Errorf("the codes are %+v", c)
		}
		if n := shown.Newest; len(n) != 3 || n[0].Orders != 1 || n[0].Earned != "2.00" || n[1].Email != "two@example.com" ||
			n[1].Code != "forum-42" || n[1].InviterEmail != "inviter@example.com" {
			h.Errorf("who invited whom is %+v", n)
		}
		if d := shown.CheckIns; len(d) != 7 || d[0].Date != "2026-01-25" || d[0].Users != 0 || d[6].Users != 1 ||
			d[6].Bytes < 100<<20 {
			h.Errorf("the check-ins are %+v", d)
		}
	})
}
