package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"airstrip/internal/fault"
)

func TestIs_TellsFaultsApart(t *testing.T) {
	one := fault.Invalid("plan", "other", "甲", "one")
	other := fault.Invalid("coupon", "other", "乙", "other")
	sold := fault.Conflict("sold_out", "丙", "sold out")
	for _, c := range []struct {
		err, target error
		is          bool
	}{
		{one, one, true},
		{one, other, false},
		{one, fault.Invalid("plan", "unknown", "甲", "one"), false},
		{one, fault.ErrInvalid, true},
		{fault.ErrInvalid, one, false},
		{one.In(fault.Field{Name: "coupon", Code: "other"}), other, true},
		{fmt.Errorf("buy: %w", sold.Because(errors.New("cause"))), sold, true},
		{sold, fault.Conflict("gone", "丙", "sold out"), false},
	} {
		if got := errors.Is(c.err, c.target); got != c.is {
			t.Errorf("errors.Is(%v, %v) = %t, want %t", c.err, c.target, got, c.is)
		}
	}
}
