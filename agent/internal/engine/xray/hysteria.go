package xray

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/apernet/quic-go"
	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	"github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/session"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/proxy/hysteria"
	"github.com/xtls/xray-core/transport"
	hysteriatransport "github.com/xtls/xray-core/transport/internet/hysteria"
	"github.com/xtls/xray-core/transport/internet/stat"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// hysteriaInbound is xray's Hysteria inbound with another reader of packets. xray's own keeps the fragments of a large
// packet in a buffer that the next fragment overwrites, so no QUIC handshake succeeds: its packets have at least 1200
// bytes.
type hysteriaInbound struct{ *hysteria.Server }

// xray finds an inbound by the type of its configuration, and has registered its own for hysteria.ServerConfig.
func init() {
	common.Must(common.RegisterConfig((*wrapperspb.BytesValue)(nil),
		func(ctx context.Context, config any) (any, error) {
			own := new(hysteria.ServerConfig)
			if err := proto.Unmarshal(config.(*wrapperspb.BytesValue).Value, own); err != nil {
				return nil, err
			}
			server, err := hysteria.NewServer(ctx, own)
			return &hysteriaInbound{server}, err
		}))
}

// hysteriaConfig makes xray use hysteriaInbound.
func hysteriaConfig(own *hysteria.ServerConfig) (proto.Message, error) {
	text, err := proto.Marshal(own)
	return wrapperspb.Bytes(text), err
}

// Process implements proxy.Inbound.
func (h *hysteriaInbound) Process(ctx context.Context, network net.Network, conn stat.Connection,
	dispatcher routing.Dispatcher,
) error {
	flow, ok := stat.TryUnwrapStatsConn(conn).(*hysteriatransport.InterUdpConn)
	if !ok {
		return h.Server.Process(ctx, network, conn, dispatcher)
	}
	inbound := session.InboundFromContext(ctx)
	inbound.Name, inbound.CanSpliceCopy, inbound.User = "hysteria", 3, flow.User()
	r := &messageReader{from: conn}
	first, err := r.next()
	if err != nil {
		return err
	}
	to := *first.UDP
	r.first = first
	return dispatcher.DispatchLink(ctx, to, &transport.Link{Reader: r, Writer: &messageWriter{to: conn, from: to}})
}

// messageReader reads the packets of a flow from messages. A large packet comes in several messages.
type messageReader struct {
	from    io.Reader
	message [hysteria.MaxUDPSize]byte
	parts   hysteria.Defragger
	first   *buf.Buffer
}

func (r *messageReader) ReadMultiBuffer() (buf.MultiBuffer, error) {
	b := r.first
	if r.first = nil; b == nil {
		var err error
		if b, err = r.next(); err != nil {
			return nil, err
		}
	}
	return buf.MultiBuffer{b}, nil
}

// next returns the next packet with its destination. Malformed messages are skipped.
func (r *messageReader) next() (*buf.Buffer, error) {
	for {
		n, err := r.from.Read(r.message[:])
		if err != nil {
			return nil, err
		}
		part, err := hysteria.ParseUDPMessage(r.message[:n])
		if err != nil {
			continue
		}
		if part.FragCount > 1 {
			part.Data = bytes.Clone(part.Data) // The buffer is overwritten before all fragments have arrived.
		}
		whole := r.parts.Feed(part)
		if whole == nil {
			continue
		}
		to, err := net.ParseDestination("udp:" + whole.Addr)
		if err != nil {
			continue
		}
		packet := buf.NewWithSize(int32(len(whole.Data)))
		packet.Write(whole.Data)
		packet.UDP = &to
		return packet, nil
	}
}

// messageWriter writes packets as messages.
type messageWriter struct {
	to      io.Writer
	from    net.Destination // Source of packets that do not name one.
	message []byte
}

func (w *messageWriter) WriteMultiBuffer(mb buf.MultiBuffer) error {
	defer buf.ReleaseMulti(mb)
	for _, b := range mb {
		from := w.from
		if b.UDP != nil {
			from = *b.UDP
		}
		whole := &hysteria.UDPMessage{
			PacketID: 1 + uint16(rand.N(0xffff)), FragCount: 1, Addr: from.NetAddr(),
			Data: b.Bytes(),
		}
		err := w.writeParts(whole, maxMessage)
		if large := new(quic.DatagramTooLargeError); errors.As(err, &large) {
			err = w.writeParts(whole, int(large.MaxDatagramPayloadSize)-headRoom)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// QUIC's library may accept a message as small enough and drop it once the packet headers are added.
const (
	maxMessage = 1200 - headRoom
	headRoom   = 16
	minPart    = 128 // Below this a packet's fragments could not be numbered.
)

var errPacketTooSmall = errors.New("the user's end takes no messages of a useful size")

// writeParts writes a message in as many fragments as necessary.
func (w *messageWriter) writeParts(m *hysteria.UDPMessage, largest int) error {
	if largest < m.HeaderSize()+minPart {
		return errPacketTooSmall
	}
	for _, part := range hysteria.FragUDPMessage(m, largest) {
		if err := w.write(&part); err != nil {
			return err
		}
	}
	return nil
}

func (w *messageWriter) write(m *hysteria.UDPMessage) error {
	w.message = slices.Grow(w.message[:0], m.Size())[:m.Size()]
	m.Serialize(w.message)
	_, err := w.to.Write(w.message)
	return err
}
