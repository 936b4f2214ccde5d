package xray_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/apernet/quic-go"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/enginetest"
	. "airstrip/agent/internal/xraytest"
)

func TestSpeedLimit_IsSharedByAllConnectionsOfUser(t *testing.T) {
	echo := EchoServer(t)
	s := plainSetup(t)
	testNode := newTestNode(t)
	slow := User(1)
	slow.SpeedMbps = Ptr(8.0) // 1,000,000 bytes per second, both directions together.
	testNode.Serve(s.Node, slow, User(2))
	began := time.Now()
	done := make(chan error, 2)
	client := NewClient(t, s.Client(slow))
	for range 2 {
		conn := client.Dial(echo)
		go func() { _, err := Exchange(conn, 500_000); done <- err }()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	// 2 connections × 2 directions × 500,000 bytes, of which a full bucket provides 250,000 at once.
	if took := time.Since(began); took < 1600*time.Millisecond {
		t.Errorf("2,000,000 bytes at 8 Mbit/s took %s", took)
	}
	free := NewClient(t, s.Client(User(2))).Dial(echo)
	best := time.Duration(1<<63 - 1)
	for range 10 {
		began = time.Now()
		MustExchange(t, free, 1_000_000)
		if best = min(best, time.Since(began)); best < time.Second {
			break
		}
	}
	if best > time.Second {
		t.Errorf("a user without a limit needed %s for as much", best)
	}
	if counted := testNode.Counted(); counted[1].Up != 1_000_000 || counted[1].Down != 1_000_000 {
		t.Errorf("counted %+v", counted[1])
	}
}

func TestSpeedLimit_HoldsForEveryProtocol(t *testing.T) {
	echo := EchoServer(t)
	packets, err := net.ResolveUDPAddr("udp", UDPEchoServer(t))
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		slow, slower := User(35), User(36)
		slow.SpeedMbps, slower.SpeedMbps = Ptr(8.0), Ptr(2.0)
		testNode.Serve(s.Node, slow, slower)
		stream, flow := NewClient(t, s.Client(slow)).Dial(echo), NewClient(t, s.Client(slower)).ListenPacket()
		var both sync.WaitGroup
		both.Go(func() { testNode.CheckSpeedLimit("TCP", 8, enginetest.Stream(stream)) })
		both.Go(func() { testNode.CheckSpeedLimit("UDP", 2, enginetest.Packets(flow, packets)) })
		both.Wait()
	})
}

func TestRemaining_UsedUp_StopsUserUntilRenewal(t *testing.T) {
	endless := endlessServer(t)
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		limited := User(21)
		limited.Remaining = Ptr[int64](1 << 20)
		testNode.Serve(s.Node, limited, User(22))
		other := NewClient(t, s.Client(User(22))).Dial(EchoServer(t))
		MustExchange(t, other, 1000)
		client := NewClient(t, s.Client(limited))
		conn := client.Dial(endless)
		if _, err := conn.Write([]byte("go")); err != nil {
			t.Fatal(err)
		}
		received := make(chan int64, 1)
		go func() {
			n, _ := io.Copy(io.Discard, conn)
			received <- n
		}()
		select {
		case id := <-testNode.Exhausted:
			if id != 21 {
				t.Errorf("user %d is said to be exhausted", id)
			}
		case <-time.After(time.Minute):
			t.Fatal("the gate did not report that the user has used up everything")
		}
		row := testNode.Counted()[21]
		conn.Close()
		total, got := row.Up+row.Down, <-received
		if got > total || total < 1<<20 || total > 1<<20+256<<10 {
			t.Errorf("of %d remaining bytes, %d were counted and %d received", 1<<20, total, got)
		}
		if !Refused(client.Dial(EchoServer(t))) {
			t.Error("a user with nothing left is let in")
		}
		MustExchange(t, other, 1000)

		if !testNode.Gate.Put(limited) {
			t.Fatal("after a renewal the user still has nothing left")
		}
		if err := testNode.Engine.Add([]api.User{limited}); err != nil {
			t.Fatal(err)
		}
		MustExchange(t, client.Dial(EchoServer(t)), 1000)
	})
}

