package service

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// paidUse returns how many bytes of the quota that runs are used of those that were paid for. Where staff began the
// quota anew it gave as many bytes as had been used, and these are used before what is left of the paid ones: so it is
// the most that was used of the quota at once, and what staff gave is never paid back.
func (s *Services) paidUse(ctx context.Context, idb bun.IDB, v *Service) (bytes int64, err error) {
	began, _ := s.runningQuota(v)
	err = idb.NewSelect().Model((*cycle)(nil)).ColumnExpr("max(billed)").
		Where("service_id = ? AND started_at >= ?", v.ID, began).Scan(ctx, &bytes)
	return bytes, err
}

// runningQuota returns when the quota that runs began by the plan, and the anniversary of the start that it belongs to.
// The cycle that runs may have begun later, by staff.
func (s *Services) runningQuota(v *Service) (began, anniversary time.Time) {
	for begin, of := range s.cycleBegins(v, v.EndsAt) {
		if !begin.After(v.CycleBeganAt) {
			began, anniversary = begin, of
		}
	}
	return began, anniversary
}

// trafficOf returns how many bytes the paid period of the service brought, and how many of them remain where so many
// of the quota are used (paidUse). Of a quota that never resets these are the bytes that its order added to it, the
// first ones being used first; of others the quotas of the cycles whose anniversaries lie in the period. limited is
// false where the period has no traffic of its own to count.
func (s *Services) trafficOf(v *Service, f fulfilment, used int64) (left, whole int64, limited bool) {
	switch {
	case v.QuotaBytes == nil:
		return 0, 0, false
	case v.Reset == Never && f.ToByte != nil:
		whole = *f.ToByte - *f.AfterByte
		return min(whole, max(0, *f.ToByte-used)), whole, true
	case v.Reset == Never:
		return 0, 0, false
	}
	_, current := s.runningQuota(v)
	for _, anniversary := range s.cycleBegins(v, *f.EndsAt) {
		if anniversary.Before(*f.StartsAt) {
			continue
		}
		whole += *v.QuotaBytes
		switch anniversary.Compare(current) {
		case 0:
			left += max(0, *v.QuotaBytes-used)
		case 1:
			left += *v.QuotaBytes
		}
	}
	return left, whole, whole > 0
}
