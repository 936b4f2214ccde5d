package app

import "testing"

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
	// Bought again at the price that was agreed before the change.
	"a service that a change ended is renewed for an old quote": {
		{"recharge", 0, 2, 10},
		{"buy", 0, 0, 0},
		{"renew", 0, 0, 0},
		{"change", 0, 0, 4},
		{"stale", 0, 1, 0},
	},
}

func TestMoney_FoundSequences_BringNobodyMoreThanWasPaid(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			template := newMoneyTemplate(t, engine)
			for name, sequence := range moneyFound {
				if failure := template.run(t, sequence); failure != nil {
					t.Errorf("%s: %s", name, failure.text)
				}
			}
		})
	}
}
