package sing_test

import (
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apernet/quic-go"
	M "github.com/sagernet/sing/common/metadata"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/enginetest"
	. "airstrip/agent/internal/xraytest"
)

const here = "127.0.0.1"

// isCut reports whether the node ends the connection.
func isCut(conn net.Conn) bool {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-time.After(time.Minute):
		return false
	}
}

func each(t *testing.T, test func(t *testing.T, s setup)) {
	for _, s := range setups(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func TestProtocols_CarryAndCountExactly(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(7), User(8))
		testNode.CheckCounting(func(u api.User) net.Conn { return s.client(t, u, here).Dial(echo) })
	})
}

func TestDownload_OverHTTP_IsCompleteAndCounted(t *testing.T) {
	const size = 3_000_000
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		io.WriteString(w, strings.Repeat("x", size))
	}))
	defer site.Close()
	for _, s := range setups(t) {
		t.Run(s.name, func(t *testing.T) {
			testNode := newTestNode(t)
			testNode.Serve(s.node, User(1))
			client := s.client(t, User(1), here)
			web := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _,
				target string,
			) (net.Conn, error) {
				return client.DialContext(ctx, "tcp", M.ParseSocksaddr(target))
			}}}
			res, err := web.Get(site.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if n, err := io.Copy(io.Discard, res.Body); n != size || err != nil {
				t.Fatalf("%d bytes of %d: %v", n, size, err)
			}
			if counted := testNode.Counted()[1]; counted.Down < size || counted.Down > size+1000 {
				t.Errorf("counted %+v for a download of %d", counted, size)
			}
		})
	}
}

func TestUsers_AddedAndRemoved_OthersStayConnected(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(11), User(12))
		staying := s.client(t, User(11), here).Dial(echo)
		MustExchange(t, staying, 5000)
		leaver := s.client(t, User(12), here)
		leaving := leaver.Dial(echo)
		MustExchange(t, leaving, 5000)

		moving := make(chan error, 1) // While the users change.
		go func() { _, err := Exchange(staying, 5_000_000); moving <- err }()
		testNode.Gate.Put(User(13))
		if err := testNode.Engine.Add([]api.User{User(13)}); err != nil {
			t.Fatal(err)
		}
		joined := s.client(t, User(13), here).Dial(echo)
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
		if err := <-moving; err != nil {
			t.Errorf("another user's connection suffered: %v", err)
		}
		MustExchange(t, joined, 5000)

		// The user returns with the same secret, also through the client that stayed connected.
		testNode.Gate.Put(User(12))
		if err := testNode.Engine.Add([]api.User{User(12)}); err != nil {
			t.Fatal(err)
		}
		MustExchange(t, leaver.Dial(echo), 5000)
	})
}

func TestUsers_NewSecret_InvalidatesOldOne(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(41))
		old := s.client(t, User(41), here)
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
		if !Refused(old.Dial(echo)) || !Refused(s.client(t, User(41), here).Dial(echo)) {
			t.Error("the old secret is still accepted")
		}
		MustExchange(t, s.client(t, User(42), here).Dial(echo), 2000)
		if counted := testNode.Counted(); counted[41].Down != 4000 {
			t.Errorf("counted %v, moved 4000", counted)
		}
	})
}

func TestSpeedLimit_HoldsForEveryProtocol(t *testing.T) {
	echo, packets := EchoServer(t), M.ParseSocksaddr(UDPEchoServer(t))
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		slow, slower := User(35), User(36)
		slow.SpeedMbps, slower.SpeedMbps = Ptr(8.0), Ptr(2.0)
		testNode.Serve(s.node, slow, slower)
		stream := s.client(t, slow, here).Dial(echo)
		flow, err := s.client(t, slower, here).ListenPacket(t.Context(), packets)
		if err != nil {
			t.Fatal(err)
		}
		defer flow.Close()
		var both sync.WaitGroup
		both.Go(func() { testNode.CheckSpeedLimit("TCP", 8, enginetest.Stream(stream)) })
		both.Go(func() { testNode.CheckSpeedLimit("UDP", 2, enginetest.Packets(flow, packets)) })
		both.Wait()
	})
}

