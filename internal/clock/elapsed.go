//go:build !linux

package clock

import "time"

var started = time.Now()

// Elapsed gives the time since the program started.
func Elapsed() time.Duration { return time.Since(started) }
