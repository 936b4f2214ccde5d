package traffic

import (
	"context"
	"time"
)

// Moved is what the site moved in a time, and how many users moved anything.
type Moved struct {
	Amount
	Users int64
}

// MovedBetween adds up what the site moved from the beginning of a day of its time zone, up to a moment: days from
// their sums, the part of a last day that is over from its hours, of which the last one counts by its share. ok is
// false where those hours are not kept any more.
func (t *Traffic) MovedBetween(ctx context.Context, from, to time.Time) (m Moved, ok bool, err error) {
	now, local := t.Now(), to.In(t.settings.Get().Zone())
	last := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, local.Location())
	days, hours := to, int64(0)
	if dayOf(local) != dayOf(now) && to.Add(time.Second).Before(last.AddDate(0, 0, 1)) {
		if last.Before(now.AddDate(0, 0, -t.settings.Get().TrafficLogDays)) {
			return Moved{}, false, nil
		}
		days, hours = last, to.Unix()/3600
	}
	if !from.Before(days) {
		days = from
	}
	sums, err := t.SumByUser(ctx, from, days)
	if err != nil {
		return Moved{}, false, err
	}
	points, err := t.SumByDay(ctx, from, days)
	if err != nil {
		return Moved{}, false, err
	}
	for _, p := range points {
		m.add(Amount{Up: p.Up, Down: p.Down, Billed: p.Billed})
	}
	if hours > 0 {
		share := to.Unix() % 3600
		err := t.history.Totals(ctx, ceilHour(last), hours+1, func(h HourTotal) error {
			a := h.Amount
			if h.Hour == hours {
				a = Amount{Up: a.Up / 3600 * share, Down: a.Down / 3600 * share, Billed: a.Billed / 3600 * share}
			} else {
				sums[h.UserID] = a
			}
			m.add(a)
			return nil
		})
		if err != nil {
			return Moved{}, false, err
		}
	}
	delete(sums, 0) // of closed accounts
	m.Users = int64(len(sums))
	return m, true, nil
}

func (m *Moved) add(a Amount) {
	m.Up, m.Down, m.Billed = saturate(m.Up, a.Up), saturate(m.Down, a.Down), saturate(m.Billed, a.Billed)
}