func TestDeviceLimit_CountsAddresses(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		limited := User(1)
		limited.DeviceLimit = Ptr(2)
		testNode.Serve(s.node, limited)
		phone, laptop, third := s.client(t, limited, "127.0.0.11"), s.client(t, limited, "127.0.0.12"), s.client(t,
			limited, "127.0.0.13")
		calls := []net.Conn{phone.Dial(echo), phone.Dial(echo), laptop.Dial(echo)}
		for _, conn := range calls {
			MustExchange(t, conn, 100)
		}
		if !Refused(third.Dial(echo)) {
			t.Error("a third address was let in")
		}
		online, connections := testNode.Gate.Online()
		if len(online) != 1 || len(online[0].IPs) != 2 || online[0].IPs[0] != "127.0.0.11" || connections != 3 {
			t.Errorf("online: %+v with %d connections", online, connections)
		}
	})
}

func TestEgress_PrivateDestination_IsRefused(t *testing.T) {
	_, port, _ := net.SplitHostPort(EchoServer(t))
	each(t, func(t *testing.T, s setup) {
		s.node.AllowPrivate = false
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(1))
		client := s.client(t, User(1), here)
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"} {
			if !Refused(client.Dial(host + ":" + port)) {
				t.Errorf("%s was connected to", host)
			}
		}
		s.node.AllowPrivate = true
		testNode.Serve(s.node, User(1))
		MustExchange(t, client.Dial("localhost:"+port), 100)
	})
}

func TestUDP_IsCarriedCountedAndObeysRules(t *testing.T) {
	first, second := M.ParseSocksaddr(UDPEchoServer(t)), M.ParseSocksaddr(UDPEchoServer(t))
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(31))
		testNode.Gate.SetRules([]api.Rule{{ID: 3, Pattern: "^" + second.String() + "$"}})
		flow, err := s.client(t, User(31), here).ListenPacket(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		defer flow.Close()
		answers := make(chan net.Addr, 10)
		go func() {
			for b := make([]byte, 2000); ; {
				n, from, err := flow.ReadFrom(b)
				if err != nil {
					return
				}
				if n == 700 {
					answers <- from
				}
			}
		}()
		send := func(to M.Socksaddr, size int) {
			if _, err := flow.WriteTo(make([]byte, size), to); err != nil {
				t.Fatal(err)
			}
		}
		mustReturn := func() {
			t.Helper()
			send(first, 700)
			select {
			case from := <-answers:
				if from.String() != first.String() {
					t.Fatalf("the answer to a packet came from %v, not %s", from, first)
				}
			case <-time.After(time.Minute):
				t.Fatal("a packet did not come back")
			}
		}
		mustReturn()
		mustReturn()
		send(second, 700) // A rule forbids this destination. The next answer comes from the first one.
		mustReturn()
		testNode.AwaitUp(2800)
		if counted := testNode.Counted()[31]; counted.Up != 2800 || counted.Down != 2100 {
			t.Errorf("counted %+v, moved 2800 and 2100", counted)
		}
		s.node.AllowPrivate = false
		if err := testNode.Engine.Configure(s.node, []api.User{User(31)}); err != nil {
			t.Fatal(err)
		}
		// A flow is handled packet by packet: once the second one is counted, the first one has been dropped.
		send(first, 700)
		testNode.AwaitUp(3500)
		send(first, 1)
		testNode.AwaitUp(3501)
		s.node.AllowPrivate = true
		if err := testNode.Engine.Configure(s.node, []api.User{User(31)}); err != nil {
			t.Fatal(err)
		}
		mustReturn()
		if testNode.Counted()[31].Down != 700 {
			t.Error("a packet reached a private address")
		}
	})
}

// full selects the size of `make stress`.
var full = flag.Bool("full", false, "change users as often as in the stress test")

