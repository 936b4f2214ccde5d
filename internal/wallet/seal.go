package wallet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
)

type seal struct {
	bun.BaseModel `bun:"table:ledger_seal"`
	ID            int64 `bun:",pk,autoincrement"`
	FirstID       int64
	LastID        int64
	Hash          []byte
	CreatedAt     time.Time
}

const (
	sealedAtOnce = 5000
	// A transaction this old has ended one way or the other, so no row with a lower id can still appear.
	settled = 10 * time.Minute
)

// Seal adds the ledger's newer transactions to the chain of hashes, so that a later change of any of them shows.
func (w *Wallets) Seal(ctx context.Context) error {
	for {
		more := false
		err := w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			var last []seal
			if err := tx.NewSelect().Model(&last).OrderExpr("id DESC").Limit(1).Scan(ctx); err != nil {
				return err
			}
			s := seal{CreatedAt: w.db.Now()}
			var before []byte
			if len(last) > 0 {
				before, s.FirstID = last[0].Hash, last[0].LastID
			}
			var ids []int64
			err := tx.NewSelect().Model((*transaction)(nil)).Column("id").Where("id > ? AND created_at < ?", s.FirstID, w.db.Now().Add(-settled)).
				OrderExpr("id").Limit(sealedAtOnce).Scan(ctx, &ids)
			if err != nil || len(ids) == 0 {
				return err
			}
			s.FirstID, s.LastID, more = ids[0], ids[len(ids)-1], len(ids) == sealedAtOnce
			if s.Hash, err = hashLedger(ctx, tx, before, s.FirstID, s.LastID); err != nil {
				return err
			}
			_, err = tx.NewInsert().Model(&s).Exec(ctx)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// hashLedger gives the SHA-256 over the hash before and the transactions from first to last with their postings.
func hashLedger(ctx context.Context, idb bun.IDB, before []byte, first, last int64) ([]byte, error) {
	var transactions []transaction
	if err := idb.NewSelect().Model(&transactions).Where("id BETWEEN ? AND ?", first, last).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	var postings []posting
	if err := idb.NewSelect().Model(&postings).Where("transaction_id BETWEEN ? AND ?", first, last).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(before)
	out := json.NewEncoder(h)
	for _, t := range transactions {
		if err := out.Encode([]any{t.ID, t.Reason, t.Reference.Kind, t.Reference.ID, t.Note, t.Currency, t.CreatedAt.UnixMilli()}); err != nil {
			return nil, err
		}
	}
	for _, p := range postings {
		if err := out.Encode([]any{p.ID, p.TransactionID, p.AccountID, p.Amount, p.BalanceAfter, p.Version}); err != nil {
			return nil, err
		}
	}
	return h.Sum(nil), nil
}

// checkSeals computes every hash again.
func (w *Wallets) checkSeals(ctx context.Context) ([]db.Violation, error) {
	var seals []seal
	if err := w.db.NewSelect().Model(&seals).OrderExpr("id").Scan(ctx); err != nil {
		return nil, err
	}
	var broken []db.Violation
	var before seal
	for _, s := range seals {
		// From right after the seal before: so a row slipped in between shows too.
		hash, err := hashLedger(ctx, w.db, before.Hash, before.LastID+1, s.LastID)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(hash, s.Hash) {
			broken = append(broken, db.Violation{Rule: "I3: postings are only added", What: fmt.Sprintf("ledger transactions %d to %d are not what was sealed", s.FirstID, s.LastID)})
		}
		before = s
	}
	return broken, nil
}
