package service

import "time"

// trafficOf returns how many bytes the paid period of the service brought, and how many of them remain. Of a quota
// that never resets these are the bytes that its order added to it, the first ones being used first; of others the
// quotas of the cycles whose anniversaries lie in the period. limited is false where the period has no traffic of its
// own to count.
func (s *Services) trafficOf(v *Service, f fulfilment) (left, whole int64, limited bool) {
	remaining, unlimited := v.Remaining()
	switch {
	case unlimited:
		return 0, 0, false
	case v.Reset == Never && f.ToByte != nil:
		whole = *f.ToByte - *f.AfterByte
		return min(whole, max(0, *f.ToByte-v.Billed)), whole, true
	case v.Reset == Never:
		return 0, 0, false
	}
	var current time.Time // anniversary of the cycle that runs
	for begin, anniversary := range s.cycleBegins(v, v.EndsAt) {
		if !begin.After(v.CycleBeganAt) {
			current = anniversary
		}
	}
	for _, anniversary := range s.cycleBegins(v, *f.EndsAt) {
		if anniversary.Before(*f.StartsAt) {
			continue
		}
		whole += *v.QuotaBytes
		switch anniversary.Compare(current) {
		case 0:
			left += remaining
		case 1:
			left += *v.QuotaBytes
		}
	}
	return left, whole, whole > 0
}
