package sing

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anytls/sing-anytls/padding"
	"github.com/anytls/sing-anytls/session"
	singatomic "github.com/sagernet/sing/common/atomic"
	"github.com/sagernet/sing/common/logger"
	M "github.com/sagernet/sing/common/metadata"

	"airstrip/agent/internal/api"
)

// handshakeTime bounds the authentication of a client.
const handshakeTime = 10 * time.Second

// anyTLS accepts the clients of an AnyTLS node. It replaces the library's service, which reads its map of users while
// it is being changed.
type anyTLS struct {
	engine *Engine
	socket net.Listener
	tls    *tls.Config
	//lint:ignore SA1019 sing-anytls takes the older of the two types
	padding singatomic.TypedValue[*padding.PaddingFactory]
	// users are indexed by the hash that clients send.
	users atomic.Pointer[map[[sha256.Size]byte]member]

	ctx   context.Context
	close context.CancelFunc
	conns sync.WaitGroup
}

func (e *Engine) listenAnyTLS(ip net.IP, node api.Node) (listener, error) {
	l := &anyTLS{engine: e, tls: e.tlsConfig(node)}
	scheme := padding.DefaultPaddingScheme
	if len(node.Settings.Padding) > 0 {
		scheme = []byte(strings.Join(node.Settings.Padding, "\n"))
	}
	if !padding.UpdatePaddingScheme(scheme, &l.padding) {
		return nil, errors.New("settings of the node: the padding scheme has no stop")
	}
	l.ctx, l.close = context.WithCancel(context.Background())
	var err error
	if l.socket, err = listenTCP(l.ctx, ip, node.Port); err != nil {
		return nil, err
	}
	l.update()
	l.conns.Go(l.accept)
	return l, nil
}

func (l *anyTLS) update() {
	users := map[[sha256.Size]byte]member{}
	for _, m := range l.engine.members.all() {
		users[sha256.Sum256([]byte(m.secret))] = m
	}
	l.users.Store(&users)
}

func (l *anyTLS) retire() error {
	l.users.Store(new(map[[sha256.Size]byte]member))
	return l.socket.Close()
}

func (l *anyTLS) Close() error {
	l.close()
	err := l.socket.Close()
	l.conns.Wait()
	if errors.Is(err, net.ErrClosed) { // The listener was retired.
		return nil
	}
	return err
}

func (l *anyTLS) accept() {
	for {
		conn, err := l.socket.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // For example too many open files.
			l.engine.log.Error("a connection could not be accepted", "err", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-l.ctx.Done():
			}
			continue
		}
		l.conns.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(l.ctx, func() { conn.Close() })()
			l.serve(conn)
		})
	}
}

func (l *anyTLS) serve(raw net.Conn) {
	conn := tls.Server(raw, l.tls)
	if raw.SetDeadline(time.Now().Add(handshakeTime)) != nil || conn.HandshakeContext(l.ctx) != nil {
		return
	}
	who, err := l.authenticate(conn)
	if err != nil || raw.SetDeadline(time.Time{}) != nil {
		l.engine.log.Debug("an AnyTLS client was turned away", "err", err)
		return
	}
	source := raw.RemoteAddr().(*net.TCPAddr).AddrPort().Addr()
	var streams sync.WaitGroup
	s := session.NewServerSession(conn, func(stream *session.Stream) {
		streams.Add(1)
		defer streams.Done()
		l.stream(who, stream, source)
	}, &l.padding, logger.NOP())
	s.Run()
	s.Close()
	streams.Wait()
}

func (l *anyTLS) stream(who member, stream *session.Stream, source netip.Addr) {
	_ = stream.SetReadDeadline(time.Now().Add(handshakeTime))
	target, err := M.SocksaddrSerializer.ReadAddrPort(stream)
	if err != nil {
		stream.Close()
		return
	}
	_ = stream.SetReadDeadline(time.Time{})
	l.engine.forward.stream(l.ctx, who, stream, source, target)
}

var errUnknownSecret = errors.New("nobody has this password")

// authenticate reads the beginning of a connection: the hash of the password, and padding.
func (l *anyTLS) authenticate(conn net.Conn) (member, error) {
	var head [sha256.Size + 2]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return member{}, err
	}
	who, known := (*l.users.Load())[[sha256.Size]byte(head[:sha256.Size])]
	if !known {
		return member{}, errUnknownSecret
	}
	_, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint16(head[sha256.Size:])))
	return who, err
}
