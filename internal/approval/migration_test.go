package approval_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/setting"
)

// Acts were copied once, while what they speak of was still decided without them.
func TestMigration_ActsOfDecidedMatters_EndAsThoseDid(t *testing.T) {
	const before = 20261123011959
	dbtest.EachAt(t, before, func(t *testing.T, d *db.DB) {
		blob := "x'01'"
		if !d.SQLite() {
			blob = `'\x01'`
		}
		const at = `'2026-11-23 00:00:00+00:00'`
		for _, statement := range []string{
			// 1 posted, 2 declined, 3 waits with its act, 4 began to wait later
			`INSERT INTO wallet_adjustment (user_id, amount, reason, state, made_by, created_at, decided_by, decided_at) VALUES
					(1, 5, 'a', 'posted', 7, ` + at + `, 8, ` + at + `), (1, 6, 'b', 'declined', 7, ` + at + `, 7, ` + at + `),
					(1, 7, 'c', 'pending', 7, ` + at + `, NULL, NULL), (1, -8, 'd', 'pending', 7, ` + at + `, NULL, NULL)`,
			// 1 confirmed, 2 void, 3 waits
			`INSERT INTO cd_key_batch (name, kind, amount, size, max_uses, made_by, created_at, confirmed_by,
					confirmed_at, voided_by, voided_at) VALUES
					('', 'amount', 5, 1, 1, 7, ` + at + `, 8, ` + at + `, NULL, NULL), ('', 'amount', 5, 1, 1, 7, ` + at + `, NULL, NULL, 7, ` + at + `),
					('', 'amount', 5, 2, 3, 7, ` + at + `, NULL, NULL, NULL, NULL)`,
			`INSERT INTO cd_key (batch_id, hash, prefix, max_uses, used) VALUES (3, ` + blob +
				`, 'x', 3, 0)`,
			`INSERT INTO staff_grant (kind, reference_id, staff_id, beneficiary_id, worth, day, state, created_at) VALUES
					('adjustment', 1, 7, 1, 5, '', 'waiting', ` + at + `), ('adjustment', 2, 7, 1, 6, '', 'waiting', ` + at + `),
					('adjustment', 3, 7, 1, 7, '', 'waiting', ` + at + `),
					('cd_keys', 1, 7, NULL, 5, '', 'waiting', ` + at + `), ('cd_keys', 2, 7, NULL, 5, '', 'waiting', ` + at + `)`,
		} {
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			}); err != nil {
				t.Fatal(statement, err)
			}
		}
		if err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		a := approval.New(d, settings)
		acts, _, err := a.Find(t.Context(), "", 0, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		type key struct {
			kind approval.Kind
			id   int64
		}
		states := map[key]approval.State{}
		for _, g := range acts {
			states[key{g.Kind, g.ReferenceID}] = g.State
		}
		for of, want := range map[key]approval.State{
			{approval.Adjustment, 1}: approval.Approved, {approval.Adjustment, 2}: approval.Declined,
			{approval.Adjustment, 3}: approval.Waiting, {approval.Adjustment, 4}: approval.Waiting,
			{approval.CDKeys, 1}: approval.Approved, {approval.CDKeys, 2}: approval.Declined,
			{approval.CDKeys, 3}: approval.Waiting,
		} {
			if states[of] != want {
				t.Errorf("%v is %q, want %q", of, states[of], want)
			}
		}
		if broken, err := a.Check(t.Context()); err != nil || len(broken) > 0 {
			t.Error(broken, err)
		}
		var uses int
		if err := d.NewRaw(`SELECT max_uses FROM cd_key`).Scan(t.Context(), &uses); err != nil || uses != 0 {
			t.Error("a key that waits can be used ", uses, err)
		}
	})
}
