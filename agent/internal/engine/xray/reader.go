package xray

import (
	"context"

	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/common/net"

	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/sniff"
)

// reader counts data from the user and applies the rules.
type reader struct {
	buf.Reader
	ctx   context.Context
	user  *gate.Conn
	hook  *dispatcher
	id    int64
	first net.Destination
	// sniffer is nil without rules to apply. held is data that waits for its result.
	sniffer *sniff.Stream
	held    buf.MultiBuffer
	// peers are the destinations of a UDP flow.
	peers map[net.Destination]*peer
}

// peer is a destination of a UDP flow, allowed or forbidden. While sniffer is not nil, the decision may depend on the
// packets sent there.
type peer struct {
	forbidden bool
	sniffer   *sniff.Packets
}

// maxPeers bounds the destinations of a flow that are remembered.
const maxPeers = 1024

func (h *dispatcher) reader(ctx context.Context, from buf.Reader, user *gate.Conn, id int64,
	first net.Destination,
) *reader {
	r := &reader{Reader: from, ctx: ctx, user: user, hook: h, id: id, first: first}
	if first.Network == net.Network_UDP {
		r.peers = map[net.Destination]*peer{}
		r.peers[first] = r.allowed(first)
	} else if h.gate.HasRules() {
		r.sniffer = &sniff.Stream{Forbidden: h.gate.AllowedInside(id, first.NetAddr())}
	}
	return r
}

// allowed records a destination whose name or address the rules permit.
func (r *reader) allowed(to net.Destination) *peer {
	if !r.hook.gate.HasRules() {
		return new(peer)
	}
	return &peer{sniffer: &sniff.Packets{Forbidden: r.hook.gate.AllowedInside(r.id, to.NetAddr())}}
}

func (r *reader) ReadMultiBuffer() (buf.MultiBuffer, error) {
	for {
		mb, err := r.Reader.ReadMultiBuffer()
		if !mb.IsEmpty() {
			if counting := r.user.Up(r.ctx, int(mb.Len())); counting != nil {
				buf.ReleaseMulti(mb)
				return nil, counting
			}
		}
		if r.first.Network == net.Network_UDP {
			return r.dropForbidden(mb), err
		}
		if r.sniffer == nil {
			return mb, err
		}
		hold, forbidden := r.inspect(mb)
		r.held, _ = buf.MergeMulti(r.held, mb)
		if forbidden != nil {
			r.held = buf.ReleaseMulti(r.held)
			return nil, forbidden
		}
		if hold && err == nil {
			continue
		}
		mb, r.held = r.held, nil
		return mb, err
	}
}

// inspect examines the beginning of a stream.
func (r *reader) inspect(mb buf.MultiBuffer) (hold bool, err error) {
	for _, b := range mb {
		if hold, err = r.sniffer.Inspect(b.Bytes()); err != nil {
			return false, err
		}
	}
	if !hold && !mb.IsEmpty() {
		r.sniffer = nil
	}
	return hold, nil
}

// dropForbidden removes the packets of a UDP flow whose destination a rule forbids.
func (r *reader) dropForbidden(mb buf.MultiBuffer) buf.MultiBuffer {
	kept := mb[:0]
	for _, b := range mb {
		to := r.first
		if b.UDP != nil {
			to = *b.UDP
		}
		p := r.peer(to)
		if p.sniffer != nil && !p.forbidden {
			p.forbidden = p.sniffer.Inspect(b.Bytes()) != nil
		}
		if p.forbidden {
			b.Release()
			continue
		}
		kept = append(kept, b)
	}
	return kept
}

func (r *reader) peer(to net.Destination) *peer {
	if p, known := r.peers[to]; known {
		return p
	}
	p := &peer{forbidden: true}
	if r.hook.gate.Allowed(r.id, to.NetAddr()) == nil {
		p = r.allowed(to)
	}
	if len(r.peers) >= maxPeers {
		clear(r.peers)
	}
	r.peers[to] = p
	return p
}
