package mail

import "time"

// ClockDisagrees tells staff that the clock of a server cannot be trusted, so that the timetable waits.
type ClockDisagrees struct {
	Host  string
	Clock time.Time // what the machine's clock shows
	Since time.Time // when it was noticed, by the time that the server goes on with
}

func (c ClockDisagrees) fill(v *values) {
	v.text("host", c.Host)
	v.time("clock", c.Clock)
	v.time("noticed_at", c.Since)
}

func (ClockDisagrees) kind() string { return "clock_disagrees" }
