package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"airstrip/internal/node"
)

// A WebSocket takes its connection over from all middleware, compression included, and outlives the time
// that a request may take.
func TestWebSocket_PassesAllMiddleware(t *testing.T) {
	c := config(t)
	c.SiteURL = "http://" + c.Listen
	a, err := Open(t.Context(), c, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	draft := node.Draft("n", node.Shadowsocks, "n.example", 443)
	draft.Settings.Method = "aes-128-gcm"
	n, key, err := a.Nodes.Add(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	stop := a.serving(t)
	query := fmt.Sprintf("?token=%s&node_id=%d", key, n.ID)
	res, err := http.Get(c.SiteURL + "/api/v2/server/handshake" + query)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var hello struct {
		WebSocket struct {
			URL string `json:"ws_url"`
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&hello); err != nil || !strings.HasPrefix(hello.WebSocket.URL,
		"ws://"+c.Listen) {
		t.Fatalf("%+v, %v", hello, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var socket []*websocket.Conn
	for _, encoding := range []string{"gzip", "identity"} {
		conn, _, err := websocket.Dial(ctx, hello.WebSocket.URL+query,
			&websocket.DialOptions{HTTPHeader: http.Header{"Accept-Encoding": {encoding}}})
		if err != nil {
			t.Fatal(encoding, err)
		}
		defer conn.CloseNow()
		socket = append(socket, conn)
	}
	hear := func(conn *websocket.Conn, event string) {
		t.Helper()
		for {
			_, body, err := conn.Read(ctx)
			if err != nil {
				t.Fatal(event, err)
			}
			if strings.Contains(string(body), `"event":"`+event+`"`) {
				return
			}
		}
	}
	for _, conn := range socket {
		hear(conn, "sync.devices")
	}
	if _, err := a.Nodes.Change(t.Context(), n.ID, func(n *node.Node) { n.ListenPort = 8443 }); err != nil {
		t.Fatal(err)
	}
	for _, conn := range socket {
		hear(conn, "sync.config")
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for _, conn := range socket {
		if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Errorf("a stop ended the socket with %v", err)
		}
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
