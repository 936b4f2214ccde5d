package app

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"time"

	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
)

// lot is a period of a service with what was paid for it, or a package.
type lot struct {
	paid       float64 // in hundredths; 0 of a gift
	start, end time.Time
	quota      float64 // bytes of a package, or that it added to a quota which is never reset; 0: unlimited or reset
	used       float64 // of a package
	// of a service that is never reset: paid bytes in this and all earlier lots when the next one came
	left float64
}

// unusedTime is the share of the lot's time that lies ahead.
func (l *lot) unusedTime(now time.Time) float64 {
	switch {
	case !l.end.After(now):
		return 0
	case !now.After(l.start):
		return 1
	}
	return float64(l.end.Sub(now)) / float64(l.end.Sub(l.start))
}

// worth is what may be given back for the lot at most.
func (l *lot) worth(now time.Time) float64 {
	share := l.unusedTime(now)
	if l.quota > 0 {
		share = min(share, max(0, 1-l.used/l.quota))
	}
	return l.paid * share
}

// heldService is a service as its user sees it, with the lots that it consists of.
type heldService struct {
	seen service.Service
	lots []lot

	// What was bought and given since it last began to run: nothing else may make it run.
	began        time.Time
	months, days int
	firstCycle   int64        // number of the cycle that began then
	anew         int64        // how many cycles staff has begun since
	mostUsed     int64        // the most that was used of the plan's present quota before staff began it anew
	bytes        float64      // of a quota that is never reset: what was bought and given since then
	agreed       money.Amount // what its user last agreed to for a renewal

	// The bytes of one that is never reset belong to no lot alone. Bytes that were given are used first.
	paidLeft, givenLeft float64
}

// worth is what may be given back for the service at most.
func (h *heldService) worth(now time.Time) (sum float64) {
	if h.seen.EndedAt != nil {
		return 0
	}
	if h.seen.Reset != service.Never || h.seen.QuotaBytes == nil {
		for _, l := range h.lots {
			sum += l.paid * min(l.unusedTime(now), h.unusedCycles(&l))
		}
		return sum
	}
	// The bytes that are left count where they are worth most. Those that were used before a lot came are of earlier
	// lots.
	order := make([]int, len(h.lots))
	for i := range order {
		order[i] = i
	}
	price := func(i int) float64 { return h.lots[i].paid / h.lots[i].quota }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(price(j), price(i)) })
	left := make([]float64, len(h.lots)) // of each lot and those before it
	for i, l := range h.lots {
		left[i] = min(l.left, h.paidLeft)
	}
	for _, i := range order {
		l := h.lots[i]
		if l.paid == 0 {
			break
		}
		bytes := min(l.unusedTime(now)*l.quota, slices.Min(left[i:]))
		sum += l.paid * bytes / l.quota
		for j := i; j < len(left); j++ {
			left[j] -= bytes
		}
	}
	return sum
}

// unusedCycles is the share of the quotas of a lot that is left. Each month that was bought brings one quota: the nth
// cycle is that of the nth month after the service began. What was left of earlier cycles is gone.
func (h *heldService) unusedCycles(l *lot) float64 {
	if h.seen.QuotaBytes == nil {
		return 1
	}
	current := int(h.cyclesOf(&h.seen)) - 1
	used := float64(max(h.mostUsed, h.seen.Billed)) // what was given is used first
	all, left := 0, 0.0
	for n := 0; ; n++ {
		month := monthsLater(h.began, n)
		if !month.Before(l.end) {
			break
		}
		if month.Before(l.start) {
			continue
		}
		all++
		switch {
		case n == current:
			left += max(0, 1-used/float64(*h.seen.QuotaBytes))
		case n > current:
			left++
		}
	}
	if all == 0 { // days that were given
		return 1
	}
	return left / float64(all)
}

// addition is what a purchase or a gift brings to a service.
type addition struct {
	paid         float64
	months, days int
	bytes        float64 // of a quota that is never reset
}

