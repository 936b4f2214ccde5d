package xray_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
	. "airstrip/agent/internal/xraytest"
)

func setupNamed(t testing.TB, name string) Setup {
	t.Helper()
	for _, s := range Setups(t) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no setup is called %q", name)
	return Setup{}
}

// New connections are refused while the agent stops or changes to another engine, also over a carrier connection that a
// client keeps open for later streams.
func TestEngine_DrainedOrClosed_RefusesNewConnections(t *testing.T) {
	echo := EchoServer(t)
	for _, s := range Setups(t) {
		for name, end := range map[string]func(engine.Engine) error{
			"drained": engine.Engine.Drain, "closed": engine.Engine.Close,
		} {
			t.Run(s.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				WithoutRepeats(t, func(t *testing.T) {
					testNode := newTestNode(t)
					node := s.Node
					node.Port = FreePort(t)
					testNode.Serve(node, User(81))
					client := NewClient(t, withPort(s.Client(User(81)), node.Port))
					idle := client.Dial(echo)
					MustExchange(t, idle, 1000)
					idle.Close()
					if err := end(testNode.Engine); err != nil {
						t.Fatal(err)
					}
					if !Refused(client.Dial(echo)) {
						t.Error("somebody was let in")
					}
				})
			})
		}
	}
}

// withPort makes a client connect to another port.
func withPort(outbound Object, port int) Object {
	settings := outbound["settings"].(Object)
	if _, bare := settings["port"]; bare {
		settings["port"] = port
	}
	for _, key := range []string{"vnext", "servers"} {
		if list, ok := settings[key].([]Object); ok {
			list[0]["port"] = port
		}
	}
	return outbound
}

// Behind a reverse proxy users have the addresses that the proxy forwards, in every mode, whether the proxy connects to
// the node with TLS or without.
func TestXHTTP_BehindReverseProxy_UsesForwardedAddress(t *testing.T) {
	echo := EchoServer(t)
	certificate := SelfSigned(t, "front.example.test")
	const size = 300_000
	for name, schemes := range map[string][2]string{
		"vless xhttp": {"http", "grpc"}, "vless xhttp tls": {"https", "grpcs"},
	} {
		s := setupNamed(t, name)
		testNode := newTestNode(t)
		port := startNginx(t, s.Node.Port, schemes, certificate)
		for i, mode := range []string{"auto", "packet-up", "stream-up", "stream-one"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				WithoutRepeats(t, func(t *testing.T) {
					path := "/x"
					if mode == "stream-up" || mode == "stream-one" {
						path = "/grpc/x"
					}
					testNode.Counted() // It includes what a run before this one moved.
					limited := User(100 * int64(i+1))
					limited.DeviceLimit = Ptr(1)
					testNode.Serve(s.Node, limited)
					outbound := s.Client(limited)
					outbound["sendThrough"] = "127.0.0.21"
					withPort(outbound, port)
					outbound["streamSettings"] = Object{
						"network": "xhttp", "security": "tls", "xhttpSettings": Object{"path": path, "mode": mode},
						"tlsSettings": Object{
							"serverName":           "front.example.test",
							"pinnedPeerCertSha256": certificate.Pin(),
						},
					}
					conn := NewClient(t, outbound).Dial(echo)
					MustExchange(t, conn, size)
					online, _ := testNode.Gate.Online() // It includes those of earlier modes.
					last := online[len(online)-1]
					if want := []string{"127.0.0.21"}; last.UserID != limited.ID || !slices.Equal(last.IPs, want) {
						t.Errorf("online: %+v, want user %d from %v", online, limited.ID, want)
					}
					outbound["sendThrough"] = "127.0.0.22"
					if !Refused(NewClient(t, outbound).Dial(echo)) {
						t.Error("a second address was let in")
					}
					conn.Close()
					want := api.Row{UserID: limited.ID, Up: size, Down: size}
					if got := testNode.Counted()[limited.ID]; got != want {
						t.Errorf("counted %+v, moved %+v", got, want)
					}
				})
			})
		}
	}
}

// startNginx runs the reverse proxy of docs/nodes.md in front of a node and returns its TLS port. The base of its
// configuration is the one that the server's tests use.
func startNginx(t *testing.T, node int, schemes [2]string, certificate Certificate) int {
	t.Helper()
	folder, port := t.TempDir(), FreePort(t)
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pem, key := write("front.pem", certificate.PEM), write("front.key", certificate.Key)
	base, err := os.ReadFile("../../../../internal/app/testdata/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	site := write("site.conf", fmt.Sprintf(`
	server {
		listen 127.0.0.1:%[1]d ssl http2;
		ssl_certificate %[2]s;
		ssl_certificate_key %[3]s;
		location /x/ {
			proxy_pass %[5]s://127.0.0.1:%[4]d;
			proxy_http_version 1.1;
			proxy_set_header Host $host;
			proxy_set_header X-Forwarded-For $remote_addr;
			proxy_request_buffering off;
			proxy_read_timeout 1h;
		}
		location /grpc/x/ {
			rewrite ^/grpc(.*)$ $1 break;
			grpc_pass %[6]s://127.0.0.1:%[4]d;
			grpc_set_header Host $host;
			grpc_set_header X-Forwarded-For $remote_addr;
			grpc_read_timeout 1h;
			client_max_body_size 0;
			client_body_timeout 1h;
		}
	}`, port, pem, key, node, schemes[0], schemes[1]))
	config := write("nginx.conf", strings.NewReplacer("FOLDER", folder, "SITE", site).Replace(string(base)))
	nginx := exec.Command("/usr/sbin/nginx", "-c", config, "-e", "stderr")
	nginx.Stdout, nginx.Stderr = t.Output(), t.Output()
	if err := nginx.Start(); err != nil {
		t.Fatalf("this test needs nginx: run `make setup` (%v)", err)
	}
	ended := make(chan struct{})
	go func() { _ = nginx.Wait(); close(ended) }()
	t.Cleanup(func() { _ = nginx.Process.Signal(os.Interrupt); <-ended })
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			conn.Close()
			return port
		}
	}
	t.Fatal("nginx does not listen")
	return 0
}

// With REALITY no proxy can be in front of a node. An address that a user claims could be that of another device, or of
// somebody else.
func TestREALITY_ForwardedAddress_IsIgnored(t *testing.T) {
	echo := EchoServer(t)
	for _, name := range []string{"vless xhttp reality", "trojan xhttp reality"} {
		t.Run(name, func(t *testing.T) {
			s := setupNamed(t, name)
			testNode := newTestNode(t)
			testNode.Serve(s.Node, User(95))
			outbound := s.Client(User(95))
			outbound["streamSettings"].(Object)["xhttpSettings"].(Object)["headers"] = Object{"X-Forwarded-For": "203.0.113.9"}
			conn := NewClient(t, outbound).Dial(echo)
			MustExchange(t, conn, 1000)
			online, _ := testNode.Gate.Online()
			if len(online) != 1 || len(online[0].IPs) != 1 || online[0].IPs[0] != "127.0.0.1" {
				t.Errorf("online: %+v, want the address that the connection comes from", online)
			}
		})
	}
}
