// Package sing serves TUIC and AnyTLS nodes with the libraries of sing-box. It embeds the protocols only; connections
// go through the gate and are dialed by the agent. A change of users never affects the connections of others. The
// libraries keep users in maps that they read without locks, so a change makes a new service instead of modifying one
// in use.
package sing

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/gate"
)

// Engine implements engine.Engine.
type Engine struct {
	forward forwarder
	members members
	log     *slog.Logger

	node     *api.Node
	listener listener
	// retired listeners accept no clients any more but may still serve some, which TCP permits.
	retired []*anyTLS
	// certificate may change while a listener is open.
	certificate atomic.Pointer[tls.Certificate]
}

// listener accepts the clients of one protocol.
type listener interface {
	// update is called when users were added or have new secrets.
	update()
	// Close ends the listener and all its connections.
	Close() error
}

// New returns an engine that serves nothing yet.
func New(g *gate.Gate, log *slog.Logger) *Engine {
	e := &Engine{log: log, members: members{secrets: map[int64]string{}}}
	e.forward = forwarder{gate: g, members: &e.members, log: log}
	return e
}

// Configure implements engine.Engine.
func (e *Engine) Configure(node api.Node, users []api.User) error {
	pair, err := certificate(node.Settings.TLS)
	if err != nil {
		return err
	}
	e.forward.dialer.AllowPrivate.Store(node.AllowPrivate)
	if e.node != nil && sameListener(*e.node, node) {
		e.certificate.Store(pair)
		e.replace(users)
		return nil
	}
	open := map[string]func(net.IP, api.Node) (listener, error){
		"tuic":   e.listenTUIC,
		"anytls": e.listenAnyTLS,
	}[node.Protocol]
	if open == nil {
		return fmt.Errorf("settings of the node: unknown protocol %q", node.Protocol)
	}
	if node.Port < 1 || node.Port > 65535 {
		return fmt.Errorf("settings of the node: %d is not a port", node.Port)
	}
	ip := net.ParseIP(cmp.Or(node.Listen, "::"))
	if ip == nil {
		return fmt.Errorf("settings of the node: listen %q is not an IP address", node.Listen)
	}
	if err := engine.TryPort(e.node, node); err != nil {
		return err
	}
	if err := e.closeListener(); err != nil { // The old and the new listener may use the same port.
		e.log.Warn("closing the old listener", "err", err)
	}
	e.certificate.Store(pair)
	e.replace(users)
	if e.listener, err = open(ip, node); err != nil {
		e.listener = nil // A nil *tuicListener would not be a nil listener.
		return engine.PortError(node, err)
	}
	e.node = &node
	e.log.Info("serving", "protocol", node.Protocol, "listen", node.Listen, "port", node.Port, "users", len(users))
	return nil
}

// sameListener ignores the certificate and what the gate applies.
func sameListener(a, b api.Node) bool {
	for _, n := range []*api.Node{&a, &b} {
		t := &n.Settings.TLS
		*t = api.TLS{ServerName: t.ServerName, ALPN: t.ALPN}
	}
	return a.Protocol == b.Protocol && a.Listen == b.Listen && a.Port == b.Port &&
		reflect.DeepEqual(a.Settings, b.Settings)
}

func certificate(t api.TLS) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair([]byte(t.Certificate), []byte(t.Key))
	if err != nil {
		return nil, fmt.Errorf("settings of the node: the certificate: %w", err)
	}
	return &pair, nil
}

// tlsConfig returns the TLS settings of a listener. The certificate is looked up for each client.
func (e *Engine) tlsConfig(node api.Node, alpn ...string) *tls.Config {
	if len(node.Settings.TLS.ALPN) > 0 {
		alpn = node.Settings.TLS.ALPN
	}
	return &tls.Config{
		NextProtos:     alpn,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return e.certificate.Load(), nil },
	}
}

// replace makes the given users the only ones.
func (e *Engine) replace(users []api.User) {
	secrets := make(map[int64]string, len(users))
	for _, u := range users {
		secrets[u.ID] = u.UUID
	}
	e.members.mu.Lock()
	e.members.secrets = secrets
	e.members.mu.Unlock()
	if e.listener != nil {
		e.listener.update()
	}
}

// Add implements engine.Engine.
func (e *Engine) Add(users []api.User) error {
	if e.node == nil {
		return errors.New("the engine serves no node")
	}
	changed := false
	e.members.mu.Lock()
	for _, u := range users {
		changed = changed || e.members.secrets[u.ID] != u.UUID
		e.members.secrets[u.ID] = u.UUID
	}
	e.members.mu.Unlock()
	if changed {
		e.listener.update()
	}
	return nil
}

// Remove implements engine.Engine. Listeners may still know the users, but nothing is opened for them.
func (e *Engine) Remove(ids []int64) error {
	if e.node == nil {
		return errors.New("the engine serves no node")
	}
	e.members.mu.Lock()
	defer e.members.mu.Unlock()
	for _, id := range ids {
		delete(e.members.secrets, id)
	}
	return nil
}

// Drain implements engine.Engine. Clients stay connected but cannot open new connections.
func (e *Engine) Drain() error {
	e.members.mu.Lock()
	defer e.members.mu.Unlock()
	clear(e.members.secrets)
	return nil
}

// closeListener closes the present listener. Connections stay open where the protocol permits it.
func (e *Engine) closeListener() error {
	old, ok := e.listener.(*anyTLS)
	if !ok {
		return e.Close()
	}
	e.listener, e.node, e.retired = nil, nil, append(e.retired, old)
	return old.retire()
}

// Close ends all listeners and connections and waits briefly until they have counted their last bytes.
func (e *Engine) Close() error {
	if e.listener == nil && len(e.retired) == 0 {
		return nil
	}
	var failed []error
	if e.listener != nil {
		failed = append(failed, e.listener.Close())
	}
	for _, old := range e.retired {
		failed = append(failed, old.Close())
	}
	e.listener, e.node, e.retired = nil, nil, nil
	ended := make(chan struct{})
	go func() { e.forward.open.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Second):
	}
	return errors.Join(failed...)
}

func listenTCP(ctx context.Context, ip net.IP, port int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", net.JoinHostPort(ip.String(), strconv.Itoa(port)))
}