// add appends what a purchase or a gift brought: the service is v now.
func (h *heldService) add(now time.Time, zone *time.Location, v service.Service, a addition) {
	paid, end := a.paid, v.EndsAt
	start := now
	if h.runs(now) {
		start = h.seen.EndsAt
	} else {
		h.began, h.months, h.days, h.lots, h.paidLeft, h.givenLeft = now.In(zone), 0, 0, nil, 0, 0
		h.firstCycle, h.anew, h.mostUsed, h.bytes = v.Cycle, 0, 0, 0
		h.seen.Cycle, h.seen.Billed, h.seen.QuotaBytes = v.Cycle, v.Billed, v.QuotaBytes
	}
	h.months, h.days, h.bytes = h.months+a.months, h.days+a.days, h.bytes+a.bytes
	l, left := lot{paid: paid, start: start, end: end}, h.paidLeft
	if h.seen.Reset == service.Never && h.seen.QuotaBytes != nil {
		l.quota = a.bytes
		if paid > 0 {
			h.paidLeft += l.quota
		} else {
			h.givenLeft += l.quota
		}
	}
	if last := len(h.lots) - 1; last >= 0 {
		h.lots[last].left = left
	}
	l.left = math.Inf(1)
	h.lots = append(h.lots, l)
	h.seen.EndsAt, h.seen.EndedAt, h.seen.EndReason = v.EndsAt, v.EndedAt, v.EndReason
}

func (h *heldService) runs(now time.Time) bool {
	return len(h.lots) > 0 && h.seen.EndedAt == nil && h.seen.EndsAt.After(now)
}

// latestEnd is when the service may end at the latest. Months differ by up to three days.
func (h *heldService) latestEnd() time.Time {
	return h.began.AddDate(0, h.months, h.days+3)
}

// mostCyclesUntil is how many cycles may have begun since the service began to run.
func (h *heldService) mostCyclesUntil(now time.Time) int64 {
	n := 1 + int64(now.Sub(h.began)/(28*24*time.Hour))
	if h.seen.Reset == service.CalendarMonth {
		n++
	}
	return n
}

// cyclesOf is how many cycles have begun by the plan since the service, which is v now, began to run.
func (h *heldService) cyclesOf(v *service.Service) int64 { return v.Cycle - h.firstCycle + 1 - h.anew }

// beginAnew counts what staff gave: as much as was used of the quota of the service, which was old.
func (h *heldService) beginAnew(old *service.Service) {
	h.anew++
	h.mostUsed = max(h.mostUsed, old.Billed)
	if old.QuotaBytes != nil {
		h.givenLeft += float64(min(old.Billed, *old.QuotaBytes))
	}
}

// monthsLater returns the same day so many months later, or the last one of a shorter month.
func monthsLater(t time.Time, n int) time.Time {
	month := t.AddDate(0, 0, 1-t.Day()).AddDate(0, n, 0) // its first day
	return month.AddDate(0, 0, min(t.Day(), month.AddDate(0, 1, -1).Day())-1)
}

// move counts bytes against a quota that is never reset.
func (h *heldService) move(bytes float64) {
	given := min(bytes, h.givenLeft)
	h.givenLeft -= given
	h.paidLeft = max(0, h.paidLeft-(bytes-given))
}

// holdings is what a user sees of what they own.
type holdings struct {
	balance  wallet.Balance
	services map[int64]service.Service
	packages map[int64]service.Package
}

// equal reports whether nothing changed but what others do: users earn by those whom they invited.
func (h holdings) equal(other holdings) bool {
	h.balance.Commission, h.balance.Pending = other.balance.Commission, other.balance.Pending
	h.balance.PayingOut = other.balance.PayingOut
	return reflect.DeepEqual(h, other)
}

// worth is what the user owns at most: the wallet and what may be given back of what runs.
func (u *moneyUser) worth(now time.Time) float64 {
	sum := float64(u.seen.balance.Posted)
	for _, h := range u.services {
		sum += h.worth(now)
	}
	for _, l := range u.packages {
		sum += l.worth(now)
	}
	return sum
}
