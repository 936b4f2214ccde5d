package run_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

// clientAt returns a client that connects to another port than the node's.
func (e *testEnv) clientAt(u api.User, port int) *Client {
	outbound := e.setup.Client(u)
	outbound["settings"].(Object)["vnext"].([]Object)[0]["port"] = port
	return NewClient(e.t, outbound)
}

func TestRelay_CarriesUsersOfOtherNode_CountsNothing(t *testing.T) {
	t.Parallel()
	target, other, relay := newTestEnv(t, User(1)), newTestEnv(t, User(1)), newTestEnv(t)
	target.start()
	other.start()
	port := FreePort(t)
	forwards := func(to ...*testEnv) *api.Node {
		node := relay.setup.Node
		for i, e := range to {
			node.Forwards = append(node.Forwards, api.Forward{
				Port:   port + i,
				Target: fmt.Sprintf("127.0.0.1:%d", e.setup.Node.Port), TCP: true,
			})
		}
		return &node
	}
	relay.start()
	relay.publish(api.Change{Node: forwards(target)})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request,
	) {
		io.WriteString(w, strings.Repeat("x", 500_000))
	}))
	t.Cleanup(web.Close)
	client := target.clientAt(User(1), port)
	surfer := &http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, _,
		address string,
	) (net.Conn, error) {
		return client.Dial(address), nil
	}}}
	get := func() error {
		answer, err := surfer.Get(web.URL)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err == nil && len(body) != 500_000 {
			err = fmt.Errorf("%d bytes", len(body))
		}
		return err
	}
	var err error
	eventually(t, 10*time.Second, "a page comes through the relay", func() bool { err = get(); return err == nil })
	staying := client.Dial(target.echo)
	target.mustExchange(staying, 1000)
	eventually(t, 15*time.Second, "the traffic is billed", func() bool { return target.billedBytes(1) >= 502_000 })
	target.awaitReport()
	if bill := target.billedBytes(1); bill > 504_000 { // Including the headers of request and answer.
		t.Errorf("a page of 500,000 bytes and 2,000 of an exchange were billed as %d", bill)
	}

	relay.publish(api.Change{Node: forwards(target, other)}) // Another relay is added.
	second := other.clientAt(User(1), port+1)
	eventually(t, 10*time.Second, "the second relay serves", func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	other.mustExchange(second.Dial(other.echo), 1000)
	target.mustExchange(staying, 1000)
	other.mustBill(1, 2000)

	if err := relay.stop(); err != nil { // Without a drain open connections are cut.
		t.Error(err)
	}
	if _, err := Exchange(staying, 1000); err == nil {
		t.Error("the relay has ended and its connection goes on")
	}
	if bill := relay.billedBytes(1); bill != 0 {
		t.Errorf("the relay billed %d bytes", bill)
	}
	target.mustExchange(target.client(User(1)).Dial(target.echo), 1000) // The node itself is not affected.
}

func TestRelay_ServerAway_ServesFromSavedState(t *testing.T) {
	t.Parallel()
	relay := newTestEnv(t)
	relay.setup.Node.Forwards = []api.Forward{{Port: FreePort(t), Target: EchoServer(t), TCP: true}}
	relay.node = relay.setup.Node
	relay.start()
	if err := relay.stop(); err != nil {
		t.Fatal(err)
	}
	relay.set(func() {
		relay.fault = func(rw http.ResponseWriter, _ *http.Request) bool { writeError(rw, 503, "away"); return true }
	})
	relay.start()
	var conn net.Conn
	eventually(t, 5*time.Second, "the relay serves", func() bool {
		var err error
		conn, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", relay.setup.Node.Forwards[0].Port))
		return err == nil
	})
	defer conn.Close()
	relay.mustExchange(conn, 1000)
}

func TestBlockedAddress_IsRefused(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	client := e.client(User(1))
	open := client.Dial(e.echo)
	e.mustExchange(open, 1000)
	refused := func() bool {
		conn := client.Dial(e.echo)
		defer conn.Close()
		return Refused(conn)
	}
	e.publish(api.Change{Blocked: []string{"127.0.0.1", "192.0.2.9"}})
	eventually(t, 10*time.Second, "new connections are refused", refused)
	if _, err := Exchange(open, 1000); err == nil {
		t.Error("a connection from the blocked address goes on")
	}
	eventually(t, 10*time.Second, "the address is blocked", func() bool { return run.Summarize(e.data).Revision == 2 })
	if err := e.stop(); err != nil {
		t.Fatal(err)
	}
	e.set(func() {
		e.fault = func(rw http.ResponseWriter, _ *http.Request) bool { writeError(rw, 503, "away"); return true }
	})
	e.start()
	if !refused() {
		t.Error("after a restart without the server the address is let in")
	}
	e.set(func() { e.fault = nil })
	e.publish(api.Change{Unblocked: []string{"127.0.0.1"}})
	e.mustLetIn(client, "the address that was blocked")
}
