package node

import (
	"context"
	"slices"
	"sync"

	"airstrip/internal/db"
	"airstrip/internal/setting"
)

// Limits holds back the requests of nodes' agents and computes what nodes have used of their quotas.
type Limits struct {
	db       *db.DB
	settings *setting.Settings
	requests sync.Map // channels, by the node's id
	streams  streams
}

// The limits of one node's agent. An agent rarely has two requests at once, and one stream. Whoever broke into a node
// has its secret, and could keep the server from answering all others with thousands.
const (
	maxRequests = 4
	maxStreams  = 32 // an agent that was cut off and connects again leaves streams that end later
)

// RequestSlot waits until fewer than maxRequests requests of n are being answered. The caller calls done when it has
// answered this one. A request with the shared key that names no node does not wait.
func (ls *Limits) RequestSlot(ctx context.Context, n Node) (done func(), err error) {
	if n.ID == 0 {
		return func() {}, nil
	}
	held, _ := ls.requests.LoadOrStore(n.ID, make(chan struct{}, maxRequests))
	requests := held.(chan struct{})
	select {
	case requests <- struct{}{}:
		return func() { <-requests }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// streams holds the open streams that announce changes to agents, the oldest of each node first.
type streams struct {
	mu sync.Mutex
	of map[int64][]*stream
}

type stream struct{ end context.CancelFunc }

// Stream returns the context of a stream to n's agent. It ends with ctx, and when maxStreams newer streams of n have
// begun. The caller calls done when the stream has ended.
func (ls *Limits) Stream(ctx context.Context, n Node) (_ context.Context, done func()) {
	ctx, end := context.WithCancel(ctx)
	this := &stream{end}
	ls.streams.mu.Lock()
	defer ls.streams.mu.Unlock()
	all := append(ls.streams.of[n.ID], this)
	for len(all) > maxStreams {
		all[0].end()
		all = all[1:]
	}
	ls.streams.of[n.ID] = all
	return ctx, func() {
		end()
		ls.streams.remove(n.ID, this)
	}
}

func (s *streams) remove(nodeID int64, gone *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	remaining := slices.DeleteFunc(slices.Clone(s.of[nodeID]), func(other *stream) bool { return other == gone })
	if s.of[nodeID] = remaining; len(remaining) == 0 {
		delete(s.of, nodeID)
	}
}
