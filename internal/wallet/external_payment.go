package wallet

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

// CaseCredited is the reason of a movement by which staff credits a payment that matched no recharge.
const CaseCredited Reason = "payment_case"

// externalPayment is a payment at a platform that was acted on. Its key lets each be booked once.
type externalPayment struct {
	bun.BaseModel `bun:"table:external_payment"`
	Gateway       string `bun:",pk"`
	TransactionID string `bun:",pk"`
	Reference
}

// ClaimPayment notes, as part of tx, that the platform's payment is settled by ref. One that is settled already is
// ErrTransactionUsed.
func (w *Wallets) ClaimPayment(ctx context.Context, tx bun.Tx, gateway, transactionID string, ref Reference) error {
	_, err := tx.NewInsert().Model(&externalPayment{Gateway: gateway, TransactionID: transactionID, Reference: ref}).
		Exec(ctx)
	if err = db.Error(err); errors.Is(err, db.ErrUnique) {
		err = ErrTransactionUsed
	}
	return err
}

// ReleasePayment undoes ClaimPayment for a decision that came to nothing.
func (w *Wallets) ReleasePayment(ctx context.Context, tx bun.Tx, ref Reference) error {
	_, err := tx.NewDelete().Model((*externalPayment)(nil)).Where("reference_kind = ? AND reference_id = ?", ref.Kind,
		ref.ID).Exec(ctx)
	return err
}

// PaymentClaim returns what settled the platform's payment; the zero Reference where nothing did.
func (w *Wallets) PaymentClaim(ctx context.Context, gateway, transactionID string) (Reference, error) {
	var found []externalPayment
	err := w.db.NewSelect().Model(&found).Where("gateway = ? AND transaction_id = ?", gateway, transactionID).Scan(ctx)
	if err != nil || len(found) == 0 {
		return Reference{}, err
	}
	return found[0].Reference, nil
}
