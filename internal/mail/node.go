package mail

import "time"

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

func (NodeOffline) kind() string { return "node_offline" }
func (NodeBack) kind() string    { return "node_back" }
