package shop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/shop"
)

func TestSchema_RefusesToGiveBackMoreThanWasPaid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, nil)
		user := c.user(t, 100000)
		kept := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1)})
		refunded := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1), AutoRenew: true})
		if _, err := c.Refund(t.Context(), refunded.ID, "test", nil); err != nil {
			t.Fatal(err)
		}
		for name, statement := range map[string]string{
			"more than was paid": fmt.Sprintf(`UPDATE fulfilment
				SET given_back = paid + 1, given_back_at = created_at WHERE order_id = %d`, kept.ID),
			"a second time": fmt.Sprintf(`UPDATE fulfilment
				SET given_back = given_back + 1 WHERE order_id = %d`, refunded.ID),
			"without a time": fmt.Sprintf(`UPDATE fulfilment SET given_back = 1
				WHERE order_id = %d`, kept.ID),
			"a refunded service runs again": fmt.Sprintf(`UPDATE service SET ended_at = NULL
				WHERE id = %d`, *refunded.Service),
			"a refunded service renews itself": fmt.Sprintf(`UPDATE service SET auto_renew = (1 = 1)
				WHERE id = %d`, *refunded.Service),
			"a running service has a reason to have ended": fmt.Sprintf(`UPDATE service SET end_reason = 'expired'
				WHERE id = %d`, *kept.Service),
		} {
			err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			})
			if !errors.Is(err, db.ErrCheck) {
				t.Errorf("%s: %v, want %v", name, err, db.ErrCheck)
			}
		}
		c.sound(t)
	})
}

// What changes and refunds gave back before the periods recorded it is recorded by the migration.
func TestMigration_RecordsWhatWasGivenBackBefore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := open(t, d)
		c.days(0)
		plan := c.plan(t, nil)
		other := c.plan(t, func(p *shop.Plan) { p.Name, p.Prices = "Other", []shop.Price{{Months: 12, Amount: 24000}} })
		pack := c.plan(t, func(p *shop.Plan) { p.Kind, p.Prices = shop.KindPackage, []shop.Price{{Amount: 500}} })
		user := c.user(t, 100000)
		var orders []*shop.Order
		for range 3 { // of two periods each
			o := c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 1), AutoRenew: true})
			c.buy(t, user, shop.Purchase{PriceID: priceOf(plan, 3), RenewServiceID: o.Service})
			orders = append(orders, o)
		}
		packed := c.buy(t, user, shop.Purchase{PriceID: pack.Prices[0].ID})
		c.days(12)
		changed := c.buy(t, user, shop.Purchase{PriceID: other.Prices[0].ID, ChangeServiceID: orders[0].Service})
		c.days(3)
		for _, o := range []*shop.Order{orders[1], packed, changed} {
			if _, err := c.Refund(t.Context(), o.ID, "test", nil); err != nil {
				t.Fatal(err)
			}
		}
		want := recordsOf(t, d)
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			statements := []string{`DROP INDEX fulfilment_credited`}
			for _, column := range []string{"credited_by", "given_back_at", "given_back", "paid"} {
				statements = append(statements, "ALTER TABLE fulfilment DROP COLUMN "+column)
			}
			statements = append(statements, "ALTER TABLE service DROP COLUMN end_reason")
			for _, statement := range append(statements, migration(t, d, "20261123000600_given_back.sql")...) {
				if _, err := tx.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("%s: %w", statement, err)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := recordsOf(t, d); !slices.Equal(got, want) {
			t.Errorf("after the migration:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		c.sound(t)
	})
}

// recordsOf returns what periods, packages and services record of having been given back.
func recordsOf(t *testing.T, d *db.DB) (records []string) {
	t.Helper()
	if err := d.NewRaw(`SELECT 'order ' || order_id || ': ' || given_back || ' of ' || paid || ' ' || COALESCE(CAST(given_back_at AS TEXT), '-')
			|| ' ' || COALESCE(CAST(credited_by AS TEXT), '-') FROM fulfilment
		UNION ALL SELECT 'service ' || id || ': ' || COALESCE(end_reason, 'runs') FROM service
		ORDER BY 1`).Scan(t.Context(), &records); err != nil {
		t.Fatal(err)
	}
	return records
}

var comment = regexp.MustCompile(`(?m)--.*$`)

// migration returns the statements of a migration in the words of the engine.
func migration(t *testing.T, d *db.DB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("../db/migrations/" + name)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.NewReplacer("{{int}}", "BIGINT", "{{text}}", "TEXT", "{{time}}", "TIMESTAMPTZ", "{{false}}",
		"FALSE", "{{true}}", "TRUE", "{{bool}}", "BOOLEAN")
	if d.SQLite() {
		words = strings.NewReplacer("{{int}}", "INTEGER", "{{text}}", "TEXT", "{{time}}", "TEXT", "{{false}}", "0",
			"{{true}}", "1", "{{bool}}", "INTEGER")
	}
	statements := strings.Split(words.Replace(comment.ReplaceAllString(string(text), "")), ";")
	return slices.DeleteFunc(statements, func(s string) bool { return strings.TrimSpace(s) == "" })
}
