package staff

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type staffInvoice struct {
	No          int64              `json:"no"`
	ID          uuid.UUID          `json:"id"`
	User        personRef          `json:"user"`
	Kind        string             `json:"kind" enum:"order,recharge" doc:"What it is the bill of"`
	ReferenceNo int64              `json:"reference_no" doc:"Number of the order or recharge"`
	Lines       []staffInvoiceLine `json:"lines"`
	Total       money.Amount       `json:"total"`
	Currency    string             `json:"currency"`
	CreatedAt   time.Time          `json:"created_at"`
}

type staffInvoiceLine struct {
	Kind   string       `json:"kind" enum:"plan,renewal,package,recharge,credit,discount,fee"`
	Name   string       `json:"name" doc:"Of the plan, the coupon, the gateway, or the service that ended"`
	Amount money.Amount `json:"amount" doc:"Negative: a credit or discount"`
}

// Invoices adds the list of invoices.
func Invoices(c *console.Console, a *account.Accounts, w *wallet.Wallets) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]staffInvoice, error) {
		found, err := w.InvoicesByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		known, err := ownersOf(ctx, a, found, func(row *wallet.Invoice) int64 { return row.UserID })
		rows := make([]staffInvoice, len(found))
		for i := range found {
			in := &found[i]
			rows[i] = staffInvoice{
				in.ID, in.UUID, known.ref(in.UserID), in.Kind, in.Reference.ID,
				[]staffInvoiceLine{},
				in.Total, in.Currency,
				in.CreatedAt,
			}
			for _, l := range in.Lines {
				rows[i].Lines = append(rows[i].Lines, staffInvoiceLine{string(l.Kind), l.Name, l.Amount})
			}
		}
		return rows, err
	}
	return func(r *v2.Router) {
		v2.HandleListing(r, c.Lists, v2.List[staffInvoice]{
			Path: "/staff/invoices", ID: "staff_invoices", Summary: "Invoices of orders and recharges",
			Needs: permission.LedgerRead, Resource: c.Invoices(), Load: load,
			Key: func(in *staffInvoice) int64 { return in.No },
			CSV: []v2.Column[staffInvoice]{
				{Name: "no", Cell: func(in *staffInvoice) string { return text(in.No) }},
				{Name: "id", Cell: func(in *staffInvoice) string { return in.ID.String() }},
				{Name: "user_id", Cell: func(in *staffInvoice) string { return text(in.User.ID) }},
				{Name: "email", Cell: func(in *staffInvoice) string { return in.User.Email }},
				{Name: "kind", Cell: func(in *staffInvoice) string { return in.Kind }},
				{Name: "reference_no", Cell: func(in *staffInvoice) string { return text(in.ReferenceNo) }},
				{Name: "total", Cell: func(in *staffInvoice) string { return in.Total.String() }},
				{Name: "currency", Cell: func(in *staffInvoice) string { return in.Currency }},
				{Name: "created_at", Cell: func(in *staffInvoice) string { return moment(&in.CreatedAt) }},
			},
		})
	}
}
