package xray_test

import (
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// vlessTLS is VLESS over TLS without Vision.
func vlessTLS(t testing.TB) Setup {
	for _, s := range Setups(t) {
		if s.Name != "vless tls vision" {
			continue
		}
		s.Node.Settings.Flow = ""
		vision := s.Client
		s.Client = func(u api.User) Object {
			outbound := vision(u)
			outbound["settings"].(Object)["vnext"].([]Object)[0]["users"].([]Object)[0]["flow"] = ""
			return outbound
		}
		return s
	}
	t.Fatal("no such setup")
	return Setup{}
}

// plainXray serves the node's user with an unmodified xray.
func plainXray(b *testing.B, node api.Node, u api.User) {
	text, err := json.Marshal(Object{
		"protocol": "vless", "listen": node.Listen, "port": node.Port,
		"settings": Object{"decryption": "none", "clients": []Object{{"id": u.UUID}}},
		"streamSettings": Object{"network": "tcp", "security": "tls", "tlsSettings": Object{"certificates": []Object{{
			"certificate": strings.Split(node.Settings.TLS.Certificate,
				"\n"), "key": strings.Split(node.Settings.TLS.Key, "\n"),
		}}}},
	})
	if err != nil {
		b.Fatal(err)
	}
	outbound, inbound := new(conf.OutboundDetourConfig), new(conf.InboundDetourConfig)
	if err := json.Unmarshal([]byte(`{"protocol": "freedom"}`), outbound); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(text, inbound); err != nil {
		b.Fatal(err)
	}
	out, err := outbound.Build()
	if err != nil {
		b.Fatal(err)
	}
	in, err := inbound.Build()
	if err != nil {
		b.Fatal(err)
	}
	instance, err := NewXray(out)
	if err != nil {
		b.Fatal(err)
	}
	if err := core.AddInboundHandler(instance, in); err != nil {
		b.Fatal(err)
	}
	if err := instance.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { instance.Close() })
}

// endlessServer sends data without end to every client.
func endlessServer(t testing.TB) string {
	return Server(t, func(conn net.Conn) {
		var err error
		for block := make([]byte, 64<<10); err == nil; _, err = conn.Write(block) {
		}
	})
}

// BenchmarkDownload compares the agent with an unmodified xray. The client, also an xray, costs the same in both.
func BenchmarkDownload(b *testing.B) {
	for _, kind := range []string{"xray", "agent"} {
		b.Run(kind, func(b *testing.B) {
			s := vlessTLS(b)
			if kind == "agent" {
				newTestNode(b).Serve(s.Node, User(1))
			} else {
				plainXray(b, s.Node, User(1))
			}
			conn := NewClient(b, s.Client(User(1))).Dial(endlessServer(b))
			if _, err := conn.Write([]byte("go")); err != nil {
				b.Fatal(err)
			}
			const block = 1 << 20
			b.SetBytes(block)
			for b.Loop() {
				if _, err := io.CopyN(io.Discard, conn, block); err != nil {
					b.Fatal(err)
				}
			}
			conn.Close()
		})
	}
}
