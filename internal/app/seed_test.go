package app

import "testing"

// The demonstration's shop has lived: people joined, paid, renewed, asked and were answered, and the doctor finds
// nothing wrong with it.
func TestSeed_AShopThatLives_IsSound(t *testing.T) {
	s := newTestServer(t, config(t))
	if _, err := s.Seed(t.Context(), Seed{Days: 46}); err != nil {
		t.Fatal(err)
	}
	var orders, renewals, unpaid, tickets, hits int64
	err := s.DB.NewRaw(`SELECT (SELECT COUNT(*) FROM shop_order),
		(SELECT COUNT(*) FROM shop_order WHERE kind = 'renewal'), (SELECT COUNT(*) FROM recharge WHERE state <> 'paid'),
		(SELECT COUNT(*) FROM ticket), (SELECT COUNT(*) FROM rule_hit)`).
		Scan(t.Context(), &orders, &renewals, &unpaid, &tickets, &hits)
	if err != nil || orders < 100 || renewals == 0 || unpaid == 0 || tickets < 4 || hits == 0 {
		t.Errorf("%d orders, %d renewals, %d unpaid, %d tickets, %d hits: %v", orders, renewals, unpaid, tickets, hits, err)
	}
	s.sound(t)
}
