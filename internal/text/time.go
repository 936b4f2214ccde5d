package text

import "time"

// The times that callers may give: those before are typing errors, those after are years of five digits, which sort
// before the others as text; PostgreSQL and time.Time disagree about what is before the year 1.
var (
	firstTime = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
)

// InRange reports whether callers may give t, which both databases then keep and order as it is.
func InRange(t time.Time) bool { return !t.Before(firstTime) && !t.After(lastTime) }
