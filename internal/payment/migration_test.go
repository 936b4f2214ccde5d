package payment_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// SQLite makes the table of cases anew, to which notifies refer.
func TestMigration_CasesOfEarlierVersions_StayWithTheirNotifies(t *testing.T) {
	const before = 20261127103500
	dbtest.EachAt(t, before, func(t *testing.T, d *db.DB) {
		exec := func(statement string) error {
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			})
		}
		const at = `'2026-11-27 00:00:00+00:00'`
		addCase := func(transaction, amount, state, endedAt string) error {
			return exec(`INSERT INTO payment_case (kind, gateway, transaction_id, trade_no, amount, currency,
					user_id, state, credit, reason, answer, attempts, next_at, created_at, ended_at) VALUES
					('wrong_amount', 'pay', '` + transaction + `', 'N1', ` + amount + `, 'CNY', 1, '` + state + `', 5,
					'too little', '', 0, ` + at + `, ` + at + `, ` + endedAt + `)`)
		}
		blob := "x'01'"
		if !d.SQLite() {
			blob = `'\x01'`
		}
		for _, err := range []error{
			addCase("T1", "5", "credited", at), addCase("T2", "6", "open", "NULL"),
			exec(`INSERT INTO payment_notify (gateway, method, query, header, body, address, outcome, reason, case_id,
					created_at) VALUES ('pay', 'POST', '', '{}', ` + blob + `, '', 'refused', 'wrong_amount', 2, ` + at + `)`),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}

		var kept []struct {
			ID       int64
			State    string
			Credit   int64
			Notifies int64
		}
		if err := d.NewRaw(`SELECT id, state, credit, (SELECT COUNT(*) FROM payment_notify n WHERE n.case_id = c.id)
				AS notifies FROM payment_case c ORDER BY id`).Scan(t.Context(), &kept); err != nil || len(kept) != 2 ||
			kept[0].State != "credited" || kept[0].Credit != 5 || kept[1].ID != 2 || kept[1].Notifies != 1 {
			t.Errorf("%+v, %v", kept, err)
		}
		if err := addCase("T1", "7", "open", "NULL"); err != nil {
			t.Errorf("another amount of a payment: %v", err)
		}
		if addCase("T1", "7", "open", "NULL") == nil {
			t.Error("the same amount of a payment has two cases")
		}
		if exec(`DELETE FROM payment_case WHERE id = 2`) == nil {
			t.Error("a case to which a notify refers was removed")
		}
	})
}
