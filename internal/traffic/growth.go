package traffic

import (
	"context"
	"math"
	"time"
)

// Month is what the site moved in a month of the site's calendar.
type Month struct {
	Begins time.Time
	Amount
	// Expected is what will have been moved, up and down, when the month is over, if it goes on like this. nil: less
	// than a day of it is over.
	Expected *int64
	// ChangePercent compares Expected with the month before. nil: there is nothing to compare.
	ChangePercent *int64
}

// Growth returns the last months with the present one, the oldest first, from the first with traffic on.
func (t *Traffic) Growth(ctx context.Context, months int) (all []Month, err error) {
	zone := t.settings.Get().Zone()
	now := t.db.Now()
	local := now.In(zone)
	first := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, zone).AddDate(0, 1-months, 0)
	var rows []struct {
		Month int64 // as 202601
		Amount
	}
	// One month more, which the first one is compared with.
	if err := t.db.NewRaw(`SELECT day / 100 AS month, CAST(sum(up) AS BIGINT) AS up, CAST(sum(down) AS BIGINT) AS down,
		CAST(sum(billed) AS BIGINT) AS billed FROM node_day WHERE day >= ? GROUP BY day / 100 ORDER BY day / 100`,
		dayOf(first.AddDate(0, -1, 0))).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, err
	}
	moved := map[int64]Amount{}
	for _, r := range rows {
		moved[r.Month] = r.Amount
	}
	if begins := t.startOf(rows[0].Month*100 + 1); begins.After(first) {
		first = begins
	}
	for begins := first; !begins.After(now); begins = begins.AddDate(0, 1, 0) {
		m := Month{Begins: begins.UTC(), Amount: moved[dayOf(begins)/100]}
		m.Expected = expectedOf(movedOf(m.Amount), now.Sub(begins), begins.AddDate(0, 1, 0).Sub(begins))
		before, known := moved[dayOf(begins.AddDate(0, -1, 0))/100]
		if known && movedOf(before) > 0 && m.Expected != nil {
			change := int64(math.Round((float64(*m.Expected)/float64(movedOf(before)) - 1) * 100))
			m.ChangePercent = &change
		}
		all = append(all, m)
	}
	return all, nil
}

// movedOf returns what was moved, up and down, or the highest number that there is.
func movedOf(a Amount) int64 {
	if a.Up > math.MaxInt64-a.Down {
		return math.MaxInt64
	}
	return a.Up + a.Down
}

// expectedOf carries what was moved in a part of a month on to its end.
func expectedOf(moved int64, elapsed, length time.Duration) *int64 {
	if elapsed >= length {
		return &moved
	}
	if elapsed < 24*time.Hour {
		return nil
	}
	expected := int64(math.MaxInt64)
	if f := float64(moved) * (float64(length) / float64(elapsed)); f < math.MaxInt64 {
		expected = int64(f)
	}
	return &expected
}
