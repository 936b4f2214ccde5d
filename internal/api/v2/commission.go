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
	Amount    money.Amount `json:"amount" doc:"When it was earned"`
	Reversed  money.Amount `json:"reversed" doc:"What of the amount was taken back since, because money of the order went back"`
	State     string       `json:"state" enum:"pending,released,reversed" doc:"reversed: all of it was taken back"`
	Owed      money.Amount `json:"owed" doc:"What of reversed had been withdrawn and no later commission has paid yet"`
	Settled   money.Amount `json:"settled" doc:"What of the amount paid at its release what was owed of others"`
	ReleaseAt time.Time    `json:"release_at"`
}

// NewCommissionItem returns e as the contract has it.
func NewCommissionItem(e invite.Earned) CommissionItem {
	return CommissionItem{
		e.ID, e.CreatedAt, e.Buyer, e.Amount, e.Reversed, string(e.State), e.Owed, e.Settled, e.ReleaseAt,
	}
}
