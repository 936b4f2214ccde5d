package staff

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

// ledgerKind is a kind of accounts of the ledger.
type ledgerKind wallet.Kind

func (ledgerKind) Schema(huma.Registry) *huma.Schema {
	s := v2.EnumSchema([]wallet.Kind{
		wallet.UserWallet, wallet.UserCommission, wallet.Clearing, wallet.Outside, wallet.Sales, wallet.Refunds,
		wallet.Gifts, wallet.Fees, wallet.Bank, "rounding",
	})
	s.Description = "clearing: what a gateway received and did not pay out; outside: what staff received and paid past a " +
		"gateway"
	return s
}

type bookedPosting struct {
	Account      ledgerKind    `json:"account"`
	UserID       *int64        `json:"user_id" nullable:"true" doc:"Whose account; null: the site's"`
	Gateway      string        `json:"gateway" doc:"Of a clearing or an outside account; else empty"`
	Amount       money.Amount  `json:"amount" doc:"What the account gains; negative: loses"`
	BalanceAfter *money.Amount `json:"balance_after" nullable:"true" doc:"Of a user's account"`
}

// booking is a transaction of the ledger.
type booking struct {
	ID            int64           `json:"id"`
	Reason        string          `json:"reason"`
	ReferenceKind string          `json:"reference_kind" enum:"order,recharge,gateway_refund,adjustment,cd_key,commission,commission_reversal,commission_withdrawal,commission_payout,invite_purchase,payment_case,account_merge,gateway_settlement" doc:"What it belongs to"`
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
				bookedPosting{ledgerKind(p.Kind), p.UserID, p.Name, p.Amount, p.BalanceAfter})
		}
	}
	return out
}

type ledgerAccount struct {
	Account ledgerKind   `json:"account"`
	Gateway string       `json:"gateway" doc:"Of a clearing or an outside account; else empty"`
	IsUsers bool         `json:"is_users" doc:"All accounts of users of this kind"`
	Count   int64        `json:"count" doc:"Of accounts"`
	Balance money.Amount `json:"balance"`
}

// Ledger adds the transactions of the ledger and the balances of its accounts.
func Ledger(c *console.Console, w *wallet.Wallets) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]booking, error) {
		found, err := w.BookingsByID(ctx, ids)
		return newBookings(found), err
	}
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/ledger/accounts", permission.LedgerRead).
			Named("staff_ledger_accounts", "The accounts of the ledger with their balances, which sum to zero"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) ([]ledgerAccount, error) {
				accounts, err := w.Accounts(ctx)
				out := make([]ledgerAccount, len(accounts))
				for i, a := range accounts {
					out[i] = ledgerAccount{ledgerKind(a.Kind), a.Name, a.IsUsers, a.Count, a.Balance}
				}
				return out, err
			})
		v2.HandleListing(r, c.Lists, v2.List[booking]{
			Path: "/staff/ledger", ID: "staff_ledger", Summary: "Transactions of the ledger", Needs: permission.LedgerRead,
			Resource: c.Ledger(), Load: load, Key: func(b *booking) int64 { return b.ID },
			CSV: []v2.Column[booking]{
				{Name: "id", Cell: func(b *booking) string { return text(b.ID) }},
				{Name: "created_at", Cell: func(b *booking) string { return moment(&b.CreatedAt) }},
				{Name: "reason", Cell: func(b *booking) string { return b.Reason }},
				{Name: "reference_kind", Cell: func(b *booking) string { return b.ReferenceKind }},
				{Name: "reference_no", Cell: func(b *booking) string { return text(b.ReferenceNo) }},
				{Name: "note", Cell: func(b *booking) string { return b.Note }},
				{Name: "currency", Cell: func(b *booking) string { return b.Currency }},
				{Name: "postings", Cell: postingsText},
			},
		})
	}
}

// postingsText is both sides of a transaction in one cell.
func postingsText(b *booking) string {
	parts := make([]string, len(b.Postings))
	for i, p := range b.Postings {
		name := string(p.Account)
		if p.UserID != nil {
			name += " of user " + text(*p.UserID)
		}
		if p.Gateway != "" {
			name += " of " + p.Gateway
		}
		parts[i] = name + " " + p.Amount.String()
	}
	return strings.Join(parts, "; ")
}
