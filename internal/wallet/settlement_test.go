package wallet_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// Settlements were told apart by the exact text of their references once, so that some were entered twice.
func TestMigration_SettlementsEnteredTwice_Stay(t *testing.T) {
	const before = 20261127053000
	dbtest.EachAt(t, before, func(t *testing.T, d *db.DB) {
		insert := func(gateway, reference, reversed string) error {
			const at = `'2026-11-23 00:00:00+00:00'`
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, `INSERT INTO gateway_settlement (gateway, gross, fee, reference, arrived_at, note,
						created_at, reversed_at) VALUES ('`+gateway+`', 100, 0, '`+reference+`', `+at+`, '', `+at+`, `+reversed+`)`)
				return err
			})
		}
		const booked, reversed = "NULL", "'2026-11-24 00:00:00+00:00'"
		for _, s := range [][3]string{
			{"alipay", "PO 1", reversed},
			{"alipay", "PO 1", booked},
			{"alipay", "po1", booked},
			{"alipay", "ＰＯ１", booked},
			{"stripe", "PO 1", booked},
			{"stripe", "\u200b", booked},
		} {
			if err := insert(s[0], s[1], s[2]); err != nil {
				t.Fatal(s, err)
			}
		}
		if err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		var keys []string
		if err := d.NewRaw(`SELECT COALESCE(reference_key, '-') FROM gateway_settlement ORDER BY id`).
			Scan(t.Context(), &keys); err != nil {
			t.Fatal(err)
		}
		want := []string{"po1", "po1", "-", "-", "po1", "-"}
		for i := range want {
			if len(keys) != len(want) || keys[i] != want[i] {
				t.Fatalf("the keys are %q, want %q", keys, want)
			}
		}
	})
}