func TestDeviceLimit_CountsAddresses(t *testing.T) {
	echo := EchoServer(t)
	for _, name := range []string{
		"vless ws", "vless xhttp", "vless xhttp tls", "vless xhttp reality", "vmess xhttp tls", "trojan xhttp reality",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			WithoutRepeats(t, func(t *testing.T) {
				s := setupNamed(t, name)
				testNode := newTestNode(t)
				limited := User(96)
				limited.DeviceLimit = Ptr(2)
				testNode.Serve(s.Node, limited)
				from := func(address string) *Client {
					outbound := s.Client(limited)
					outbound["sendThrough"] = address
					return NewClient(t, outbound)
				}
				phone, laptop, third := from("127.0.0.11"), from("127.0.0.12"), from("127.0.0.13")
				calls := []net.Conn{phone.Dial(echo), phone.Dial(echo), laptop.Dial(echo)}
				for _, conn := range calls {
					MustExchange(t, conn, 300)
				}
				if !Refused(third.Dial(echo)) {
					t.Error("a third address was let in")
				}
				online, connections := testNode.Gate.Online()
				if len(online) != 1 || len(online[0].IPs) != 2 || connections != 3 {
					t.Errorf("online: %+v with %d connections", online, connections)
				}
				calls[2].Close()
				if !LetIn(func() net.Conn { return third.Dial(echo) }) {
					t.Error("the slot of an address that left is not given to another")
				}
			})
		})
	}
}

func TestEgress_PrivateDestination_IsRefused(t *testing.T) {
	echo := EchoServer(t)
	_, port, _ := net.SplitHostPort(echo)
	s := plainSetup(t)
	s.Node.AllowPrivate = false
	testNode := newTestNode(t)
	testNode.Serve(s.Node, User(1))
	client := NewClient(t, s.Client(User(1)))
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1",
		"169.254.169.254", "[64:ff9b::7f00:1]",
	} {
		if !Refused(client.Dial(host + ":" + port)) {
			t.Errorf("%s was connected to", host)
		}
	}
	allowed := s.Node
	allowed.AllowPrivate = true
	testNode.Serve(allowed, User(1))
	MustExchange(t, client.Dial("localhost:"+port), 100)
}

func TestRules_ForbidDestinationsAndCountHits(t *testing.T) {
	echo := EchoServer(t)
	_, port, _ := net.SplitHostPort(echo)
	s := plainSetup(t)
	testNode := newTestNode(t)
	testNode.Serve(s.Node, User(1))
	testNode.Gate.SetRules([]api.Rule{{ID: 4, Pattern: "("}, {ID: 5, Pattern: `^localhost:` + port + `$`}})
	client := NewClient(t, s.Client(User(1)))
	for range 2 {
		if !Refused(client.Dial("localhost:" + port)) {
			t.Error("a forbidden destination was connected to")
		}
	}
	MustExchange(t, client.Dial(echo), 100)
	if err := testNode.Meter.Seal(); err != nil {
		t.Fatal(err)
	}
	batch, err := testNode.Meter.Next()
	if err != nil {
		t.Fatal(err)
	}
	if want := (api.Hit{UserID: 1, RuleID: 5, Count: 2}); len(batch.Report.Hits) != 1 || batch.Report.Hits[0] != want {
		t.Errorf("hits %+v, want %+v", batch.Report.Hits, want)
	}
	testNode.Gate.SetRules([]api.Rule{{ID: 5, Pattern: `^localhost:` + port + `$`, Exempt: []int64{9, 1}}})
	MustExchange(t, client.Dial("localhost:"+port), 100)
}

