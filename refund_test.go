package main

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
func mustAskForRefund(d desk, email string) shop.RefundRequest {
	d.Helper()
	d.prints(nil, "user", "add", "--email", email)
	d.prints(nil, "wallet", "adjust", email, "100.00", "for the test")
	a, err := app.Open(d.Context(), d.config, "test")
	if err != nil {
		d.Fatal(err)
	}
	defer a.Close()
	u, err := a.Accounts.ByEmail(d.Context(), email)
	if err != nil {
		d.Fatal(err)
	}
	plans, err := a.Shop.OnSale(d.Context())
	if err != nil || len(plans) == 0 {
		d.Fatal(plans, err)
	}
	order, err := a.Shop.Confirm(d.Context(), u.ID, shop.Purchase{PriceID: plans[0].Prices[0].ID})
	if err != nil {
		d.Fatal(err)
	}
	request, err := a.Shop.RequestRefund(d.Context(), u.ID, strconv.FormatInt(order, 10), "too slow")
	if err != nil {
		d.Fatal(err)
	}
	return *request
}

func TestRefund_RequestsOfUsers_AreDecidedByCommand(t *testing.T) {
	eachDesk(t, func(d desk) {
		d.prints(nil, "plan", "add", "--name", "Standard", "--quota-gb", "100", "--price", "1=15.00")
		first, second := mustAskForRefund(d, "first@example.com"), mustAskForRefund(d, "second@example.com")

		type request struct {
			ID                    int64
			State, Reason, Answer string
			Refundable            money.Amount
		}
		var open []request
		d.prints(&open, "refund", "list", "--state", "open", "--limit", "1")
		if len(open) != 1 || open[0].ID != first.ID || open[0].Reason != "too slow" {
			d.Fatalf("open are %+v", open)
		}
		var shown request
		d.prints(&shown, "refund", "show", strconv.FormatInt(first.ID, 10))
		if shown.State != "open" || shown.Refundable <= 0 || shown.Refundable > 1500 {
			d.Errorf("the request is %+v", shown)
		}

		var given struct{ Amount money.Amount }
		d.prints(&given, "refund", "approve", strconv.FormatInt(first.ID, 10), "we are sorry")
		if given.Amount <= 0 || given.Amount > 1500 {
			d.Errorf("%s were given back", given.Amount)
		}
		d.prints(nil, "refund", "decline", strconv.FormatInt(second.ID, 10), "it works here")
		for _, want := range []request{
			{ID: first.ID, State: "granted", Answer: "we are sorry"}, {ID: second.ID, State: "declined", Answer: "it works here"},
		} {
			d.prints(&shown, "refund", "show", strconv.FormatInt(want.ID, 10))
			if shown.State != want.State || shown.Answer != want.Answer {
				d.Errorf("request %d is %+v, wanted %+v", want.ID, shown, want)
			}
		}
		if err := d.run(nil, "refund", "approve", strconv.FormatInt(second.ID, 10), "after all"); !errors.Is(err, shop.ErrRequestEnded) {
			d.Errorf("a request that was declined: %v", err)
		}
		if err := d.run(nil, "refund", "show", "999"); !errors.Is(err, shop.ErrNoRequest) {
			d.Errorf("a request that is none: %v", err)
		}

		// The order of the declined request, by the operator's own decision.
		d.prints(&given, "refund", "order", strconv.FormatInt(second.OrderID, 10), "the operator changed their mind")
		if given.Amount <= 0 {
			d.Errorf("%s were given back of the order", given.Amount)
		}
		var acts []struct {
			Kind, State string
			ID          int64
		}
		d.prints(&acts, "approval", "list", "--state", "alone")
		refunds := 0
		for _, act := range acts {
			if act.Kind == string(approval.OrderRefund) {
				refunds++
			}
		}
		if refunds != 2 {
			d.Errorf("the list of what was given has %d refunds of orders, wanted 2: %+v", refunds, acts)
		}
	})
}
