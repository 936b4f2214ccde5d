// Package engines selects the engine that serves a node's protocol. It implements engine.Engine, so the agent need not
// know which core runs. A change to a protocol of the other core ends the first engine before the second one starts,
// because both may need the same port.
package engines

import (
	"errors"
	"fmt"
	"log/slog"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/sing"
	"airstrip/agent/internal/engine/xray"
	"airstrip/agent/internal/gate"
)

// Engine delegates to the engine of the node's present protocol.
type Engine struct {
	gate *gate.Gate
	log  *slog.Logger

	kind    string
	serving engine.Engine
}

// New returns an engine that serves nothing yet.
func New(g *gate.Gate, log *slog.Logger) *Engine { return &Engine{gate: g, log: log} }

// Configure implements engine.Engine.
func (e *Engine) Configure(node api.Node, users []api.User) error {
	kind := "xray"
	if node.Protocol == "tuic" || node.Protocol == "anytls" {
		kind = "sing"
	}
	if kind != e.kind {
		if err := e.change(kind); err != nil {
			return err
		}
	}
	return e.serving.Configure(node, users)
}

// change ends the present engine, which may hold the port that the next one opens.
func (e *Engine) change(kind string) error {
	if err := e.Close(); err != nil {
		e.log.Warn("ending an engine", "engine", e.kind, "err", err)
	}
	e.kind, e.serving = "", nil
	if kind == "sing" {
		e.kind, e.serving = kind, sing.New(e.gate, e.log)
		return nil
	}
	started, err := xray.New(e.gate, e.log)
	if err != nil {
		return fmt.Errorf("the engine %s: %w", kind, err)
	}
	e.kind, e.serving = kind, started
	return nil
}

var errIdle = errors.New("the engine serves no node")

// Add implements engine.Engine.
func (e *Engine) Add(users []api.User) error {
	if e.serving == nil {
		return errIdle
	}
	return e.serving.Add(users)
}

// Remove implements engine.Engine.
func (e *Engine) Remove(ids []int64) error {
	if e.serving == nil {
		return errIdle
	}
	return e.serving.Remove(ids)
}

// Drain implements engine.Engine.
func (e *Engine) Drain() error {
	if e.serving == nil {
		return nil
	}
	return e.serving.Drain()
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	if e.serving == nil {
		return nil
	}
	return e.serving.Close()
}
