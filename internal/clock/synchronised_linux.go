package clock

import "golang.org/x/sys/unix"

// Synchronised tells whether a time server sets the machine's clock, as the kernel was told by what asks that server;
// setting the clock by hand takes that back. See adjtimex(2).
func Synchronised() bool {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return err == nil && state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0
}
