package xray_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/enginetest"
	. "airstrip/agent/internal/xraytest"
)

// destination returns an address and the connections that arrive there.
func destination(t *testing.T) (*net.TCPAddr, <-chan *net.TCPConn) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	conns := make(chan *net.TCPConn)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns <- conn.(*net.TCPConn)
		}
	}()
	return listener.Addr().(*net.TCPAddr), conns
}

// testConn is one connection: the user's end and the destination's end.
type testConn struct {
	user        *tls.Conn
	destination *net.TCPConn
}

const hello = "hello"

// open connects a user of VLESS over TLS by hand, because a real client hides how its connection ends. Both ends
// exchange hello.
func open(t *testing.T, node api.Node, u api.User, target *net.TCPAddr, arrived <-chan *net.TCPConn) testConn {
	// The test's own certificate.
	user, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", node.Port), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := hex.DecodeString(strings.ReplaceAll(u.UUID, "-", ""))
	head := append([]byte{0}, id...)
	// VLESS: no addons, TCP, port, IPv4.
	head = append(head, 0, 1, byte(target.Port>>8), byte(target.Port), 1, 127, 0, 0, 1)
	if _, err := user.Write(append(head, hello...)); err != nil {
		t.Fatal(err)
	}
	c := testConn{user, <-arrived}
	echo(t, c.destination)
	if _, err := io.ReadFull(user, make([]byte, 2+len(hello))); err != nil { // VLESS: version, no addons.
		t.Fatal(err)
	}
	return c
}

// echo returns hello. It does not use splice, which holds file descriptors.
func echo(t *testing.T, conn net.Conn) {
	b := make([]byte, len(hello))
	_, err := io.ReadFull(conn, b)
	if err == nil {
		_, err = conn.Write(b)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// abort resets a connection.
func abort(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		tcp = conn.(*tls.Conn).NetConn().(*net.TCPConn)
	}
	tcp.SetLinger(0)
	tcp.Close()
}

// fillBuffers writes until all buffers between the two ends are full.
func fillBuffers(conn net.Conn) {
	for block := make([]byte, 64<<10); ; {
		conn.SetWriteDeadline(time.Now().Add(500 * time.Millisecond))
		if _, err := conn.Write(block); err != nil {
			return
		}
	}
}

// resourceCounts returns the number of goroutines and files of this process.
func resourceCounts(t *testing.T) (goroutines, files int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return runtime.NumGoroutine(), len(entries)
}

func TestStream_EndsInAnyWay_ReleasesResources(t *testing.T) {
	for name, way := range map[string]struct {
		many     int
		up, down int // Bytes of each connection after hello; -1 fills the buffers.
		end      func(*testing.T, *enginetest.Node, testConn)
	}{
		"the user closes": {200, 0, 0, func(t *testing.T, _ *enginetest.Node, c testConn) {
			c.user.Close()
			mustEnd(t, c.destination)
			c.destination.Close()
		}},
		"the user vanishes": {200, 0, 0, func(t *testing.T, _ *enginetest.Node, c testConn) {
			abort(c.user)
			mustEnd(t, c.destination)
		}},
		"the destination closes": {200, 0, 0, func(t *testing.T, _ *enginetest.Node, c testConn) {
			c.destination.Close()
			mustEnd(t, c.user)
		}},
		"the destination resets": {200, 0, 0, func(t *testing.T, _ *enginetest.Node, c testConn) {
			abort(c.destination)
			mustEnd(t, c.user)
		}},
		"the user has nothing more to say": {100, 1000, 200_000, func(t *testing.T, _ *enginetest.Node, c testConn) {
			question, answer := make([]byte, 1000), make([]byte, 200_000)
			c.user.Write(question)
			c.user.CloseWrite()
			if got, err := io.ReadAll(c.destination); err != nil || !bytes.Equal(got, question) {
				t.Errorf("the destination got %d bytes of the question: %v", len(got), err)
			}
			c.destination.Write(answer)
			c.destination.Close()
			if got, err := io.ReadAll(c.user); err != nil || !bytes.Equal(got, answer) {
				t.Errorf("the user got %d bytes of the answer: %v", len(got), err)
			}
		}},
		"the destination has nothing more to say": {
			100, 0, 200_000,
			func(t *testing.T, _ *enginetest.Node, c testConn) {
				go func() {
					c.destination.Write(make([]byte, 200_000))
					c.destination.CloseWrite()
				}()
				if got, err := io.ReadAll(c.user); err != nil || len(got) != 200_000 {
					t.Errorf("the user got %d bytes: %v", len(got), err)
				}
				mustEnd(t, c.destination)
			},
		},
		"the destination resets before it has read all": {
			20, -1, 0,
			func(_ *testing.T, _ *enginetest.Node, c testConn) {
				fillBuffers(c.user)
				abort(c.destination)
			},
		},
		"the user vanishes before all is read": {20, 0, -1, func(t *testing.T, _ *enginetest.Node, c testConn) {
			fillBuffers(c.destination)
			abort(c.user)
		}},
		"the user is cut": {200, 0, 0, func(t *testing.T, s *enginetest.Node, c testConn) {
			s.Gate.Remove(1)
			mustEnd(t, c.user)
			mustEnd(t, c.destination)
		}},
		"the user is cut while nobody reads": {20, -1, -1, func(_ *testing.T, s *enginetest.Node, c testConn) {
			var both sync.WaitGroup
			both.Go(func() { fillBuffers(c.user) })
			both.Go(func() { fillBuffers(c.destination) })
			both.Wait()
			s.Gate.Remove(1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := vlessTLS(t)
			testNode := newTestNode(t)
			testNode.Serve(s.Node, User(1))
			target, arrived := destination(t)
			goroutines, files := resourceCounts(t)
			conns := make([]testConn, way.many)
			for i := range conns {
				conns[i] = open(t, s.Node, User(1), target, arrived)
			}
			var all sync.WaitGroup
			for _, c := range conns {
				all.Go(func() { way.end(t, testNode, c) })
			}
			all.Wait()
			left := 0
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				if _, left = testNode.Gate.Online(); left == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%d of %d connections stay", left, way.many)
				}
			}
			for _, c := range conns {
				c.user.Close()
				c.destination.Close()
			}
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				g, f := resourceCounts(t)
				if g <= goroutines && f <= files {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%d goroutines and %d files, %d and %d before", g, f, goroutines, files)
				}
			}
			row := testNode.Counted()[1]
			if want := int64(way.many * (len(hello) + way.up)); way.up >= 0 && row.Up != want {
				t.Errorf("counted %d bytes from the user, not %d", row.Up, want)
			}
			if want := int64(way.many * (len(hello) + way.down)); way.down >= 0 && row.Down != want {
				t.Errorf("counted %d bytes to the user, not %d", row.Down, want)
			}
		})
	}
}

