package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// Elapsed gives the time since the machine started. Go's own monotonic clock stands still while the machine sleeps, and
// every waking would look like a jump of the wall clock.
func Elapsed() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic("clock: CLOCK_BOOTTIME is missing: " + err.Error()) // Linux has it since 2.6.39
	}
	return time.Duration(ts.Nano())
}
