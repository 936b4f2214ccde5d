package checkin

import (
	"context"
	"time"
)

// DayFigure is what check-ins gave on one day of the site.
type DayFigure struct {
	Day   Day
	Users int64
	Bytes int64
}

// Days returns what check-ins gave on each day of the site since a time, the oldest first, also on days without any.
func (c *CheckIns) Days(ctx context.Context, since time.Time) ([]DayFigure, error) {
	now := c.now()
	from, to := DayOf(since.In(now.Location())), DayOf(now)
	var found []DayFigure
	if err := c.db.NewRaw(`SELECT day, COUNT(*) AS users, CAST(SUM(bytes) AS BIGINT) AS bytes FROM checkin
		WHERE day BETWEEN ? AND ? GROUP BY day`, from, to).Scan(ctx, &found); err != nil {
		return nil, err
	}
	days := make([]DayFigure, to-from+1)
	for i := range days {
		days[i].Day = from + Day(i)
	}
	for _, f := range found {
		days[f.Day-from] = f
	}
	return days, nil
}
