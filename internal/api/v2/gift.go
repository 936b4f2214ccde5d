package v2

import (
	"airstrip/internal/cdkey"
	"airstrip/internal/money"
)

// Gift is what a key gives; exported because it is embedded.
type Gift struct {
	Kind   string        `json:"kind" enum:"amount,plan,traffic" doc:"What a key gives: money into the wallet, a plan for a time, or a package of traffic"`
	Amount *money.Amount `json:"amount,omitempty" doc:"Of the kind amount"`
	PlanID *int64        `json:"plan_id,omitempty" doc:"Of the kind plan"`
	Months *int          `json:"months,omitempty" doc:"Of the kind plan"`
	Days   *int          `json:"days,omitempty" doc:"Of the kind plan beside the months; of the kind traffic how long it lives, absent: until it is used up"`
	Bytes  *int64        `json:"bytes,omitempty" doc:"Of the kind traffic"`
}

// NewGift returns g as the contract has it.
func NewGift(g cdkey.Gift) Gift {
	out := Gift{Kind: string(g.Kind), PlanID: g.PlanID, Months: g.Months, Days: g.Days, Bytes: g.Bytes}
	if g.Kind == cdkey.Amount {
		out.Amount = &g.Amount
	}
	return out
}
