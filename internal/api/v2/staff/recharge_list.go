package staff

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/money"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/wallet"
)

type rechargeRow struct {
	No            int64        `json:"no"`
	ID            uuid.UUID    `json:"id"`
	User          personRef    `json:"user"`
	TradeNo       string       `json:"trade_no" doc:"Our number at the gateway"`
	TransactionID string       `json:"transaction_id" doc:"The gateway's number of the payment; empty: not paid"`
	Gateway       string       `json:"gateway"`
	Amount        money.Amount `json:"amount" doc:"What the wallet gains"`
	Fee           money.Amount `json:"fee" doc:"What the payer pays beside it"`
	Currency      string       `json:"currency"`
	PayAmount     money.Amount `json:"pay_amount" doc:"Both, in pay_currency"`
	PayCurrency   string       `json:"pay_currency"`
	Refunded      money.Amount `json:"refunded" doc:"Of the amount, what went back to who paid"`
	Refunding     money.Amount `json:"refunding" doc:"Of the amount, what is on its way back"`
	State         string       `json:"state" enum:"pending,paid,expired,failed,refunded"`
	OrderNo       *int64       `json:"order_no" nullable:"true" doc:"The order that waits, or waited, for it"`
	InvoiceUUID   *uuid.UUID   `json:"invoice_uuid" nullable:"true"`
	Labels        []string     `json:"labels"`
	CreatedAt     time.Time    `json:"created_at"`
	ExpiresAt     time.Time    `json:"expires_at"`
	PaidAt        *time.Time   `json:"paid_at" nullable:"true"`
}

func newRechargeRow(r *wallet.Recharge, user personRef, labels []string) rechargeRow {
	row := rechargeRow{
		No: r.ID, ID: r.UUID, User: user, TradeNo: r.TradeNo, Gateway: r.Gateway, Amount: r.Amount, Fee: r.Fee,
		Currency: r.Currency, PayAmount: r.PayAmount, PayCurrency: r.PayCurrency, Refunded: r.Refunded,
		Refunding: r.Refunding, State: string(r.State), OrderNo: r.OrderID, InvoiceUUID: r.InvoiceUUID,
		Labels: append([]string{}, labels...), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, PaidAt: r.PaidAt,
	}
	if r.TransactionID != nil {
		row.TransactionID = *r.TransactionID
	}
	return row
}

type rechargeEvents struct {
	Events []paymentCaseEvent `json:"events" doc:"The newest 100 notifies of the gateway as they came, newest first"`
}

// Recharges adds the list of recharges, each of them, and what gateways sent about it.
func Recharges(
	c *console.Console, a *account.Accounts, w *wallet.Wallets, p *payment.Payments,
) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]rechargeRow, error) {
		recharges, err := w.RechargesByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		known, err := ownersOf(ctx, a, recharges, func(row *wallet.Recharge) int64 { return row.UserID })
		if err != nil {
			return nil, err
		}
		labels, err := c.Labels(ctx, "recharge", ids)
		rows := make([]rechargeRow, len(recharges))
		for i := range recharges {
			rows[i] = newRechargeRow(&recharges[i], known.ref(recharges[i].UserID), labels[recharges[i].ID])
		}
		return rows, err
	}
	return func(r *v2.Router) {
		type which struct {
			No int64 `path:"recharge_no" minimum:"1"`
		}
		detail := rechargeDetails{load, w, p}
		detail.add(r)
		v2.Handle(r, v2.StaffOp("GET /staff/recharges/{recharge_no}/events", permission.NotifyRead).
			Named("staff_recharge_events", "What the gateway sent about a recharge, as it came"),
			func(ctx context.Context, _ account.Identity, in *which) (rechargeEvents, error) {
				notifies, err := p.Events(ctx, in.No)
				out := rechargeEvents{[]paymentCaseEvent{}}
				for i := range notifies {
					out.Events = append(out.Events, newPaymentEvent(&notifies[i]))
				}
				return out, err
			})
		v2.HandleListing(r, c.Lists, v2.List[rechargeRow]{
			Path: "/staff/recharges", ID: "staff_recharges", Summary: "Recharges, which are payments at gateways",
			Needs: permission.RechargeRead, Resource: c.Recharges(), Load: load,
			Key: func(r *rechargeRow) int64 { return r.No },
			CSV: []v2.Column[rechargeRow]{
				{Name: "no", Cell: func(r *rechargeRow) string { return text(r.No) }},
				{Name: "id", Cell: func(r *rechargeRow) string { return r.ID.String() }},
				{Name: "user_id", Cell: func(r *rechargeRow) string { return text(r.User.ID) }},
				{Name: "email", Cell: func(r *rechargeRow) string { return r.User.Email }},
				{Name: "trade_no", Cell: func(r *rechargeRow) string { return r.TradeNo }},
				{Name: "transaction_id", Cell: func(r *rechargeRow) string { return r.TransactionID }},
				{Name: "gateway", Cell: func(r *rechargeRow) string { return r.Gateway }},
				{Name: "amount", Cell: func(r *rechargeRow) string { return r.Amount.String() }},
				{Name: "fee", Cell: func(r *rechargeRow) string { return r.Fee.String() }},
				{Name: "currency", Cell: func(r *rechargeRow) string { return r.Currency }},
				{Name: "pay_amount", Cell: func(r *rechargeRow) string { return r.PayAmount.String() }},
				{Name: "pay_currency", Cell: func(r *rechargeRow) string { return r.PayCurrency }},
				{Name: "refunded", Cell: func(r *rechargeRow) string { return r.Refunded.String() }},
				{Name: "state", Cell: func(r *rechargeRow) string { return r.State }},
				{Name: "order_no", Cell: func(r *rechargeRow) string { return number(r.OrderNo) }},
				{Name: "labels", Cell: func(r *rechargeRow) string { return strings.Join(r.Labels, ", ") }},
				{Name: "created_at", Cell: func(r *rechargeRow) string { return moment(&r.CreatedAt) }},
				{Name: "paid_at", Cell: func(r *rechargeRow) string { return moment(r.PaidAt) }},
			},
		})
	}
}
