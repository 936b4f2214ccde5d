package console

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"airstrip/internal/db"
)

// CheckHours compares what is stored of each day with the rows that it counts, and what nothing is stored of with
// nothing. It leaves out the hours that the next run of StoreHours adds up again. A query for each day of each figure
// reads only that day, so that no statement takes long however old the site is.
func (c *Console) CheckHours(ctx context.Context) (broken []db.Violation, err error) {
	figures := c.hourly()
	for _, figure := range slices.Sorted(maps.Keys(figures)) {
		found, err := c.checkHours(ctx, figure, figures[figure])
		if err != nil {
			return broken, err
		}
		for _, what := range found {
			broken = append(broken, db.Violation{
				Rule: "I18: what is stored of past hours is what their rows add up to", What: figure + ", " + what,
			})
		}
	}
	return broken, nil
}

func (c *Console) checkHours(ctx context.Context, figure string, add adding) (broken []string, err error) {
	var days []struct {
		Day   int64 // Unix time / 86400
		Until int64 // the hour after its last stored one
		Total
	}
	if err := c.db.NewRaw(`SELECT hour / 24 AS day, MAX(hour) + 1 AS until, CAST(SUM(found) AS BIGINT) AS rows,
		CAST(SUM(amount) AS BIGINT) AS amount FROM overview_hour WHERE figure = ? AND hour <= (SELECT MAX(hour)
		FROM overview_hour WHERE figure = ?) - ? GROUP BY hour / 24 ORDER BY day`, figure, figure, hoursAgain).
		Scan(ctx, &days); err != nil {
		return nil, err
	}
	from := time.Unix(0, 0).UTC()
	compare := func(to time.Time, stored Total) error {
		counted, err := add(ctx, from, to)
		if err == nil && counted != stored {
			broken = append(broken, fmt.Sprintf("before %s: stored are %d rows with %s, there are %d with %s",
				to.Format(time.RFC3339), stored.Rows, stored.Amount, counted.Rows, counted.Amount))
		}
		from = to
		return err
	}
	for i, d := range days {
		if begins := hourAt(d.Day * 24); from.Before(begins) { // nothing is stored of the time up to this day
			if err := compare(begins, Total{}); err != nil {
				return nil, err
			}
		}
		ends := hourAt(d.Day*24 + 24)
		if i == len(days)-1 {
			ends = hourAt(d.Until)
		}
		if err := compare(ends, d.Total); err != nil {
			return nil, err
		}
	}
	return broken, nil
}
