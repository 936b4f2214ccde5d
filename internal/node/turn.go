package node

import (
	"context"
	"slices"
	"sync"
)

// What one node's agent may have under way. Agents hardly ever have two requests at once and one stream, but whoever broke
// into a node has its secret, and could keep the server from all others with thousands.
const (
	turnsAtMost   = 4
	streamsAtMost = 32 // most of them, then, of an agent that was cut off and came again
)

// Turn waits until fewer than turnsAtMost requests of n are being answered. Call done when this one is. Whoever has the one
// key of all nodes and names none does not wait.
func (s *Nodes) Turn(ctx context.Context, n Node) (done func(), err error) {
	if n.ID == 0 {
		return func() {}, nil
	}
	held, _ := s.turns.LoadOrStore(n.ID, make(chan struct{}, turnsAtMost))
	turns := held.(chan struct{})
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// streams are the streams that tell agents of changes, the oldest of each node first.
type streams struct {
	mu sync.Mutex
	of map[int64][]*stream
}

type stream struct{ end context.CancelFunc }

// Stream gives the context of a stream to n's agent, which ends with ctx, and when too many younger ones of n began. Call
// done when the stream has ended.
func (s *Nodes) Stream(ctx context.Context, n Node) (_ context.Context, done func()) {
	ctx, end := context.WithCancel(ctx)
	this := &stream{end}
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	all := append(s.streams.of[n.ID], this)
	for len(all) > streamsAtMost {
		all[0].end()
		all = all[1:]
	}
	s.streams.of[n.ID] = all
	return ctx, func() {
		end()
		s.streams.leave(n.ID, this)
	}
}

func (s *streams) leave(nodeID int64, gone *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(s.of[nodeID]), func(other *stream) bool { return other == gone })
	if s.of[nodeID] = left; len(left) == 0 {
		delete(s.of, nodeID)
	}
}
