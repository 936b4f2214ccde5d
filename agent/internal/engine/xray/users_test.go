package xray_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// isCut reports whether an open connection ends without an answer. It also writes, because some clients notice the end
// only then.
func isCut(conn net.Conn) bool {
	go func() {
		for {
			if _, err := conn.Write([]byte("still there?")); err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	answer := make(chan int, 1)
	go func() {
		n, _ := conn.Read(make([]byte, 100))
		answer <- n
	}()
	select {
	case n := <-answer:
		return n == 0
	case <-time.After(time.Minute):
		return false
	}
}

func TestUsers_AddedAndRemoved_OthersStayConnected(t *testing.T) {
	echo := EchoServer(t)
	eachExchange(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(11), User(12))
		staying := NewClient(t, s.Client(User(11))).Dial(echo)
		MustExchange(t, staying, 5000)
		leaver := NewClient(t, s.Client(User(12)))
		leaving := leaver.Dial(echo)
		MustExchange(t, leaving, 5000)

		testNode.Gate.Put(User(13))
		if err := testNode.Engine.Add([]api.User{User(13)}); err != nil {
			t.Fatal(err)
		}
		joined := NewClient(t, s.Client(User(13))).Dial(echo)
		MustExchange(t, joined, 5000)

		testNode.Gate.Remove(12)
		if err := testNode.Engine.Remove([]int64{12}); err != nil {
			t.Fatal(err)
		}
		if !isCut(leaving) {
			t.Error("the removed user's connection goes on")
		}
		if !Refused(leaver.Dial(echo)) {
			t.Error("the removed user is let in again")
		}
		MustExchange(t, staying, 5000)
		MustExchange(t, joined, 5000)

		testNode.Gate.Put(User(12))
		if err := testNode.Engine.Add([]api.User{User(12)}); err != nil {
			t.Fatal(err)
		}
		MustExchange(t, leaver.Dial(echo), 5000)

		counted := testNode.Counted()
		for id, want := range map[int64]int64{11: 10_000, 12: 10_000, 13: 10_000} {
			if got := counted[id]; got.Up != want || got.Down != want {
				t.Errorf("user %d moved %d each way, counted %+v", id, want, got)
			}
		}
	})
}

func TestUsers_NewSecret_InvalidatesOldOne(t *testing.T) {
	echo := EchoServer(t)
	eachExchange(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(41))
		old := NewClient(t, s.Client(User(41)))
		conn := old.Dial(echo)
		MustExchange(t, conn, 2000)

		changed := User(42)
		changed.ID = 41
		testNode.Gate.Put(changed)
		if err := testNode.Engine.Add([]api.User{changed}); err != nil {
			t.Fatal(err)
		}
		if !isCut(conn) {
			t.Error("the connection that was opened with the old secret goes on")
		}
		if !Refused(old.Dial(echo)) {
			t.Error("the old secret is still accepted")
		}
		MustExchange(t, NewClient(t, s.Client(User(42))).Dial(echo), 2000)
		if counted := testNode.Counted(); counted[41].Down != 4000 {
			t.Errorf("counted %v, moved 4000", counted)
		}
	})
}

func plainSetup(t testing.TB) Setup {
	for _, s := range Setups(t) {
		if s.Name == "vless ws" {
			return s
		}
	}
	t.Fatal("no such setup")
	return Setup{}
}

func TestConfigure_OnlyListenerChange_ReopensListener(t *testing.T) {
	echo := EchoServer(t)
	s := plainSetup(t)
	testNode := newTestNode(t)
	testNode.Serve(s.Node, User(1))
	conn := NewClient(t, s.Client(User(1))).Dial(echo)
	MustExchange(t, conn, 1000)

	changed := s.Node
	changed.Name, changed.ReportSeconds, changed.SpeedMbps = "another name", 30, Ptr(100.0)
	testNode.Serve(changed, User(1), User(2))
	MustExchange(t, conn, 1000)
	MustExchange(t, NewClient(t, s.Client(User(2))).Dial(echo), 1000)

	moved := changed
	moved.Port = FreePort(t)
	testNode.Serve(moved, User(1), User(2))
	if !Refused(NewClient(t, s.Client(User(1))).Dial(echo)) {
		t.Error("the old port still answers")
	}
	there := s.Client(User(1))
	there["settings"].(Object)["vnext"].([]Object)[0]["port"] = moved.Port
	MustExchange(t, NewClient(t, there).Dial(echo), 1000)
}

func TestConfigure_InvalidNode_IsRefusedWithReason(t *testing.T) {
	s := plainSetup(t)
	testNode := newTestNode(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, spoil := range map[string]func(*api.Node){
		"port in use":       func(n *api.Node) { n.Port = taken.Addr().(*net.TCPAddr).Port },
		"no port":           func(n *api.Node) { n.Port = 0 },
		"unknown protocol":  func(n *api.Node) { n.Protocol = "carrier-pigeon" },
		"unknown transport": func(n *api.Node) { n.Settings.Transport = "kcp" },
		"tls without key":   func(n *api.Node) { n.Settings.Security = "tls" },
		"short server key": func(n *api.Node) {
			n.Protocol, n.Settings = "shadowsocks", api.Settings{
				Method:    "2022-blake3-aes-128-gcm",
				ServerKey: "c2hvcnQ=",
			}
		},
	} {
		bad := s.Node
		spoil(&bad)
		if err := testNode.Engine.Configure(bad, []api.User{User(1)}); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	testNode.Serve(s.Node, User(1))
	conn := NewClient(t, s.Client(User(1))).Dial(EchoServer(t))
	MustExchange(t, conn, 1000)
	bad := s.Node
	bad.Settings.Transport = "kcp"
	if err := testNode.Engine.Configure(bad, []api.User{User(1)}); err == nil {
		t.Error("unknown transport: no error")
	}
	MustExchange(t, conn, 1000)
	MustExchange(t, NewClient(t, s.Client(User(1))).Dial(EchoServer(t)), 1000)
}

func TestUsers_InvalidSecret_DoesNotAffectOthers(t *testing.T) {
	s := plainSetup(t)
	testNode := newTestNode(t)
	broken := User(2)
	broken.UUID = "this is far too long a text to be taken for the identity of anyone at all"
	testNode.Serve(s.Node, User(1), broken)
	MustExchange(t, NewClient(t, s.Client(User(1))).Dial(EchoServer(t)), 1000)
	if err := testNode.Engine.Add([]api.User{broken, User(3)}); err == nil || errors.Unwrap(err) != nil {
		t.Errorf("adding the broken user: %v", err)
	}
	testNode.Gate.Put(User(3))
	MustExchange(t, NewClient(t, s.Client(User(3))).Dial(EchoServer(t)), 1000)
}
