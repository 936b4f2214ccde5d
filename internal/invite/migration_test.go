package invite_test

import (
	"context"
	"os"
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
				"UPDATE commission SET given_back = 0", "UPDATE paid_money SET amount = 0", // as before given_back
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
