package wallet

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
)

// LineKind says what a line of an invoice is for.
type LineKind string

// The kinds of lines.
const (
	PlanLine     LineKind = "plan"
	RenewalLine  LineKind = "renewal"
	PackageLine  LineKind = "package"
	RechargeLine LineKind = "recharge"
	CreditLine   LineKind = "credit"   // the unused part of a service that ended
	DiscountLine LineKind = "discount" // of a coupon
	FeeLine      LineKind = "fee"      // of a gateway
)

// Line is one line of an invoice.
type Line struct {
	bun.BaseModel `bun:"table:invoice_line"`
	InvoiceID     int64 `bun:",pk"`
	Position      int   `bun:",pk"`
	Kind          LineKind
	Name          string // of the plan, or of the gateway
	Months        *int   // of a plan or a renewal
	Amount        money.Amount
}

// Invoice is the bill of an order or a recharge, as it was issued.
type Invoice struct {
	bun.BaseModel `bun:"table:invoice"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	UserID        int64
	Reference
	Currency  string
	Total     money.Amount
	CreatedAt time.Time
	Lines     []Line `bun:"-"`
}

// Invoice issues the bill for ref, once; it never changes after that.
func (w *Wallets) Invoice(ctx context.Context, tx bun.Tx, userID int64, ref Reference, lines ...Line) error {
	in := Invoice{
		UUID: uuid.New(), UserID: userID, Reference: ref, Currency: w.settings.Get().Currency,
		CreatedAt: w.db.Now(),
	}
	for _, l := range lines {
		var err error
		if in.Total, err = in.Total.Add(l.Amount); err != nil {
			return err
		}
	}
	if err := db.InsertPrepared(ctx, tx, &in); err != nil {
		return db.Error(err)
	}
	for i := range lines {
		lines[i].InvoiceID, lines[i].Position = in.ID, i+1
		if err := db.InsertPrepared(ctx, tx, &lines[i]); err != nil {
			return db.Error(err)
		}
	}
	return nil
}

// ErrNoInvoice is the fault of an invoice that the user does not have.
var ErrNoInvoice = fault.NotFound("invoice_not_found", "没有这张账单", "There is no such invoice")

// ReadInvoice returns a user's invoice by its number or uuid, with its lines.
func (w *Wallets) ReadInvoice(ctx context.Context, userID int64, id string) (*Invoice, error) {
	var found []Invoice
	err := db.Named(w.db.NewSelect().Model(&found), id).Where("user_id = ?", userID).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoInvoice
	}
	if err != nil {
		return nil, err
	}
	return &found[0], w.readLines(ctx, found)
}

func (w *Wallets) readLines(ctx context.Context, invoices []Invoice) error {
	ids := make([]int64, len(invoices))
	of := map[int64]*Invoice{}
	for i := range invoices {
		ids[i] = invoices[i].ID
		of[ids[i]] = &invoices[i]
	}
	var lines []Line
	err := w.db.NewSelect().Model(&lines).Where("invoice_id IN (?)", bun.List(ids)).OrderExpr("invoice_id, position").
		Scan(ctx)
	for _, l := range lines {
		of[l.InvoiceID].Lines = append(of[l.InvoiceID].Lines, l)
	}
	return err
}

// Invoices returns a part of the user's invoices issued from (inclusive) to (exclusive), newest first, and how many
// there are; a zero time sets no bound.
func (w *Wallets) Invoices(ctx context.Context, userID int64, from, to time.Time, limit,
	offset int64,
) (invoices []Invoice, total int64, err error) {
	q := w.db.NewSelect().Model(&invoices).Where("user_id = ?", userID)
	if !from.IsZero() {
		q.Where("created_at >= ?", from)
	}
	if !to.IsZero() {
		q.Where("created_at < ?", to)
	}
	if total, err = q.OrderExpr("id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx); err != nil ||
		len(invoices) == 0 {
		return nil, total, err
	}
	return invoices, total, w.readLines(ctx, invoices)
}
