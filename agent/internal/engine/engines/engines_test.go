package engines_test

import (
	"log/slog"
	"testing"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/enginetest"
	"airstrip/agent/internal/gate"
	. "airstrip/agent/internal/xraytest"
)

func TestConfigure_ProtocolOfOtherEngine_SwitchesEngine(t *testing.T) {
	testNode := enginetest.New(t, func(g *gate.Gate, log *slog.Logger) (engine.Engine,
		error,
	) {
		return engines.New(g, log), nil
	})
	if err := testNode.Engine.Add([]api.User{User(1)}); err == nil {
		t.Error("users can be added to an engine that serves nothing")
	}
	var s Setup
	for _, s = range Setups(t) {
		if s.Name == "vless ws" {
			break
		}
	}
	cert := SelfSigned(t, "www.example.test")
	other := s.Node
	other.Protocol, other.Settings = "anytls", api.Settings{TLS: api.TLS{Certificate: cert.PEM, Key: cert.Key}}
	echo := EchoServer(t)
	for range 2 {
		testNode.Serve(s.Node, User(1))
		MustExchange(t, NewClient(t, s.Client(User(1))).Dial(echo), 1000)
		testNode.Serve(other, User(1)) // On the same port.
		if !Refused(NewClient(t, s.Client(User(1))).Dial(echo)) {
			t.Error("the old protocol is still spoken")
		}
	}
}
