package xray_test

import (
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine/xray"
	. "airstrip/agent/internal/xraytest"
)

// vlessTLS is VLESS over TLS with nothing else.
func vlessTLS(b *testing.B) Setup {
	for _, s := range Setups(b) {
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
	b.Fatal("no such setup")
	return Setup{}
}

// plainXray serves the node's user with xray as it comes.
func plainXray(b *testing.B, node api.Node, u api.User) {
	text, err := json.Marshal(Object{
		"protocol": "vless", "listen": node.Listen, "port": node.Port,
		"settings": Object{"decryption": "none", "clients": []Object{{"id": u.UUID}}},
		"streamSettings": Object{"network": "tcp", "security": "tls", "tlsSettings": Object{"certificates": []Object{{
			"certificate": strings.Split(node.Settings.TLS.Certificate, "\n"), "key": strings.Split(node.Settings.TLS.Key, "\n"),
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
	instance, err := xray.NewInstance(out)
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

// source sends without end to whoever connects.
func source(b *testing.B) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				for block := make([]byte, 64<<10); err == nil; _, err = conn.Write(block) {
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// BenchmarkDownload compares the agent with xray as it comes; the client, xray's too, costs as much in both.
func BenchmarkDownload(b *testing.B) {
	for _, kind := range []string{"xray", "agent"} {
		b.Run(kind, func(b *testing.B) {
			s := vlessTLS(b)
			if kind == "agent" {
				newStation(b).Serve(s.Node, User(1))
			} else {
				plainXray(b, s.Node, User(1))
			}
			conn := NewClient(b, s.Client(User(1))).Dial(source(b))
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

// BenchmarkIdle holds as many idle connections as files may be open and says what 10,000 would need. The clients and
// destinations are in it.
func BenchmarkIdle(b *testing.B) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		b.Fatal(err)
	}
	many := min(10_000, int(files.Cur-200)/4) // both ends of both legs are here
	s := vlessTLS(b)
	station := newStation(b)
	station.Serve(s.Node, User(1))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	go func() {
		var kept []net.Conn // what nobody holds is closed by the garbage collector
		for {
			conn, err := listener.Accept()
			if err != nil {
				runtime.KeepAlive(kept)
				return
			}
			kept = append(kept, conn)
		}
	}()
	target := listener.Addr().(*net.TCPAddr)
	id, _ := hex.DecodeString(strings.ReplaceAll(User(1).UUID, "-", ""))
	head := append([]byte{0}, id...)
	head = append(head, 0, 1, byte(target.Port>>8), byte(target.Port), 1, 127, 0, 0, 1) // VLESS: no addons, TCP, port, IPv4
	address := fmt.Sprintf("127.0.0.1:%d", s.Node.Port)
	var conns []net.Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for b.Loop() {
		for len(conns) < many {
			conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) // the test's own certificate
			if err != nil {
				b.Fatal(err)
			}
			if _, err := conn.Write(append(head, "hello"...)); err != nil {
				b.Fatal(err)
			}
			conns = append(conns, conn)
		}
		for open := 0; open < many; time.Sleep(50 * time.Millisecond) {
			_, open = station.Gate.Online()
		}
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.HeapInuse+memory.StackInuse)/(1<<20)*10_000/float64(many), "MB/10000")
}