// mustEnd waits until a connection ends.
func mustEnd(t *testing.T, conn net.Conn) {
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	n, err := io.Copy(io.Discard, conn)
	if timeout, ok := err.(net.Error); n > 0 || ok && timeout.Timeout() {
		t.Errorf("after %d bytes: %v", n, err)
	}
}

func TestStream_SlowUser_ReceivesAllDataBeforeClose(t *testing.T) {
	for _, s := range Setups(t) {
		if s.Name != "trojan tls" {
			continue
		}
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(1))
		target, arrived := destination(t)
		// Small segments make for small buffers on the way to the user.
		slow := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
			return c.Control(func(fd uintptr) {
				unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<10)
				unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, 536)
			})
		}}
		user, err := tls.DialWithDialer(&slow, "tcp", fmt.Sprintf("127.0.0.1:%d", s.Node.Port),
			&tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer user.Close()
		head := fmt.Appendf(nil, "%x\r\n", sha256.Sum224([]byte(User(1).UUID)))
		// Trojan: TCP, IPv4, port.
		head = append(head, 1, 1, 127, 0, 0, 1, byte(target.Port>>8), byte(target.Port), '\r', '\n')
		if _, err := user.Write(append(head, hello...)); err != nil {
			t.Fatal(err)
		}
		far := <-arrived
		echo(t, far)
		if _, err := far.Write(make([]byte, 400_000)); err != nil {
			t.Fatal(err)
		}
		far.Close()
		time.Sleep(2 * time.Second) // Longer than xray waits for a silent user.
		if got, err := io.ReadAll(user); len(got) != len(hello)+400_000 {
			t.Errorf("the user got %d bytes: %v", len(got), err)
		}
		return
	}
	t.Fatal("no such setup")
}

func TestStream_DestinationCloses_EndsConnectionOfEveryProtocol(t *testing.T) {
	each(t, func(t *testing.T, s Setup) {
		testNode := newTestNode(t)
		testNode.Serve(s.Node, User(51))
		target, arrived := destination(t)
		client := NewClient(t, s.Client(User(51)))
		ends := map[string]func(user net.Conn, far *net.TCPConn){
			"the user closes": func(user net.Conn,
				far *net.TCPConn,
			) {
				user.Close()
				mustEnd(t, far)
				far.Close()
			},
			"the destination closes": func(_ net.Conn, far *net.TCPConn) { far.Close() },
			"the destination resets": func(_ net.Conn, far *net.TCPConn) { abort(far) },
		}
		if strings.Contains(s.Name, "2022") {
			delete(ends, "the user closes") // xray's inbound reports it five minutes later.
		}
		for name, end := range ends {
			user := client.Dial(target.String())
			if _, err := user.Write([]byte(hello)); err != nil {
				t.Fatal(err)
			}
			far := <-arrived
			echo(t, far)
			if _, err := io.ReadFull(user, make([]byte, len(hello))); err != nil {
				t.Fatal(err)
			}
			end(user, far)
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				if _, open := testNode.Gate.Online(); open == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s, and the connection stays", name)
				}
			}
			user.Close()
			far.Close()
		}
		if row, want := testNode.Counted()[51], int64(len(ends)*len(hello)); row.Up != want || row.Down != want {
			t.Errorf("counted %+v, moved %d each way", row, want)
		}
	})
}
