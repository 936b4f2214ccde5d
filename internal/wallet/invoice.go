package wallet

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
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

type invoice struct {
	bun.BaseModel `bun:"table:invoice"`
	ID            int64 `bun:",pk,autoincrement"`
	UUID          uuid.UUID
	UserID        int64
	Reference
	Currency  string
	Total     money.Amount
	CreatedAt time.Time
}

// Invoice issues the bill for ref, once; it never changes after that.
func (w *Wallets) Invoice(ctx context.Context, tx bun.Tx, userID int64, ref Reference, lines ...Line) error {
	in := invoice{UUID: uuid.New(), UserID: userID, Reference: ref, Currency: w.settings.Get().Currency, CreatedAt: w.db.Now()}
	for _, l := range lines {
		var err error
		if in.Total, err = in.Total.Add(l.Amount); err != nil {
			return err
		}
	}
	if _, err := tx.NewInsert().Model(&in).Exec(ctx); err != nil {
		return db.Error(err)
	}
	for i := range lines {
		lines[i].InvoiceID, lines[i].Position = in.ID, i+1
	}
	_, err := tx.NewInsert().Model(&lines).Exec(ctx)
	return db.Error(err)
}
