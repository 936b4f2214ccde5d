package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/cdkey"
	"airstrip/internal/db"
	"airstrip/internal/node"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/traffic"
)

// lived opens a test server whose database contains one of everything that the rules concern.
func lived(t *testing.T, f *testServer) {
	t.Helper()
	ctx := f.operator(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	inviter := f.addUser(t, "inviter", 0)
	who := f.addUser(t, "user", 5000)
	f.past(t, fmt.Sprintf(`UPDATE account SET invited_by = %d WHERE id = %d`, inviter.id, who.id),
		fmt.Sprintf(`UPDATE user_facts SET inviter_id = %d WHERE user_id = %d`, inviter.id, who.id))
	r := f.recharge(t, who.id, 3000)
	must(f.sandbox.Close(ctx, r.TradeNo, true))
	f.notify(ctx, sandbox.Name, f.signed(notice(r)))
	f.recharge(t, who.id, 700) // stays unpaid
	plan, dear, pack := f.sells(t, shop.KindPlan, 1000), f.sells(t, shop.KindPlan, 10_000), f.sells(t, shop.KindPackage,
		300)
	_, err := f.Shop.AddCoupon(ctx, shop.Coupon{
		Code: "HALF", Enabled: true, Percent: new(50), Total: new(int64(5)),
		PerUser: new(int64(5)),
	}, nil)
	must(err)
	_, err = f.Shop.Confirm(ctx, who.id, shop.Purchase{PriceID: plan, Coupon: "HALF"})
	must(err)
	order, err := f.Shop.Confirm(ctx, who.id, shop.Purchase{PriceID: plan})
	must(err)
	_, err = f.Shop.Confirm(ctx, who.id, shop.Purchase{PriceID: pack})
	must(err)
	_, err = f.Shop.Refund(ctx, order, "test", nil)
	must(err)
	// waits, holding all that is left
	_, err = f.Payments.Confirm(ctx, who.id, shop.Purchase{PriceID: dear}, sandbox.Name)
	must(err)
	_, keys, err := f.CDKeys.Make(ctx, cdkey.Batch{
		Gift: cdkey.Gift{Kind: cdkey.Amount, Amount: 100}, Size: 1,
		MaxUses: 1,
	}, nil)
	must(err)
	_, err = f.CDKeys.Redeem(ctx, who.id, keys[0])
	must(err)
	f.moves(t, who.id)
	f.DB.SetClock(func() time.Time { return time.Now().Add(20 * time.Minute) })
	must(f.Wallets.Seal(ctx))
	f.DB.SetClock(func() time.Time { return time.Now().Add(5 * time.Hour) })
	must(f.Console.StoreHours(ctx))
	f.DB.SetClock(time.Now)
	f.sound(t)
}

// moves has a node report traffic of the user.
func (f *testServer) moves(t *testing.T, userID int64) {
	t.Helper()
	n, _, err := f.Nodes.Add(t.Context(), node.Draft("hk", node.VMess, "hk.example", 80))
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := f.Traffic.Record(t.Context(), traffic.Report{
		Node: n, Hash: sha256.Sum256([]byte("first")),
		Rows: []traffic.Row{{UserID: userID, Up: 1000, Down: 2000}},
	})
	if err != nil || len(receipt.Refused) > 0 {
		t.Fatal(receipt, err)
	}
}

// past runs statements that no API of the server would, past the checks and references of the schema too.
func (f *testServer) past(t *testing.T, statements ...string) {
	t.Helper()
	first := `SET LOCAL session_replication_role = replica`
	if f.DB.SQLite() {
		first = `PRAGMA ignore_check_constraints = 1; PRAGMA defer_foreign_keys = 1`
	}
	if err := f.DB.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		for _, s := range append([]string{first}, statements...) {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// undoing keeps a copy of the tables that the damages are done to and gives what brings it back.
func (f *testServer) undoing(t *testing.T) (undo func()) {
	t.Helper()
	copies := "temp"
	if !f.DB.SQLite() {
		copies = "kept"
		// SQLite lets its checks be ignored.
		f.past(t, `CREATE SCHEMA kept`, `DO $$ DECLARE c record; BEGIN
			FOR c IN SELECT conname, conrelid::regclass AS of FROM pg_constraint WHERE contype = 'c'
			AND connamespace = 'public'::regnamespace
			LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.of, c.conname); END LOOP; END $$`)
	}
	var back []string
	for _, name := range []string{
		"ledger_account", "ledger_transaction", "posting", "recharge", "fulfilment", "cd_key", "cd_key_redemption",
		"coupon", "shop_order", "commission",
		"account", "refund", "wallet_adjustment", "refund_request", "service", "package",
		"service_cycle", "service_period", "traffic_now", "traffic_day_chunk", "node_day", "overview_hour",
		"user_facts", // the last: SQLite's triggers write it while the others come back
	} {
		f.past(t, "CREATE TABLE "+copies+".kept_"+name+" AS SELECT * FROM "+name)
		columns, err := storedColumns(t.Context(), f.DB, name)
		if err != nil {
			t.Fatal(err)
		}
		back = append(back, "DELETE FROM "+name,
			fmt.Sprintf("INSERT INTO %s (%s) SELECT %[2]s FROM %s.kept_%[1]s", name, columns, copies))
	}
	return func() { t.Helper(); f.past(t, append(back, "DROP TABLE IF EXISTS later")...) }
}

// Each breaks one invariant where the schema cannot hold it, or where somebody took the schema's check away.
var damages = []struct{ rule, sql string }{
	{"I1", `UPDATE posting SET amount = amount - 1 WHERE version IS NULL`},
	{"I1", `UPDATE ledger_transaction SET currency = 'XXX' WHERE reason = 'purchase'`},
	{"I1", `INSERT INTO ledger_transaction (id, reason, reference_kind, reference_id, note, currency, created_at)
		SELECT 9000, reason, reference_kind, 9000, '', currency, created_at FROM ledger_transaction WHERE id = 1`},
	{"I2", `UPDATE ledger_account SET posted = posted + 1000 WHERE kind = 'wallet' AND posted > 0`},
	{"I2", `UPDATE ledger_account SET version = version + 1 WHERE kind = 'wallet' AND posted > 0`},
	{"I2", `UPDATE posting SET balance_after = balance_after + 1 WHERE version = 1`},
	{"I3", `UPDATE ledger_transaction SET note = 'something else' WHERE id = 2`},
	{"I3", `UPDATE ledger_transaction SET reference_id = 999 WHERE id = 1`},
	{"I4", `UPDATE ledger_account SET held = held + 1 WHERE kind = 'wallet' AND posted > 0`},
	{"I4", `UPDATE shop_order SET state = 'cancelled' WHERE state = 'pending'`},
	{"I5", `UPDATE recharge SET amount = amount + 1, pay_amount = pay_amount + 1 WHERE state = 'paid'`},
	{"I5", `UPDATE recharge SET state = 'pending', transaction_id = NULL, paid_at = NULL WHERE state = 'paid'`},
	{"I5", `UPDATE recharge SET state = 'paid', transaction_id = 'x' || CAST(id AS TEXT), paid_at = created_at
		WHERE state = 'pending'`},
	{"I6", `DELETE FROM fulfilment WHERE package_id IS NOT NULL`},
	{"I6", `INSERT INTO fulfilment (order_id, user_id, service_id, months, starts_at, ends_at, created_at)
		SELECT o.id, o.user_id, f.service_id, 1, f.starts_at, f.ends_at, f.created_at FROM shop_order o, fulfilment f
		WHERE o.state = 'pending' AND f.service_id = (SELECT MIN(service_id) FROM fulfilment)`},
	{"I7", `UPDATE cd_key SET used = 0`},
	{"I7", `UPDATE cd_key SET used = 2`},
	{"I7", `DELETE FROM cd_key_redemption`},
	{"I8", `UPDATE coupon SET taken = taken + 1`},
	{"I8", `UPDATE coupon SET per_user = 1; UPDATE shop_order SET coupon_id = (SELECT id FROM coupon)`},
	{"I8", `UPDATE shop_order SET discount = 1, amount = amount - 1 WHERE kind = 'package'`},
	{"I9", `UPDATE commission SET amount = amount + 1 WHERE state = 'pending'`},
	{"I9", `UPDATE account SET invited_by = id WHERE invited_by IS NULL`},
	{"I9", `UPDATE commission SET base = base * 100, amount = amount * 100`},
	{"I9", `UPDATE commission SET state = 'released', ended_at = created_at WHERE state = 'pending'`},
	{"I9", `UPDATE commission SET owed = 1, withdrawn = 1, state = 'reversed', ended_at = created_at
		WHERE state = 'pending'`},
	{"I10", `UPDATE refund SET amount = amount * 3`},
	{"I10", `UPDATE shop_order SET state = 'paid' WHERE state = 'refunded'`},
	{"I10", `UPDATE shop_order SET price = price + 1, amount = amount + 1 WHERE kind = 'package'`},
	{"I11", `UPDATE shop_order SET recharge_id = NULL WHERE state = 'pending'`},
	{"I11", `UPDATE wallet_adjustment SET state = 'declined'`},
	{"I11", `INSERT INTO refund_request (order_id, user_id, reason, state, answer, created_at, ended_at)
		SELECT id, user_id, 'x', 'granted', '', created_at, created_at FROM shop_order WHERE kind = 'package'`},
	{"I11", `UPDATE account SET banned_at = created_at WHERE invited_by IS NOT NULL`},
	{"I12", `CREATE TABLE later (amount REAL)`},
	{"I13", `UPDATE service SET quota_bytes = 0`},
	{"I13", `UPDATE service SET quota_bytes = NULL`},
	{"I11", `INSERT INTO ledger_transaction (id, reason, reference_kind, reference_id, note, currency, created_at)
		SELECT 9000, 'bonus', 'bonus', 1, '', currency, created_at FROM ledger_transaction WHERE id = 1`},
	{"I11", `INSERT INTO ledger_transaction (id, reason, reference_kind, reference_id, note, currency, created_at)
		SELECT 9000, 'refund', 'order', 9000, '', currency, created_at FROM ledger_transaction WHERE id = 1`},
	{"I11", `UPDATE ledger_transaction SET reason = 'purchase' WHERE reason = 'recharge'`},
	{"I11", `INSERT INTO ledger_transaction (id, reason, reference_kind, reference_id, note, currency, created_at)
		SELECT 9000, 'gateway_refund', 'gateway_refund', 9000, '', currency, created_at FROM ledger_transaction
		WHERE id = 1`},
	{"I14", `UPDATE traffic_now SET node_id = node_id + 1000`},
	{"I14", `UPDATE traffic_now SET chunk = chunk + 1`},
	{"I14", `UPDATE traffic_now SET data = substr(data, 1, 2)`},
	{"I14", `UPDATE traffic_now SET rate_permille = rate_permille + 1`},
	{"I14", `DELETE FROM traffic_now`},
	{"I14", `UPDATE traffic_day_chunk SET id = id + 1`},
	{"I14", `UPDATE traffic_day_chunk SET id = id + 4294967296`},
	{"I14", `UPDATE traffic_day_chunk SET data = substr(data, 1, 2)`},
	{"I14", `UPDATE node_day SET down = down + 1`},
	{"I14", `UPDATE service_cycle SET billed = billed + 1 WHERE billed > 0`},
	{"I14", `UPDATE package SET used = used + 1`},
	{"I14", `UPDATE service_cycle SET billed = billed - 1, billed_up = 0 WHERE billed > 0`},
	{"I14", `UPDATE service_cycle SET up = up - 1 WHERE up > 0`},
	{"I14", `UPDATE service_cycle SET up = 0, down = 0, billed = 0, billed_up = 0`},
	{"I14", `DELETE FROM traffic_now; DELETE FROM traffic_day_chunk; DELETE FROM node_day`},
	{"I15", `UPDATE service SET cycle = cycle + 1`},
	{"I15", `UPDATE service_cycle SET cycle = cycle + 1`},
	{"I15", `DELETE FROM service_cycle WHERE billed = 0`},
	{"I15", `UPDATE service SET ends_at = '2099-01-01 00:00:00+00:00' WHERE ended_at IS NULL`},
	{"I15", `UPDATE service SET ends_at = '2099-01-01 00:00:00+00:00'; UPDATE service_period
		SET ends_at = '2099-01-01 00:00:00+00:00'`},
	{"I15", `DELETE FROM service_period`},
	{"I15", `UPDATE service SET quota_bytes = quota_bytes + 1`},
	{"I15", `UPDATE service SET quota_bytes = quota_bytes + 1; UPDATE service_period
		SET quota_bytes = quota_bytes + 1`},
	{"I15", `UPDATE service SET term_bytes = term_bytes - 1`},
	{"I15", `UPDATE service SET quota_bytes = quota_bytes - 1, term_bytes = term_bytes - 1; UPDATE service_period
		SET quota_bytes = quota_bytes - 1`},
	{"I15", `UPDATE service SET devices = 99`},
	{"I15", `UPDATE service SET class = class + 1`},
	{"I15", `UPDATE package SET bytes = bytes + 1`},
	{"I13", `UPDATE service SET ended_at = started_at; UPDATE package SET ended_at = created_at`},
	{"I18", `UPDATE overview_hour SET amount = amount + 1 WHERE figure = 'revenue' AND found > 0`},
	{"I18", `UPDATE overview_hour SET found = found + 1 WHERE figure = 'received' AND found > 0`},
	{"I18", `UPDATE overview_hour SET amount = 0 WHERE figure = 'gifts'`},
	{"I18", `DELETE FROM overview_hour WHERE figure = 'orders' AND found > 0`},
	{"I18", `UPDATE overview_hour SET hour = hour + 48 WHERE figure = 'received'`},
	{"I18", `INSERT INTO overview_hour (figure, hour, found, amount) SELECT figure, hour - 48, 1, 1 FROM overview_hour
		WHERE figure = 'returned'`},
	{"I18", `UPDATE recharge SET paid_at = '2020-01-01 00:00:00+00:00' WHERE state = 'paid'`},
}

func TestDoctor_NamesEveryBrokenInvariant(t *testing.T) {
	eachCluster(t, func(t *testing.T, fronts []*testServer) {
		f := fronts[0]
		lived(t, f)
		undo := f.undoing(t)
		named := map[string]bool{}
		for _, d := range damages {
			f.past(t, d.sql)
			broken, err := f.Check(t.Context())
			found := slices.ContainsFunc(broken, func(v db.Violation) bool {
				return strings.HasPrefix(v.Rule,
					d.rule+": ") && v.What != ""
			})
			if err != nil || !found {
				t.Errorf("%s is not named after %s: %v, %v", d.rule, d.sql, broken, err)
			}
			named[d.rule] = named[d.rule] || found
			undo()
			f.sound(t)
		}
		for n := 1; n <= 15; n++ {
			if !named[fmt.Sprintf("I%d", n)] {
				t.Errorf("nothing here breaks I%d", n)
			}
		}
	})
}

func TestDoctor_NightlyCheck_RaisesAlarm(t *testing.T) {
	f := newTestServer(t, config(t))
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})))
	defer slog.SetDefault(before)
	reg := prometheus.NewRegistry()
	reg.MustRegister(f.nightly.broken, f.nightly.at)
	night := func() (metrics string) {
		t.Helper()
		if err := f.Queue.Trigger(t.Context(), "doctor"); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		metricsHandler(reg, "").ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics",
			nil))
		return w.Body.String()
	}
	if metrics := night(); !strings.Contains(metrics, "airstrip_rules_broken 0") ||
		strings.Contains(metrics, "airstrip_rules_checked_seconds 0\n") || log.Len() > 0 {
		t.Errorf("a sound night: %s, %s", metrics, &log)
	}
	f.addUser(t, "user", 100)
	f.past(t, `UPDATE ledger_account SET posted = 700 WHERE posted = 100`)
	if metrics := night(); !strings.Contains(metrics, "airstrip_rules_broken 1\n") ||
		!strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "I2: a user") {
		t.Errorf("an unsound night: %s, %s", metrics, &log)
	}
}
