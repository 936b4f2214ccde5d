package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
)

// A chain that an earlier program began, whose seals do not cover their time, is valid and goes on with newer seals.
func TestSeal_ChainOfAnEarlierVersion_StaysValidAndGoesOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		key := seal.Key{1, 2, 3}
		log, err := Open(t.Context(), d, key)
		if err != nil {
			t.Fatal(err)
		}
		record := func() {
			t.Helper()
			if err := Note(log.As(t.Context(), Actor{Kind: Operator, Name: "root"}), "node.add", ID("node", 1), nil,
				""); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			record()
		}
		entries, _, err := log.Find(t.Context(), Filter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		end := head{ID: 1}
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			for i := range entries {
				e := &entries[len(entries)-1-i]
				text := binary.BigEndian.AppendUint64(end.Hash, uint64(i+1))
				text = binary.BigEndian.AppendUint64(text, uint64(e.ID))
				sum := sha256.Sum256(append(append(text, e.MAC...), e.canonical()...))
				end.Seq, end.Hash = int64(i+1), sum[:]
				// As the earlier program does it, which knows no versions.
				if _, err := tx.NewRaw(`INSERT INTO audit_seal (seq, entry_id, hash, at) VALUES (?, ?, ?, ?)`,
					end.Seq, e.ID, end.Hash, d.Now()).Exec(ctx); err != nil {
					return err
				}
			}
			end.MAC = end.sign(log.key)
			_, err := tx.NewUpdate().Model(&end).WherePK().Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		record()
		if err := log.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		var versions []int64
		if err := d.NewRaw(`SELECT version FROM audit_seal ORDER BY seq`).Scan(t.Context(), &versions); err != nil {
			t.Fatal(err)
		}
		if len(versions) != 4 || versions[2] != 1 || versions[3] != sealVersion {
			t.Errorf("the seals have the versions %v", versions)
		}
		if broken, err := Check(t.Context(), d); err != nil || broken != nil {
			t.Error(broken, err)
		}
	})
}
