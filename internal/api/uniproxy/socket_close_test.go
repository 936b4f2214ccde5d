package uniproxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"airstrip/internal/node"
)

// No delta says whom to remove when the node gets another list. The agent requests it after the socket was closed.
func TestSocket_ListOfOtherNode_IsClosed(t *testing.T) {
	each(t, func(s *site) {
		for name, change := range map[string]func(*node.Node){
			"vmess":     func(n *node.Node) { n.Class = 2 },
			"ss":        func(n *node.Node) { n.Settings.Method = "aes-128-gcm" },
			"tuic":      func(n *node.Node) { n.SpeedMbps = new(10) },
			"hysteria2": func(n *node.Node) { n.Enabled = false },
		} {
			k := s.follow(name)
			if _, err := s.Nodes.Change(t.Context(), s.IDs[name], change); err != nil {
				t.Fatal(name, err)
			}
			k.mustClose(websocket.StatusServiceRestart)
		}
		k := s.connect(s.of("hysteria2"))
		k.next("auth.success")
		k.next("sync.config")
		if f := k.next("sync.users"); !slices.Equal(f.ids(s), []int64{0}) {
			t.Fatalf("a node that serves nobody heard %s", f.raw)
		}
	})
}

func TestSocket_WrongToken_IsRefused(t *testing.T) {
	statuses := map[string]int{"bad_secret": 401, "other_node": 403, "other_node_type": 404}
	each(t, func(s *site) {
		for query, code := range map[string]string{
			"":                   "bad_secret",
			"?token=":            "bad_secret",
			"?token=x&node_id=1": "bad_secret",
			"?machine_id=1":      "bad_secret",
			"?node_id=1":         "bad_secret",
			s.of("ss") + "0":     "other_node",
			"?token=" + s.Keys["ss"] + fmt.Sprintf("&node_id=%d", s.IDs["vmess"]): "other_node",
			s.of("ss") + "&node_type=vless":                                       "other_node_type",
		} {
			for _, path := range []string{s.URL, s.v2().URL} {
				conn, res, err := websocket.Dial(s.Context(), path+"ws"+query, nil)
				if err == nil {
					conn.CloseNow()
					t.Errorf("%s: a socket was opened", query)
					continue
				}
				var answer struct{ Status, Code, Message string }
				body, _ := io.ReadAll(res.Body) // The client returns only the beginning.
				if json.Unmarshal(body, &answer) != nil || answer.Status != "fail" || answer.Code != code ||
					answer.Message == "" || res.StatusCode != statuses[code] {
					t.Errorf("%s: %d %s", query, res.StatusCode, body)
				}
			}
		}
	})
}

func TestSocket_TokenExpires_IsClosed(t *testing.T) {
	eachAt(t, intervals{time.Minute, 20 * time.Millisecond, time.Hour}, func(s *site) {
		rotated, kept, removed := s.follow("ss"), s.follow("vmess"), s.follow("trojan")
		if _, err := s.Nodes.Secrets.Rotate(t.Context(), s.IDs["ss"], 0); err != nil {
			t.Fatal(err)
		}
		rotated.mustClose(websocket.StatusPolicyViolation)
		if err := s.Nodes.Remove(t.Context(), s.IDs["trojan"]); err != nil {
			t.Fatal(err)
		}
		removed.mustClose(websocket.StatusPolicyViolation)
		if _, err := s.Nodes.Secrets.Rotate(t.Context(), s.IDs["vmess"], time.Hour); err != nil {
			t.Fatal(err)
		}
		kept.next("ping")
		later := time.Now().Add(2 * time.Hour)
		s.DB.SetClock(func() time.Time { return later })
		kept.mustClose(websocket.StatusPolicyViolation)
	})
}

func TestSocket_InvalidFrame_IsClosed(t *testing.T) {
	each(t, func(s *site) {
		for text, code := range map[string]websocket.StatusCode{
			`{"event":"report.devices","data":{"1":["` + strings.Repeat("x", 1<<20) +
				`"]}}`: websocket.StatusMessageTooBig,
			`{"event":`: websocket.StatusInvalidFramePayloadData,
			`[]`:        websocket.StatusInvalidFramePayloadData,
		} {
			k := s.follow("ss")
			k.conn.Write(t.Context(), websocket.MessageText, []byte(text)) // The connection may break halfway.
			k.mustClose(code)
		}
	})
}

// handshake connects without a WebSocket library, to control what is written and read.
func (s *site) handshake(query string) net.Conn {
	s.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF,
				4096)
		})
	}}
	conn, err := dialer.DialContext(s.Context(), "tcp", s.server.Listener.Addr().String())
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn,
		"GET /api/v2/server/ws%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: "+
			"websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		query); err != nil {
		s.Fatal(err)
	}
	return conn
}

// awaitClosed waits until the server has closed its end.
func (s *site) awaitClosed(conn net.Conn) {
	s.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		select {
		case peer := <-s.closed:
			if peer == conn.LocalAddr().String() {
				return
			}
		case <-deadline:
			s.Fatal("the server kept the connection")
		}
	}
}

func TestSocket_AgentDoesNotRead_IsClosed(t *testing.T) {
	eachAt(t, intervals{time.Second, time.Hour, time.Hour}, func(s *site) {
		s.addUsers(3000)
		deaf := s.handshake(s.of("ss"))
		k := s.follow("trojan")
		if _, err := s.Nodes.Change(t.Context(), s.IDs["trojan"],
			func(n *node.Node) { n.ListenPort = 8443 }); err != nil {
			t.Fatal(err)
		}
		k.next("sync.config")
		s.awaitClosed(deaf)
	})
}

func TestSocket_PingNotAnswered_IsClosed(t *testing.T) {
	eachAt(t, intervals{300 * time.Millisecond, 20 * time.Millisecond, time.Hour}, func(s *site) {
		s.awaitClosed(s.handshake(s.of("ss")))
	})
}

func TestSocket_DatabaseAway_IsClosed(t *testing.T) {
	eachAt(t, intervals{time.Minute, 20 * time.Millisecond, time.Hour}, func(s *site) {
		k := s.follow("ss")
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		for f := range k.frames {
			if f.Event != "ping" && (f.Event != "error" || f.Data.Code != "internal_error") {
				t.Fatalf("heard %s", f.raw)
			}
		}
		k.mustClose(websocket.StatusInternalError)
	})
}

func TestSocket_Shutdown_ClosesIt(t *testing.T) {
	each(t, func(s *site) {
		k := s.follow("ss")
		s.stop()
		k.mustClose(websocket.StatusGoingAway)
	})
}

func TestSocket_TooMany_ClosesOldest(t *testing.T) {
	each(t, func(s *site) {
		oldest := s.follow("ss")
		for range 32 {
			s.follow("ss")
		}
		oldest.mustClose(websocket.StatusServiceRestart)
	})
}
