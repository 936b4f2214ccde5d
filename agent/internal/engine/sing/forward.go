package sing

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"

	M "github.com/sagernet/sing/common/metadata"
	N "github.com/sagernet/sing/common/network"
	"github.com/sagernet/sing/common/uot"

	"airstrip/agent/internal/egress"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/sniff"
)

// forwarder carries the connections that listeners accept to their destinations, through the gate.
type forwarder struct {
	gate    *gate.Gate
	dialer  egress.Dialer
	members *members
	log     *slog.Logger
	open    sync.WaitGroup
}

// stream carries one connection of a user until either side ends it.
func (f *forwarder) stream(ctx context.Context, who member, conn net.Conn, source netip.Addr, target M.Socksaddr) {
	f.open.Add(1)
	defer f.open.Done()
	defer conn.Close()
	switch target.Fqdn {
	case uot.MagicAddress:
		request, err := uot.ReadRequest(conn)
		if err == nil && N.ReportConnHandshakeSuccess(conn, conn) == nil {
			f.packets(ctx, who, uot.NewConn(conn, *request), source)
		}
		return
	case uot.LegacyMagicAddress:
		if N.ReportConnHandshakeSuccess(conn, conn) == nil {
			f.packets(ctx, who, uot.NewConn(conn, uot.Request{}), source)
		}
		return
	}
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	user, err := f.admit(ctx, who, source, target, cut)
	if err != nil {
		return
	}
	defer user.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	out, err := f.dialer.DialTCP(ctx, target.String())
	if err != nil {
		f.log.Debug("connection failed", "user", who.id, "err", err)
		return
	}
	defer out.Close()
	defer context.AfterFunc(ctx, func() { out.Close() })()
	if err := N.ReportConnHandshakeSuccess(conn, out); err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		err := pump(conn, f.upward(ctx, user, who.id, target, out))
		if err == nil {
			err = out.(*net.TCPConn).CloseWrite()
		}
		if err != nil {
			cut()
		}
	})
	// Neither protocol can close a single direction, so the end of this one ends the connection.
	_ = pump(out, func(b []byte) error {
		if err := user.Down(ctx, len(b)); err != nil {
			return err
		}
		_, err := conn.Write(b)
		return err
	})
	cut()
	up.Wait()
}

// upward counts data from the user and forwards it once no rule forbids the host that it names.
func (f *forwarder) upward(ctx context.Context, user *gate.Conn, id int64, target M.Socksaddr,
	out io.Writer,
) func([]byte) error {
	var look *sniff.Stream
	if f.gate.HasRules() {
		look = &sniff.Stream{Forbidden: f.gate.AllowedInside(id, target.String())}
	}
	var held []byte
	return func(b []byte) error {
		if err := user.Up(ctx, len(b)); err != nil {
			return err
		}
		if look != nil {
			hold, err := look.Inspect(b)
			if err != nil {
				return err
			}
			if hold {
				held = append(held, b...)
				return nil
			}
			look = nil
		}
		if held != nil {
			b, held = append(held, b...), nil
		}
		_, err := out.Write(b)
		return err
	}
}

// admit asks the gate, after checking that the user's secret is still valid.
func (f *forwarder) admit(ctx context.Context, who member, source netip.Addr, target M.Socksaddr,
	cut func(),
) (*gate.Conn, error) {
	if !f.members.current(who) {
		return nil, gate.ErrUnknownUser
	}
	user, err := f.gate.Open(ctx, who.id, source, target.String(), cut)
	if err != nil {
		f.log.Debug("connection refused", "user", who.id, "reason", err)
	}
	return user, err
}

const (
	idlePiece = 2 << 10
	fullPiece = 32 << 10
)

var pieces = sync.Pool{New: func() any { return new([fullPiece]byte) }}

// pump passes data on until the end of from, which is not an error. An idle connection holds a small buffer.
func pump(from io.Reader, to func([]byte) error) error {
	small := make([]byte, idlePiece)
	var large *[fullPiece]byte
	defer func() {
		if large != nil {
			pieces.Put(large)
		}
	}()
	for {
		piece := small
		if large != nil {
			piece = large[:]
		}
		n, err := from.Read(piece)
		if n > 0 {
			if err := to(piece[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case large == nil && n == idlePiece:
			large = pieces.Get().(*[fullPiece]byte)
		case large != nil && n < idlePiece:
			pieces.Put(large)
			large = nil
		}
	}
}
