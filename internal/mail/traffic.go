package mail

import "fmt"

// TrafficAnomalies tells staff of days of users and nodes that are far beyond their usual, or beyond the
// node's interface.
type TrafficAnomalies struct {
	Days []TrafficAnomaly
	More int // that are not among Days
}

// TrafficAnomaly is one of these days.
type TrafficAnomaly struct {
	IsNode       bool
	IsInterface  bool // Usual is what the node's interface carried
	ID           int64
	Name         string // of the node, or the user's e-mail address; empty: it is gone
	Day          string // as 2026-01-31
	Bytes, Usual int64
}

// Moved and Often return the bytes of the day and the usual ones in GB.
func (a TrafficAnomaly) Moved() string { return gigabytes(a.Bytes) }
func (a TrafficAnomaly) Often() string { return gigabytes(a.Usual) }

func gigabytes(bytes int64) string { return fmt.Sprintf("%.2f GB", float64(bytes)/(1<<30)) }

func (TrafficAnomalies) kind() string { return "traffic_anomalies" }
