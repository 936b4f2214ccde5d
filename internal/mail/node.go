package mail

import (
	"strconv"
	"time"
)

// NodeOffline tells staff that a node has not been heard of for some time.
type NodeOffline struct {
	Node   string
	SeenAt time.Time // the last sign of life
}

// NodeBack tells staff that a node is heard of again.
type NodeBack struct {
	Node    string
	BeganAt time.Time // the last sign of life before the silence
	EndedAt time.Time
}

// NodeConflict tells staff that a node's agent sent a report under the number of another.
type NodeConflict struct {
	Node string
	At   time.Time
}

// NodeBeyondLink tells staff that a node reported more traffic than its link can have carried.
type NodeBeyondLink struct {
	Node     string
	At       time.Time
	LinkMbps int // as it is set
}

// NodeDouble tells staff that two agents have one node's secret.
type NodeDouble struct {
	Node string
	At   time.Time
}

func (c NodeOffline) fill(v *values) {
	v.text("node", c.Node)
	v.time("seen_at", c.SeenAt)
}

func (c NodeBack) fill(v *values) {
	v.text("node", c.Node)
	v.time("began_at", c.BeganAt)
	v.time("ended_at", c.EndedAt)
}

func (c NodeConflict) fill(v *values) {
	v.text("node", c.Node)
	v.time("time", c.At)
}

func (c NodeBeyondLink) fill(v *values) {
	v.text("node", c.Node)
	v.time("time", c.At)
	v.text("link_mbps", strconv.Itoa(c.LinkMbps))
}

func (c NodeDouble) fill(v *values) {
	v.text("node", c.Node)
	v.time("time", c.At)
}

func (NodeOffline) kind() string    { return "node_offline" }
func (NodeBack) kind() string       { return "node_back" }
func (NodeConflict) kind() string   { return "node_conflict" }
func (NodeBeyondLink) kind() string { return "node_beyond_link" }
func (NodeDouble) kind() string     { return "node_double" }
