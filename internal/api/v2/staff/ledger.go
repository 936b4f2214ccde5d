package staff

import (
	"time"

	"airstrip/internal/money"
	"airstrip/internal/wallet"
)

type bookedPosting struct {
	Account      string        `json:"account" enum:"wallet,commission,clearing,sales,refunds,gifts,fees,bank,rounding"`
	UserID       *int64        `json:"user_id" nullable:"true" doc:"Whose account; null: the site's"`
	Gateway      string        `json:"gateway" doc:"Of a clearing account; else empty"`
	Amount       money.Amount  `json:"amount" doc:"What the account gains; negative: loses"`
	BalanceAfter *money.Amount `json:"balance_after" nullable:"true" doc:"Of a user's account"`
}

// booking is a transaction of the ledger.
type booking struct {
	ID            int64           `json:"id"`
	Reason        string          `json:"reason"`
	ReferenceKind string          `json:"reference_kind" doc:"What it belongs to: order, recharge, gateway_refund, ..."`
	ReferenceNo   int64           `json:"reference_no"`
	Note          string          `json:"note" doc:"The name of what was bought, the gateway of a recharge"`
	Currency      string          `json:"currency"`
	CreatedAt     time.Time       `json:"created_at"`
	Postings      []bookedPosting `json:"postings"`
}

func newBookings(found []wallet.Booking) []booking {
	out := make([]booking, len(found))
	for i := range found {
		b := &found[i]
		out[i] = booking{
			b.ID, string(b.Reason), b.Kind, b.Reference.ID, b.Note, b.Currency, b.CreatedAt, []bookedPosting{},
		}
		for _, p := range b.Postings {
			out[i].Postings = append(out[i].Postings,
				bookedPosting{string(p.Kind), p.UserID, p.Name, p.Amount, p.BalanceAfter})
		}
	}
	return out
}
