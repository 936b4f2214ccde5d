package xray_test

import (
	"log/slog"
	"testing"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/xray"
	"airstrip/agent/internal/enginetest"
	"airstrip/agent/internal/gate"
	. "airstrip/agent/internal/xraytest"
)

func newTestNode(t testing.TB) *enginetest.Node {
	return enginetest.New(t, func(g *gate.Gate, log *slog.Logger) (engine.Engine, error) { return xray.New(g, log) })
}

// each runs a test in parallel for every way to serve a node.
// each runs a test for every setup whose client sends everything once.
func each(t *testing.T, test func(t *testing.T, s Setup)) {
	for _, s := range Setups(t) {
		if s.PacketUp {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// eachExchange runs a test for every setup. All that its users send before something is counted goes through
// MustExchange.
func eachExchange(t *testing.T, test func(t *testing.T, s Setup)) {
	for _, s := range Setups(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			WithoutRepeats(t, func(t *testing.T) { test(t, s) })
		})
	}
}
