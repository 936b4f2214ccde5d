// Package xray serves a node with xray-core as a library. It builds an xray instance with an inbound for the node's
// protocol and replaces xray's dispatcher, so that each connection passes the gate and every byte is counted before it
// is forwarded. Users are added and removed without reopening the listener. xray keeps state in variables of the
// process, so instances are started one at a time.
package xray

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/xtls/xray-core/app/proxyman"
	_ "github.com/xtls/xray-core/app/proxyman/inbound"  // Implements proxyman.InboundConfig.
	_ "github.com/xtls/xray-core/app/proxyman/outbound" // Implements proxyman.OutboundConfig.
	"github.com/xtls/xray-core/common/protocol"
	"github.com/xtls/xray-core/common/serial"
	"github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/inbound"
	"github.com/xtls/xray-core/features/policy"
	"github.com/xtls/xray-core/proxy/freedom"
	_ "github.com/xtls/xray-core/transport/internet/grpc"
	_ "github.com/xtls/xray-core/transport/internet/httpupgrade"
	_ "github.com/xtls/xray-core/transport/internet/hysteria"
	_ "github.com/xtls/xray-core/transport/internet/reality"
	_ "github.com/xtls/xray-core/transport/internet/splithttp" // XHTTP
	_ "github.com/xtls/xray-core/transport/internet/tcp"
	_ "github.com/xtls/xray-core/transport/internet/tls"
	_ "github.com/xtls/xray-core/transport/internet/udp"
	_ "github.com/xtls/xray-core/transport/internet/websocket"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/egress"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/gate"
)

const tag = "node"

// Engine implements engine.Engine.
type Engine struct {
	instance *core.Instance
	inbounds inbound.Manager
	hook     *dispatcher
	dialer   egress.Dialer
	log      *slog.Logger

	node *api.Node

	mu         sync.RWMutex
	users      map[int64]member
	generation int64
	// removed holds users who may return, for example a minute after a renewal. Those with the same secret get the same
	// email again, for connections that the client never closed.
	removed map[int64]member
}

var starting sync.Mutex

// NewInstance returns an xray instance with the managers of inbounds and outbounds. xray stores the latest instance in
// variables of the process, so instances are created one at a time.
func NewInstance(config *core.Config) (*core.Instance, error) {
	starting.Lock()
	defer starting.Unlock()
	config.App = append(config.App, serial.ToTypedMessage(&proxyman.InboundConfig{}),
		serial.ToTypedMessage(&proxyman.OutboundConfig{}))
	return core.New(config)
}

// New returns an engine that serves nothing yet. xray has one log per process, so the log of the last engine receives
// everything.
func New(g *gate.Gate, log *slog.Logger) (*Engine, error) {
	instance, err := NewInstance(new(core.Config))
	if err != nil {
		return nil, fmt.Errorf("starting xray: %w", err)
	}
	routeLog(log)
	e := &Engine{
		instance: instance, inbounds: instance.GetFeature(inbound.ManagerType()).(inbound.Manager),
		log: log, users: map[int64]member{}, removed: map[int64]member{},
	}
	e.hook = &dispatcher{gate: g, dialer: &e.dialer, freedom: new(freedom.Handler), identify: e.identify, log: log}
	policies := instance.GetFeature(policy.ManagerType()).(policy.Manager)
	e.hook.timeouts = policies.ForLevel(0).Timeouts
	if err := e.hook.freedom.Init(new(freedom.Config), policies); err != nil {
		return nil, fmt.Errorf("starting xray: %w", err)
	}
	if err := instance.AddFeature(e.hook); err != nil {
		return nil, fmt.Errorf("starting xray: %w", err)
	}
	if err := instance.Start(); err != nil {
		return nil, fmt.Errorf("starting xray: %w", err)
	}
	return e, nil
}

// Configure implements engine.Engine.
func (e *Engine) Configure(node api.Node, users []api.User) error {
	e.dialer.AllowPrivate.Store(node.AllowPrivate)
	if e.node != nil && listener(*e.node) == listener(node) && reflect.DeepEqual(e.node.Settings, node.Settings) {
		return errors.Join(e.Remove(e.missing(users)), e.Add(users))
	}
	if err := e.rebuild(node, users); err != nil {
		return err
	}
	e.log.Info("serving", "protocol", node.Protocol, "listen", node.Listen, "port", node.Port, "users", len(users))
	return nil
}

// listener returns what, besides the settings, requires another listener when it changes.
func listener(n api.Node) string { return fmt.Sprint(n.Protocol, " ", n.Listen, " ", n.Port) }

// rebuild opens a listener whose configuration holds all users: adding 10,000 one by one takes Shadowsocks 2022
// minutes.
func (e *Engine) rebuild(node api.Node, users []api.User) error {
	// Before the expensive work, and while the old listener is open.
	if err := engine.TryPort(e.node, node); err != nil {
		return err
	}
	members := make(map[int64]member, len(users))
	accounts := make([]*protocol.User, 0, len(users))
	for _, u := range users {
		m := e.member(node, u)
		if _, err := memoryUser(node, u, m); err != nil {
			e.log.Error("a user's secret does not fit the protocol; the user is left out", "user", u.ID, "err", err)
			continue
		}
		members[u.ID] = m
		accounts = append(accounts, protocolUser(node, u, m))
	}
	config, err := inboundConfig(node, accounts)
	if err != nil {
		return err
	}
	object, err := core.CreateObject(e.instance, config)
	if err != nil {
		return fmt.Errorf("building the inbound: %w", err)
	}
	if e.node != nil {
		if err := e.inbounds.RemoveHandler(context.Background(), tag); err != nil {
			e.log.Warn("closing the old listener", "err", err)
		}
		e.node = nil
	}
	e.mu.Lock()
	e.users, e.removed = members, map[int64]member{}
	e.mu.Unlock()
	// xray shares a port with any process that permits it, such as another xray.
	if err := engine.TryPort(nil, node); err != nil {
		return err
	}
	if err := e.inbounds.AddHandler(context.Background(), object.(inbound.Handler)); err != nil {
		// The manager has registered the handler in spite of the error; it must not stay.
		_ = e.inbounds.RemoveHandler(context.Background(), tag)
		return engine.PortError(node, err)
	}
	e.node = &node
	return nil
}

// Drain implements engine.Engine.
func (e *Engine) Drain() error {
	e.hook.ended.Store(true)
	if e.node == nil {
		return nil
	}
	return e.inbounds.RemoveHandler(context.Background(), tag)
}

// Close ends the listener and waits briefly until the connections, which the gate has cut, have counted their last
// bytes.
func (e *Engine) Close() error {
	e.hook.ended.Store(true)
	err := e.instance.Close()
	ended := make(chan struct{})
	go func() { e.hook.open.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Second):
	}
	return err
}
