package cdkey

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/clock"
	"airstrip/internal/db"
	"airstrip/internal/idempotency"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// A user's tries that count, and for how long.
const (
	maxFailures   = 10
	failuresCount = time.Hour
)

type tries struct {
	bun.BaseModel `bun:"table:cd_key_try"`
	UserID        int64       `bun:",pk"`
	Failed        []time.Time `bun:"type:jsonb"`
	UpdatedAt     time.Time
}

// outcome is what a try came to: the number of the redemption, or 0.
type outcome struct {
	RedemptionID int64
}

// Redeem gives the user what the key holds. Spaces, dashes and case do not matter. A key that cannot be redeemed, for
// whatever reason, is ErrInvalid; ten of those within an hour are ErrTooMany.
func (k *Keys) Redeem(ctx context.Context, userID int64, text string) (*Redemption, error) {
	code, err := normal(text)
	if err != nil {
		return nil, err
	}
	done, err := idempotency.Tx(ctx, k.db, func(ctx context.Context, tx bun.Tx) (outcome, error) {
		if err := wallet.RefuseBanned(ctx, tx, userID); err != nil {
			return outcome{}, err
		}
		t, err := k.begin(ctx, tx, userID)
		if err != nil {
			return outcome{}, err
		}
		id, err := k.redeem(ctx, tx, userID, hash(code))
		if errors.Is(err, ErrInvalid) { // the transaction stays, since it counts the failure
			t.Failed = append(t.Failed, k.db.Now())
			_, err = tx.NewUpdate().Model(t).Column("failed").WherePK().Exec(ctx)
		}
		return outcome{id}, err
	})
	switch {
	case err != nil:
		return nil, err
	case done.RedemptionID == 0:
		return nil, ErrInvalid
	}
	return k.redemption(ctx, userID, done.RedemptionID)
}

// begin makes the user's other tries wait until tx ends, and refuses one that is one too many.
func (k *Keys) begin(ctx context.Context, tx bun.Tx, userID int64) (*tries, error) {
	now := k.db.Now()
	t := &tries{UserID: userID, Failed: []time.Time{}, UpdatedAt: now}
	if _, err := tx.NewInsert().Model(t).On("CONFLICT (user_id) DO UPDATE").Set("updated_at = EXCLUDED.updated_at").
		Returning("failed").Exec(ctx); err != nil {
		return nil, err
	}
	t.Failed = slices.DeleteFunc(t.Failed, func(at time.Time) bool {
		return now.Sub(at) >= failuresCount || at.After(now.Add(clock.Tolerance)) // by a clock that was ahead
	})
	if len(t.Failed) >= maxFailures {
		return nil, ErrTooMany.After(t.Failed[0].Add(failuresCount).Sub(now))
	}
	return t, nil
}

func (k *Keys) redeem(ctx context.Context, tx bun.Tx, userID int64, hash []byte) (redemptionID int64, err error) {
	now := k.db.Now()
	var keys []Key
	if err := tx.NewSelect().Model(&keys).Where("hash = ?", hash).Scan(ctx); err != nil {
		return 0, err
	}
	if len(keys) == 0 {
		return 0, ErrInvalid
	}
	key := keys[0]
	redeemed, err := tx.NewSelect().Model((*Use)(nil)).Where("key_id = ? AND user_id = ?", key.ID, userID).Exists(ctx)
	if err != nil {
		return 0, err
	}
	if redeemed {
		return 0, ErrRedeemed
	}
	var batch Batch
	if err := tx.NewSelect().Model(&batch).Where("id = ?", key.BatchID).Scan(ctx); err != nil {
		return 0, err
	}
	if batch.ConfirmedAt == nil || (batch.ExpiresAt != nil && !now.Before(*batch.ExpiresAt)) {
		return 0, ErrInvalid
	}
	if is(batch.MadeBy, userID) || is(batch.ConfirmedBy, userID) {
		return 0, ErrOwn
	}
	n, err := db.Changed(tx.NewUpdate().Model((*Key)(nil)).Set("used = used + 1").
		Where("id = ? AND used < max_uses AND voided_at IS NULL", key.ID).Exec(ctx))
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, ErrInvalid
	}
	if batch.PerUser != nil {
		n, err := tx.NewSelect().Model((*Use)(nil)).Where("batch_id = ? AND user_id = ?", batch.ID, userID).Count(ctx)
		if err != nil {
			return 0, err
		}
		if n >= int64(*batch.PerUser) {
			return 0, ErrEnough
		}
	}
	u := &Use{
		KeyID: key.ID, BatchID: batch.ID, UserID: userID, CreatedAt: now, MadeBy: batch.MadeBy,
		ApprovedBy: batch.ConfirmedBy,
	}
	if _, err := tx.NewInsert().Model(u).Exec(ctx); err != nil {
		return 0, db.Error(err)
	}
	return u.ID, k.give(ctx, tx, u, key.Prefix, batch.Gift)
}

