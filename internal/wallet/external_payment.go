package wallet

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// CaseCredited is the reason of a movement by which staff credits a payment that matched no recharge.
const CaseCredited Reason = "payment_case"

// ExternalPayment names a payment at a platform. Two of one gateway that have the same transaction are one payment, and
// so are two of different gateways that have the trade number in common too: both may be accounts with one merchant.
type ExternalPayment struct {
	Gateway       string `bun:",pk"`
	TransactionID string `bun:",pk"` // the platform's number
	TradeNo       string // ours, which the platform repeats
}

// Payment names the payment of the recharge that has this number at its gateway.
func (r *Recharge) Payment(transactionID string) ExternalPayment {
	return ExternalPayment{Gateway: r.Gateway, TransactionID: transactionID, TradeNo: r.TradeNo}
}

// settledPayment is a payment at a platform that was acted on. Its keys let each be booked once.
type settledPayment struct {
	bun.BaseModel `bun:"table:external_payment"`
	ExternalPayment
	Reference
}

// ClaimPayment notes, as part of tx, that the platform's payment is settled by ref. One that is settled already is
// ErrTransactionUsed.
func (w *Wallets) ClaimPayment(ctx context.Context, tx bun.Tx, p ExternalPayment, ref Reference) error {
	_, err := tx.NewInsert().Model(&settledPayment{ExternalPayment: p, Reference: ref}).Exec(ctx)
	if err = db.Error(err); errors.Is(err, db.ErrUnique) {
		err = ErrTransactionUsed
	}
	return err
}

// ReleasePayment undoes ClaimPayment for a decision that came to nothing.
func (w *Wallets) ReleasePayment(ctx context.Context, tx bun.Tx, ref Reference) error {
	_, err := tx.NewDelete().Model((*settledPayment)(nil)).Where("reference_kind = ? AND reference_id = ?", ref.Kind,
		ref.ID).Exec(ctx)
	return err
}

// PaymentClaim returns what settled the platform's payment; the zero Reference where nothing did.
func (w *Wallets) PaymentClaim(ctx context.Context, p ExternalPayment) (Reference, error) {
	var found []settledPayment
	err := w.db.NewSelect().Model(&found).Where("transaction_id = ? AND (gateway = ? OR trade_no = ?)", p.TransactionID,
		p.Gateway, p.TradeNo).Limit(1).Scan(ctx)
	if err != nil || len(found) == 0 {
		return Reference{}, err
	}
	return found[0].Reference, nil
}