func TestDownloads_OtherUsersChange_AreNotInterrupted(t *testing.T) {
	from, echo := SlowSource(t), EchoServer(t)
	times, downloads := int64(200), 20
	if *full {
		times, downloads = 1000, 50
	}
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(1), User(2))
		over := make(chan struct{})
		var group sync.WaitGroup
		for id := range int64(2) {
			client := s.client(t, User(id+1), here)
			for range downloads / 2 {
				conn := client.Dial(from)
				group.Go(func() {
					if err := Download(conn, over); err != nil {
						t.Errorf("a download broke: %v", err)
					}
				})
			}
		}
		for id := int64(100); id < 100+times; id++ {
			rekeyed := User(id + 50_000)
			rekeyed.ID = id
			limited := rekeyed
			limited.SpeedMbps = Ptr(100.0)
			for _, u := range []api.User{User(id), rekeyed, limited} {
				testNode.Gate.Put(u)
				if err := testNode.Engine.Add([]api.User{u}); err != nil {
					t.Fatal(err)
				}
			}
			if id%(times/5) == 0 {
				MustExchange(t, s.client(t, limited, here).Dial(echo), 1000)
			}
			testNode.Gate.Remove(id)
			if err := testNode.Engine.Remove([]int64{id}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(5 * time.Millisecond)
		}
		close(over)
		group.Wait()
	})
}

func TestRules_ApplyToHostNamedInsideConnection(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(61))
		testNode.CheckHostRule(echo, s.client(t, User(61), here).Dial)
	})
}

func TestBlockedAddress_IsRefused(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(62))
		testNode.CheckBlockedAddress(echo, s.client(t, User(62), here).Dial)
	})
}

func TestRules_ApplyToHostNamedInQUIC(t *testing.T) {
	to := M.ParseSocksaddr(UDPEchoServer(t))
	each(t, func(t *testing.T, s setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.node, User(62))
		testNode.Gate.SetRules([]api.Rule{{ID: 71, Pattern: `blocked\.test`}})
		flow, err := s.client(t, User(62), here).ListenPacket(t.Context(), to)
		if err != nil {
			t.Fatal(err)
		}
		defer flow.Close()
		for _, p := range QUICHello(t, "www.blocked.test", quic.Version1) {
			if _, err := flow.WriteTo(p, to); err != nil {
				t.Fatal(err)
			}
		}
		if hits := testNode.AwaitHits(71); hits != 1 {
			t.Errorf("%d hits, want one", hits)
		}
	})
}

func TestConfigure_InvalidNode_IsRefusedWithReason(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := setups(t)[2]
	testNode := newTestNode(t)
	for name, spoil := range map[string]func(*api.Node){
		"port in use":    func(n *api.Node) { n.Port = taken.Addr().(*net.TCPAddr).Port },
		"no port":        func(n *api.Node) { n.Port = 0 },
		"no certificate": func(n *api.Node) { n.Settings.TLS.Certificate = "" },
		"bad padding":    func(n *api.Node) { n.Settings.Padding = []string{"0=1-2"} },
		"congestion":     func(n *api.Node) { n.Protocol, n.Settings.Congestion = "tuic", "hope" },
	} {
		bad := s.node
		spoil(&bad)
		if err := testNode.Engine.Configure(bad, []api.User{User(1)}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	testNode.Serve(s.node, User(1))
	MustExchange(t, s.client(t, User(1), here).Dial(EchoServer(t)), 1000)
}

func TestConfigure_TenThousandUsers_IsFast(t *testing.T) {
	users := make([]api.User, 10_000)
	for i := range users {
		users[i] = User(int64(i + 1))
	}
	for _, s := range setups(t) {
		t.Run(s.name, func(t *testing.T) {
			testNode := newTestNode(t)
			began := time.Now()
			testNode.Serve(s.node, users...)
			t.Logf("%d users took %s", len(users), time.Since(began))
			MustExchange(t, s.client(t, User(9999), here).Dial(EchoServer(t)), 1000)
		})
	}
}
