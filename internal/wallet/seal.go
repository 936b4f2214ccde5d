package wallet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	sealing "airstrip/internal/seal"
)

type seal struct {
	bun.BaseModel `bun:"table:ledger_seal"`
	ID            int64 `bun:",pk,autoincrement"`
	FirstID       int64
	LastID        int64
	Hash          []byte
	CreatedAt     time.Time
	Version       int64
}

// sealVersion is that of new seals. The hash of version 1, which earlier programs made, covers the ledger alone; that
// of version 2 covers the seal's own numbers and time too, and the newest of them is named by the signed end.
const sealVersion = 2

// endName is the name of the sealed row that says which seal is the newest. It is apart from the seals, so that whoever
// empties or cuts their table leaves it.
const endName = "ledger_seal"

func endPurpose() string { return "secret " + endName }

// sealEnd names the newest seal.
type sealEnd struct {
	ID   int64  `json:"id"`
	Hash []byte `json:"hash"`
}

// errSealsCut is why the chain is not continued: its newest seal is not the one that a server signed.
var errSealsCut = errors.New("the end of the ledger's chain of seals is missing or was changed; run airstrip doctor")

const (
	sealBatchSize = 5000
	// A transaction this old has ended one way or the other, so no row with a lower id can still appear.
	settled = 10 * time.Minute
)

// SignWith has the end of the chain of seals signed with key.
func (w *Wallets) SignWith(key sealing.Key) { w.key = key }

// Seal adds the ledger's newer transactions to the chain of hashes, so that a later change of any of them shows. A
// chain whose end is not the one that was signed is not continued.
func (w *Wallets) Seal(ctx context.Context) error {
	for {
		more := false
		err := w.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			last, problem, err := checkEnd(ctx, tx, w.key)
			if err != nil {
				return err
			}
			if problem != "" {
				return fmt.Errorf("%w: %s", errSealsCut, problem)
			}
			s := seal{CreatedAt: w.db.Now(), Version: sealVersion}
			var ids []int64
			err = tx.NewSelect().Model((*transaction)(nil)).Column("id").
				Where("id > ? AND created_at < ?", last.LastID, w.db.Now().Add(-settled)).
				OrderExpr("id").Limit(sealBatchSize).Scan(ctx, &ids)
			if err != nil || len(ids) == 0 {
				return err
			}
			s.FirstID, s.LastID, more = ids[0], ids[len(ids)-1], len(ids) == sealBatchSize
			if s.Hash, err = s.compute(ctx, tx, last); err != nil {
				return err
			}
			if _, err = tx.NewInsert().Model(&s).Exec(ctx); err != nil {
				return err
			}
			text, err := json.Marshal(sealEnd{s.ID, s.Hash})
			if err != nil {
				return err
			}
			_, err = tx.NewRaw(`INSERT INTO secret (name, sealed, updated_at) VALUES (?, ?, ?)
				ON CONFLICT (name) DO UPDATE SET sealed = EXCLUDED.sealed, updated_at = EXCLUDED.updated_at`,
				endName, w.key.Seal(endPurpose(), text), s.CreatedAt).Exec(ctx)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// checkEnd returns the newest seal, and in what it is not the one that the signed end names; empty where it is. Seals
// of version 1 have no signed end.
func checkEnd(ctx context.Context, idb bun.IDB, key sealing.Key) (last seal, problem string, err error) {
	err = idb.NewSelect().Model(&last).OrderExpr("id DESC").Limit(1).Scan(ctx)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return last, "", err
	}
	var signed []byte
	err = idb.NewRaw(`SELECT sealed FROM secret WHERE name = ?`, endName).Scan(ctx, &signed)
	switch {
	case errors.Is(err, db.ErrNoRows) && last.Version < sealVersion:
		return last, "", nil
	case errors.Is(err, db.ErrNoRows):
		return last, fmt.Sprintf("nothing says that seal %d is the newest: the row %s of the table secret was removed",
			last.ID, endName), nil
	case err != nil:
		return last, "", err
	}
	var end sealEnd
	text, err := key.Open(endPurpose(), signed)
	if err != nil || json.Unmarshal(text, &end) != nil {
		return last, fmt.Sprintf("the row %s of the table secret was not written with the secret key", endName), nil
	}
	if last.ID != end.ID || !bytes.Equal(last.Hash, end.Hash) {
		return last, fmt.Sprintf("the newest seal is %d, and %d was signed as the newest", last.ID, end.ID), nil
	}
	return last, "", nil
}

// CheckKey returns where the chain of seals does not end as it was signed: seals were removed from its end, or put
// there.
func CheckKey(ctx context.Context, d *db.DB, key sealing.Key) ([]db.Violation, error) {
	var problem string
	// Of one moment: a seal is written with its signature.
	err := d.ReadTx(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		_, problem, err = checkEnd(ctx, tx, key)
		return err
	})
	if err != nil || problem == "" {
		return nil, err
	}
	return []db.Violation{{Rule: "I3: postings are only added", What: problem}}, nil
}

// compute returns the hash of s, which covers all transactions after the seal before it.
func (s *seal) compute(ctx context.Context, idb bun.IDB, before seal) ([]byte, error) {
	hash, err := hashLedger(ctx, idb, before.Hash, before.LastID+1, s.LastID)
	if err != nil || s.Version < 2 {
		return hash, err
	}
	text, err := json.Marshal([]any{"seal", s.Version, s.FirstID, s.LastID, s.CreatedAt.UnixNano()})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append(text, hash...))
	return sum[:], nil
}

// hashLedger returns the SHA-256 over the hash before and the transactions from first to last with their postings.
func hashLedger(ctx context.Context, idb bun.IDB, before []byte, first, last int64) ([]byte, error) {
	var transactions []transaction
	if err := idb.NewSelect().Model(&transactions).Where("id BETWEEN ? AND ?", first, last).OrderExpr("id").
		Scan(ctx); err != nil {
		return nil, err
	}
	var postings []posting
	if err := idb.NewSelect().Model(&postings).Where("transaction_id BETWEEN ? AND ?", first, last).OrderExpr("id").
		Scan(ctx); err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(before)
	out := json.NewEncoder(h)
	for _, t := range transactions {
		if err := out.Encode([]any{
			t.ID, t.Reason, t.Reference.Kind, t.Reference.ID, t.Note, t.Currency,
			t.CreatedAt.UnixMilli(),
		}); err != nil {
			return nil, err
		}
	}
	for _, p := range postings {
		if err := out.Encode([]any{
			p.ID, p.TransactionID, p.AccountID, p.Amount, p.BalanceAfter,
			p.Version,
		}); err != nil {
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
		// The hash begins right after the seal before, so that a row put in between shows too.
		hash, err := s.compute(ctx, w.db, before)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(hash, s.Hash) {
			broken = append(broken, db.Violation{
				Rule: "I3: postings are only added",
				What: fmt.Sprintf("ledger transactions %d to %d are not what was sealed, or their seal was changed",
					s.FirstID, s.LastID),
			})
		}
		before = s
	}
	return broken, nil
}