func TestUDP_IsCarriedCountedAndRefusedToPrivateNetworks(t *testing.T) {
	addr, err := net.ResolveUDPAddr("udp", UDPEchoServer(t))
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(31))
		flow := NewClient(t, s.Client(User(31))).ListenPacket()
		packet := make([]byte, 700)
		answer := make(chan int, 10)
		go func() {
			for b := make([]byte, 2000); ; {
				n, _, err := flow.ReadFrom(b)
				if err != nil {
					return
				}
				answer <- n
			}
		}()
		send := func(packet []byte) {
			if _, err := flow.WriteTo(packet, addr); err != nil {
				t.Fatal(err)
			}
		}
		mustReturn := func(packet []byte) {
			t.Helper()
			send(packet)
			select {
			case n := <-answer:
				if n != len(packet) {
					t.Fatalf("%d bytes of a packet of %d came back", n, len(packet))
				}
			case <-time.After(time.Minute):
				t.Fatalf("a packet of %d bytes did not come back", len(packet))
			}
		}
		for range 3 {
			mustReturn(packet)
		}
		counted := testNode.Counted()
		if counted[31].Up != 2100 || counted[31].Down != 2100 {
			t.Errorf("counted %+v, moved 2100 each way", counted[31])
		}
		testNode.Gate.SetNode(s.Node)
		closed := s.Node
		closed.AllowPrivate = false
		if err := testNode.Engine.Configure(closed, []api.User{User(31)}); err != nil {
			t.Fatal(err)
		}
		// A flow is handled packet by packet: once the second one is counted, the first one has been dropped.
		send(packet)
		testNode.AwaitUp(2800)
		send(packet[:1])
		testNode.AwaitUp(2801)
		if err := testNode.Engine.Configure(s.Node, []api.User{User(31)}); err != nil {
			t.Fatal(err)
		}
		send(packet[:100])
		for n := 0; n != 100; {
			select {
			case n = <-answer:
				if n == len(packet) {
					t.Error("a packet reached a private address")
				}
			case <-time.After(time.Minute):
				t.Fatal("no packet comes back after private addresses were allowed again")
			}
		}
	})
}

// The sizes include packets that a protocol has to fragment.
func TestUDP_PacketsOfAllSizes_ArriveUnchanged(t *testing.T) {
	each(t, func(t *testing.T, s Setup) {
		target, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(32))
		client := NewClient(t, s.Client(User(32)))
		sizes := []int{1, 700, 1150, 1200, 1252, 1300, 1400, 1472, 2000}
		for _, first := range sizes {
			flow := client.ListenPacket()
			for _, size := range append([]int{first}, sizes...) {
				sent := make([]byte, size)
				rand.Read(sent)
				if _, err := flow.WriteTo(sent, target.LocalAddr()); err != nil {
					t.Fatal(err)
				}
				got := make([]byte, 4000)
				target.SetReadDeadline(time.Now().Add(time.Minute))
				if n, _, err := target.ReadFrom(got); err != nil || !bytes.Equal(got[:n], sent) {
					t.Fatalf("of %d bytes, after %d, %d came that are the same: %t, %v", size, first, n,
						bytes.Equal(got[:n], sent), err)
				}
			}
			flow.Close()
		}
	})
}

func TestRules_ApplyToHostNamedInsideConnection(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(61))
		testNode.CheckHostRule(echo, NewClient(t, s.Client(User(61))).Dial)
	})
}

func TestBlockedAddress_IsRefused(t *testing.T) {
	echo := EchoServer(t)
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(62))
		testNode.CheckBlockedAddress(echo, NewClient(t, s.Client(User(62))).Dial)
	})
}

func TestRules_ApplyToHostNamedInQUIC(t *testing.T) {
	addr, err := net.ResolveUDPAddr("udp", UDPEchoServer(t))
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(63))
		testNode.Gate.SetRules([]api.Rule{{ID: 71, Pattern: `blocked\.test`}})
		client := NewClient(t, s.Client(User(63)))
		mustPass := func() {
			t.Helper()
			select {
			case <-sendQUIC(t, client, addr, QUICHello(t, "allowed.test", quic.Version1)):
			case <-time.After(time.Minute):
				t.Error("the packets to a host that no rule forbids were stopped")
			}
		}
		mustPass()
		forbidden := sendQUIC(t, client, addr, QUICHello(t, "www.blocked.test", quic.Version1))
		if hits := testNode.AwaitHits(71); hits != 1 {
			t.Errorf("%d hits of rule 71, want one", hits)
		}
		mustPass()
		select {
		case <-forbidden:
			t.Error("the packets to a forbidden host passed")
		default:
		}
	})
}

// sendQUIC opens a flow to an echo server. The channel is closed when a packet that follows the first ones has
// returned.
func sendQUIC(t *testing.T, client *Client, to net.Addr, first [][]byte) <-chan struct{} {
	flow := client.ListenPacket()
	last := []byte("after the handshake")
	for _, p := range append(first, last) {
		if _, err := flow.WriteTo(p, to); err != nil {
			t.Fatal(err)
		}
	}
	returned := make(chan struct{})
	go func() {
		for b := make([]byte, 2000); ; {
			n, _, err := flow.ReadFrom(b)
			if err != nil {
				return
			}
			if n == len(last) {
				close(returned)
				return
			}
		}
	}()
	return returned
}
