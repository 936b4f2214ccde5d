package service

import "time"

// TrafficLeft gives, of the traffic that belongs to the service's time from..to, how many bytes are left at now and how
// many it was. Of a service that is never reset all traffic belongs to its one cycle, whatever the time. ok is false
// for unlimited ones.
func (s *Services) TrafficLeft(v *Service, from, to, now time.Time) (left, whole int64, ok bool) {
	remaining, unlimited := v.Remaining()
	switch {
	case unlimited:
		return 0, 0, false
	case v.Reset == Never:
		return remaining, *v.QuotaBytes, true
	}
	whole = *v.QuotaBytes * int64(1+s.resetsBetween(v, from, to))
	switch {
	case !now.Before(to):
		return 0, whole, true
	case now.Before(from):
		return whole, whole, true
	}
	return min(whole, remaining+*v.QuotaBytes*int64(s.resetsBetween(v, now, to))), whole, true
}

// resetsBetween counts the beginnings of cycles after from and before to.
func (s *Services) resetsBetween(v *Service, from, to time.Time) (n int) {
	until := *v
	until.EndsAt = to
	for next := s.nextReset(&until, from); next != nil; next = s.nextReset(&until, *next) {
		n++
	}
	return n
}
