package v2

import (
	"time"

	"airstrip/internal/invite"
	"airstrip/internal/money"
)

// CommissionItem is what one order earned its inviter; exported because it is embedded.
type CommissionItem struct {
	No        int64        `json:"no"`
	CreatedAt time.Time    `json:"created_at"`
	Username  string       `json:"username" doc:"Of who bought; empty: the account was closed"`
	Amount    money.Amount `json:"amount"`
	State     string       `json:"state" enum:"pending,released,reversed" doc:"reversed: the money of the order went back"`
	Owed      money.Amount `json:"owed" doc:"The part of a reversed commission that had been withdrawn and that no later commission has paid yet"`
	Settled   money.Amount `json:"settled" doc:"The part of a released commission that paid what was owed of reversed ones"`
	ReleaseAt time.Time    `json:"release_at"`
}

// NewCommissionItem returns e as the contract has it.
func NewCommissionItem(e invite.Earned) CommissionItem {
	return CommissionItem{e.ID, e.CreatedAt, e.Buyer, e.Amount, string(e.State), e.Owed, e.Settled, e.ReleaseAt}
}
