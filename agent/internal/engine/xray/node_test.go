package xray_test

import (
	"log/slog"
	"testing"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/xray"
	"airstrip/agent/internal/enginetest"
	"airstrip/agent/internal/gate"
)

func newTestNode(t testing.TB) *enginetest.Node {
	return enginetest.New(t, func(g *gate.Gate, log *slog.Logger) (engine.Engine, error) { return xray.New(g, log) })
}
