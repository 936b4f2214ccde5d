package invite_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// The movement of a refund from before there was given_back brings its money back.
func TestMigration_OrderRefundedBeforeGivenBack_BringsItsMoneyBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		inviter := c.user(t, 0)
		buyer := c.user(t, inviter)
		c.pays(t, buyer, 1000)
		c.refunds(t, c.buys(t, buyer))
		text, err := os.ReadFile("../db/migrations/20261129132500_order_money.sql")
		if err != nil {
			t.Fatal(err)
		}
		_, last, _ := strings.Cut(string(text), "UPDATE commission")
		value := "TRUE"
		if d.SQLite() {
			value = "1"
		}
		c.do(t, func(ctx context.Context, tx bun.Tx) error {
			for _, statement := range []string{
				// as before given_back, when movements referred to the commission
				"UPDATE commission SET given_back = 0", "UPDATE paid_money SET amount = 0", "DELETE FROM commission_reversal",
				"UPDATE ledger_transaction SET reference_kind = 'commission' WHERE reference_kind = 'commission_reversal'",
				"UPDATE commission" + strings.ReplaceAll(last, "{{true}}", value),
			} {
				if _, err := tx.ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
		c.buys(t, buyer)
		c.has(t, inviter, 0, 100)
	})
}

// Commissions of earlier versions were pending, released or reversed as a whole.
func TestMigration_CommissionsFromBeforeParts_AreTheSame(t *testing.T) {
	dbtest.EachAt(t, 20261130084500, func(t *testing.T, d *db.DB) {
		do := func(fn func(ctx context.Context, tx bun.Tx) error) {
			t.Helper()
			if err := d.Tx(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		do(func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`INSERT INTO commission (order_id, inviter_id, user_id, base, permille, amount, state, created_at,
				release_at, ended_at, returned, withdrawn, owed, settled, given_back) VALUES
				(1, 1, 2, 1009, 100, 100, 'pending', ?0, ?0, NULL, 0, 0, 0, 0, 0),
				(2, 1, 2, 2000, 100, 200, 'released', ?0, ?0, ?0, 0, 0, 0, 30, 0),
				(3, 1, 2, 3000, 100, 300, 'reversed', ?0, ?0, ?0, 1, 40, 10, 0, 100)`, d.Now()).Exec(ctx)
			return err
		})
		if err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		do(func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`INSERT INTO commission (order_id, inviter_id, user_id, base, permille, amount, state, created_at,
				release_at) VALUES (4, 1, 2, 100, 100, 10, 'pending', ?0, ?0)`, d.Now()).Exec(ctx)
			return err
		})
		var found []string
		if err := d.NewSelect().Table("commission").OrderExpr("id").ColumnExpr(`id || ' ' || order_id || ' ' || state || ' '
			|| amount || '-' || reversed || ' ' || returned || ' ' || given_back || ' ' || withdrawn || ' ' || owed || ' '
			|| settled`).Scan(t.Context(), &found); err != nil {
			t.Fatal(err)
		}
		if want := []string{
			"1 1 pending 100-0 0 0 0 0 0", "2 2 released 200-0 0 0 0 0 30", "3 3 reversed 300-300 1 100 40 10 0",
			"4 4 pending 10-0 0 0 0 0 0",
		}; !slices.Equal(found, want) {
			t.Errorf("%q", found)
		}
	})
}
