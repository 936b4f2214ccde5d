package app

import (
	"maps"
	"testing"
)

// moneyFound are sequences that the random search found and shrank while the shop still allowed what their names say.
var moneyFound = map[string][]moneyStep{
	// The order of the renewal would be refunded with the 12.00 that the change had credited already: 24.00 for 12.00.
	"a service that a change ended is renewed and refunded": {
		{"recharge", 0, 0, 1},
		{"buy", 0, 0, 4},
		{"renew", 0, 0, 8},
		{"change", 0, 0, 28},
		{"renew", 0, 0, 8},
		{"quotes", 0, 0, 0},
	},
	// The same by another change, after which the wallet has more than was ever paid in.
	"a service that a change ended is renewed and changed again": {
		{"recharge", 0, 0, 1},
		{"buy", 0, 1, 4},
		{"renew", 0, 0, 9},
		{"change", 0, 0, 28},
		{"renew", 0, 0, 8},
		{"change", 0, 0, 28},
	},
	// The inviter would keep the commission of an order that was refunded after the release. These two were written by
	// hand.
	"an order is refunded after its commission was released": {
		{"recharge", 1, 0, 1},
		{"buy", 1, 0, 4},
		{"wait", 1, 31, 24},
		{"refund", 1, 0, 0},
	},
	"an order is refunded after its commission was withdrawn": {
		{"recharge", 1, 0, 1},
		{"buy", 1, 0, 4},
		{"wait", 1, 31, 24},
		{"withdraw", 0, 1, 0},
		{"refund", 1, 0, 0},
		{"buy", 1, 0, 4},
		{"wait", 1, 31, 24},
		{"withdraw", 0, 1, 0},
	},
	// The inviter would keep the commission of money that came back through a change of plan. Written by hand.
	"a service is changed and refunded": {
		{"recharge", 1, 0, 1},
		{"buy", 1, 1, 4},
		{"change", 1, 0, 28},
		{"refund", 1, 1, 0},
	},
	"a service is changed and refunded after its commission was withdrawn": {
		{"recharge", 1, 0, 1},
		{"buy", 1, 1, 4},
		{"change", 1, 0, 28},
		{"wait", 1, 31, 24},
		{"withdraw", 0, 1, 0},
		{"refund", 1, 1, 0},
		{"buy", 1, 1, 4},
	},
	"the rest of a credit goes to the wallet": {
		{"set credit", 0, 1, 0},
		{"recharge", 1, 0, 1},
		{"buy", 1, 1, 4},
		{"change", 1, 0, 28},
		{"buy", 1, 0, 4},
		{"refund", 1, 1, 0},
	},
	// Bought again at the price that was agreed before the change.
	"a service that a change ended is renewed for an old quote": {
		{"recharge", 0, 2, 10},
		{"buy", 0, 0, 0},
		{"renew", 0, 0, 0},
		{"change", 0, 0, 4},
		{"stale", 0, 1, 0},
	},
	// What was used before staff began the quota anew would be paid back. Written by hand.
	"a quota that staff began anew is refunded": {
		{"recharge", 0, 0, 1},
		{"buy", 0, 0, 4},
		{"traffic", 0, 0, 4},
		{"begin anew", 0, 0, 0},
		{"refund", 0, 0, 0},
	},
	"a quota that staff began anew twice is credited": {
		{"recharge", 0, 0, 1},
		{"buy", 0, 0, 4},
		{"traffic", 0, 0, 2},
		{"begin anew", 0, 0, 0},
		{"traffic", 0, 0, 0},
		{"begin anew", 0, 0, 0},
		{"quotes", 0, 0, 0},
		{"change", 0, 0, 28},
	},
}

// moneyAllowed are sequences that an oracle reported in which nobody gained anything.
var moneyAllowed = map[string][]moneyStep{
	// The quote was refused for the limit of the plan, the purchase for the coupon: both are reached.
	"a plan and a coupon are at their limits at once": {
		{"buy", 0, 8, 0},
		{"buy", 0, 8, 239},
		{"renew", 0, 0, 0},
		{"stale", 0, 58, 0},
	},
	"a plan and a coupon are at their limits at once, of two periods": {
		{"adjust", 0, 0, 15},
		{"buy", 0, 9, 219},
		{"buy", 0, 8, 0},
		{"stale", 0, 0, 0},
	},
	// What is used before the timetable has begun the new cycle is of the old one.
	"a cycle begins late": {
		{"wait", 0, 2, 42},
		{"adjust", 0, 253, 5},
		{"buy", 0, 0, 0},
		{"staff adjust", 0, 7, 227},
		{"renew", 0, 0, 0},
		{"wait", 0, 2, 229},
		{"traffic", 0, 0, 0},
		{"quotes", 0, 0, 0},
	},
	// The quota of that cycle is part of what was paid for.
	"the rest of a credit begins another cycle": {
		{"recharge", 0, 0, 6},
		{"buy", 0, 20, 0},
		{"wait", 0, 7, 155},
		{"wait", 0, 6, 203},
		{"buy", 0, 0, 0},
		{"change", 0, 0, 235},
		{"traffic", 0, 0, 145},
		{"buy", 0, 0, 0},
		{"buy", 0, 0, 0},
		{"change", 0, 67, 241},
	},
}

func TestMoney_FoundSequences_BringNobodyMoreThanWasPaid(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			template := newMoneyTemplate(t, engine)
			template.runsTwice = engine == "postgres"
			sequences := maps.Clone(moneyFound)
			maps.Copy(sequences, moneyAllowed)
			for name, sequence := range sequences {
				if failure := template.run(t, sequence); failure != nil {
					t.Errorf("%s: %s", name, failure.text)
				}
			}
		})
	}
}
