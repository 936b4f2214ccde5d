package approval_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/account/accounttest"
	"airstrip/internal/approval"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/permission"
	"airstrip/internal/setting"
)

func TestDecide_WithoutAnAccount_OnlyTheOperatorApproves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settings, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		a := approval.New(d, settings)
		const ann, bob, nobody = 7, 8, 9
		accounttest.Add(t, d, permission.Finance, ann, bob)
		var number int64
		waits := func(madeBy int64) int64 {
			t.Helper()
			number++
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				alone, err := a.Propose(ctx, tx, approval.Act{
					Kind: approval.Adjustment, ReferenceID: number, MadeBy: &madeBy, Worth: approval.Unknown, Reason: "x",
				})
				if alone {
					t.Error("an act without bound took effect alone")
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return number
		}
		decide := func(no int64, approve bool, by *int64) error {
			return d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return a.Decide(ctx, tx, approval.Adjustment, no, approve, by)
			})
		}

		if err := decide(waits(ann), true, new(int64(nobody))); !errors.Is(err, approval.ErrSecondMember) {
			t.Errorf("a number that is nobody's approves: %v", err)
		}
		if err := decide(number, true, new(int64(bob))); err != nil {
			t.Errorf("a second member: %v", err)
		}
		if err := decide(waits(ann), true, nil); err != nil {
			t.Errorf("the operator: %v", err)
		}
		for _, by := range []*int64{new(int64(bob)), nil} {
			no := waits(nobody)
			if err := decide(no, true, by); !errors.Is(err, approval.ErrMakerLeft) {
				t.Errorf("what nobody made is approved: %v", err)
			}
			if err := decide(no, false, by); err != nil {
				t.Errorf("what nobody made is not declined: %v", err)
			}
		}
	})
}
