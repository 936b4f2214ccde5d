package cli

import (
	"errors"
	"strconv"
	"testing"

	"airstrip/internal/app"
	"airstrip/internal/approval"
	"airstrip/internal/money"
	"airstrip/internal/shop"
)

// mustAskForRefund has a user of the site buy a plan and ask for the order back; it gives the request.
func mustAskForRefund(s testSite, email string) shop.RefundRequest {
	s.Helper()
	s.mustRun(nil, "user", "add", "--email", email)
	s.mustRun(nil, "wallet", "adjust", email, "100.00", "for the test")
	a, err := app.Open(s.Context(), s.config, "test")
	if err != nil {
		s.Fatal(err)
	}
	defer a.Close()
	u, err := a.Accounts.ByEmail(s.Context(), email)
	if err != nil {
		s.Fatal(err)
	}
	plans, err := a.Shop.OnSale(s.Context())
	if err != nil || len(plans) == 0 {
		s.Fatal(plans, err)
	}
	order, err := a.Shop.Confirm(s.Context(), u.ID, shop.Purchase{PriceID: plans[0].Prices[0].ID})
	if err != nil {
		s.Fatal(err)
	}
	request, err := a.Shop.RequestRefund(s.Context(), u.ID, strconv.FormatInt(order, 10), "too slow")
	if err != nil {
		s.Fatal(err)
	}
	return *request
}

func TestRefund_RequestsOfUsers_AreDecidedByCommand(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.mustRun(nil, "plan", "add", "--name", "Standard", "--quota-gb", "100", "--price", "1=15.00")
		first, second := mustAskForRefund(s, "first@example.com"), mustAskForRefund(s, "second@example.com")

		type request struct {
			ID                    int64
			State, Reason, Answer string
			Refundable            money.Amount
		}
		var open []request
		s.mustRun(&open, "refund", "list", "--state", "open", "--limit", "1")
		if len(open) != 1 || open[0].ID != first.ID || open[0].Reason != "too slow" {
			s.Fatalf("open are %+v", open)
		}
		var shown request
		s.mustRun(&shown, "refund", "show", strconv.FormatInt(first.ID, 10))
		if shown.State != "open" || shown.Refundable <= 0 || shown.Refundable > 1500 {
			s.Errorf("the request is %+v", shown)
		}

		var given struct{ Amount money.Amount }
		s.mustRun(&given, "refund", "approve", strconv.FormatInt(first.ID, 10), "we are sorry")
		if given.Amount <= 0 || given.Amount > 1500 {
			s.Errorf("%s were given back", given.Amount)
		}
		s.mustRun(nil, "refund", "decline", strconv.FormatInt(second.ID, 10), "it works here")
		for _, want := range []request{
			{ID: first.ID, State: "granted", Answer: "we are sorry"}, {
				ID: second.ID, State: "declined",
				Answer: "it works here",
			},
		} {
			s.mustRun(&shown, "refund", "show", strconv.FormatInt(want.ID, 10))
			if shown.State != want.State || shown.Answer != want.Answer {
				s.Errorf("request %d is %+v, wanted %+v", want.ID, shown, want)
			}
		}
		if err := s.run(nil, "refund", "approve", strconv.FormatInt(second.ID, 10), "after all"); !errors.Is(err,
			shop.ErrRequestEnded) {
			s.Errorf("a request that was declined: %v", err)
		}
		if err := s.run(nil, "refund", "show", "999"); !errors.Is(err, shop.ErrNoRequest) {
			s.Errorf("a request that is none: %v", err)
		}

		// The order of the declined request, by the operator's own decision.
		s.mustRun(&given, "refund", "order", strconv.FormatInt(second.OrderID, 10), "the operator changed their mind")
		if given.Amount <= 0 {
			s.Errorf("%s were given back of the order", given.Amount)
		}
		var acts []struct {
			Kind, State string
			ID          int64
		}
		s.mustRun(&acts, "approval", "list", "--state", "alone")
		refunds := 0
		for _, act := range acts {
			if act.Kind == string(approval.OrderRefund) {
				refunds++
			}
		}
		if refunds != 2 {
			s.Errorf("the list of what was given has %d refunds of orders, wanted 2: %+v", refunds, acts)
		}
	})
}