func is(member *int64, userID int64) bool { return member != nil && *member == userID }

// give hands out what the use is for.
func (k *Keys) give(ctx context.Context, tx bun.Tx, u *Use, prefix string, g Gift) error {
	if _, err := k.wallets.LockOpen(ctx, tx, u.UserID); err != nil {
		return err
	}
	switch g.Kind {
	case Amount:
		return k.wallets.Post(ctx, tx, wallet.CDKey, wallet.Reference{Kind: "cd_key", ID: u.ID}, prefix,
			wallet.Entry{Account: wallet.Account{Kind: wallet.Gifts}, Amount: -g.Amount},
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: u.UserID}, Amount: g.Amount})
	case Plan:
		var p shop.Plan // one that was taken out of the shop too: the key still promises it
		if err := tx.NewSelect().Model(&p).Where("id = ?", *g.PlanID).Scan(ctx); err != nil {
			return err
		}
		id, err := k.services.Grant(ctx, tx, service.Terms{
			UserID: u.UserID, PlanID: p.ID, Name: p.Name, Names: p.Names, Class: p.Class, Groups: p.Groups,
			SpeedMbps: p.SpeedMbps, Devices: p.Devices,
			QuotaBytes: p.TrafficBytes, Reset: p.Reset, Months: *g.Months, Days: *g.Days,
		})
		if err != nil {
			return err
		}
		u.ServiceID = &id
	case Traffic:
		terms := service.PackageTerms{UserID: u.UserID, Name: "CD-KEY " + prefix, Kind: service.Grant, Bytes: *g.Bytes}
		if g.Days != nil {
			terms.ExpiresAt = new(u.CreatedAt.AddDate(0, 0, *g.Days))
		}
		p, err := k.services.AddPackage(ctx, tx, terms)
		if err != nil {
			return err
		}
		u.PackageID = &p.ID
	}
	_, err := tx.NewUpdate().Model(u).Column("service_id", "package_id").WherePK().Exec(ctx)
	return err
}

func selectRedemptions(idb bun.IDB, into any) *bun.SelectQuery {
	return idb.NewSelect().Model(into).ColumnExpr("?TableAlias.*").
		ColumnExpr("k.prefix, b.kind, b.amount, b.plan_id, b.months, b.days, b.bytes, p.name AS plan_name").
		Join("JOIN cd_key AS k ON k.id = ?TableAlias.key_id").
		Join("JOIN cd_key_batch AS b ON b.id = ?TableAlias.batch_id").
		Join("LEFT JOIN plan AS p ON p.id = b.plan_id")
}

func (k *Keys) redemption(ctx context.Context, userID, id int64) (*Redemption, error) {
	r := new(Redemption)
	return r, selectRedemptions(k.db, r).Where("?TableAlias.id = ? AND ?TableAlias.user_id = ?", id, userID).Scan(ctx)
}

// Redemptions gives a part of what a user redeemed, newest first, and how many there are in all.
func (k *Keys) Redemptions(ctx context.Context, userID, limit, offset int64) (redemptions []Redemption, total int64,
	err error,
) {
	total, err = selectRedemptions(k.db, &redemptions).Where("?TableAlias.user_id = ?", userID).
		OrderExpr("?TableAlias.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return redemptions, total, err
}

// RedeemedOf gives a part of the uses of a batch's keys, newest first, and how many there are in all.
func (k *Keys) RedeemedOf(ctx context.Context, batchID, limit, offset int64) (redemptions []Redemption, total int64,
	err error,
) {
	total, err = selectRedemptions(k.db, &redemptions).Where("?TableAlias.batch_id = ?", batchID).
		OrderExpr("?TableAlias.id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
	return redemptions, total, err
}
