package v2

import (
	"time"

	"airstrip/internal/invite"
	"airstrip/internal/money"
)

// PayoutItem is commission that a user wants paid outside of the site; exported because it is embedded.
type PayoutItem struct {
	ID        int64        `json:"id"`
	CreatedAt time.Time    `json:"created_at"`
	Amount    money.Amount `json:"amount"`
	Method    string       `json:"method" enum:"alipay,wechat,bank,usdt,other"`
	Account   string       `json:"account" doc:"Where it is paid to; empty once the user's account was closed"`
	State     string       `json:"state" enum:"open,waiting,paid,refused,withdrawn" doc:"The amount is held while it is open or waiting for a second member of staff"`
	Answer    string       `json:"answer" doc:"Of staff, for the user"`
	EndedAt   *time.Time   `json:"ended_at"`
}

// NewPayoutItem returns p as the contract has it.
func NewPayoutItem(p *invite.Payout) PayoutItem {
	return PayoutItem{p.ID, p.CreatedAt, p.Amount, p.Method, p.Account, string(p.State), p.Answer, p.EndedAt}
}
