package run_test

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// networkProxy is the network between an agent and the server, which a test can cut.
type networkProxy struct {
	mu       sync.Mutex
	restored chan struct{} // Closed while the network works.
	refuses  bool
	refusals int
	// answerBytes returns after how many bytes of answers a connection ends. It is nil if it does not.
	answerBytes func() int64
}

// withProxy puts a proxy between the agents of e and the server.
func (e *testEnv) withProxy() *networkProxy {
	e.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	x := &networkProxy{restored: make(chan struct{})}
	close(x.restored)
	var open sync.Map
	e.t.Cleanup(func() {
		listener.Close()
		x.restore()
		open.Range(func(conn, _ any) bool { conn.(net.Conn).Close(); return true })
	})
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			x.mu.Lock()
			if x.refuses {
				x.refusals++
			}
			refuses, length := x.refuses, int64(1<<62)
			if x.answerBytes != nil {
				length = x.answerBytes()
			}
			x.mu.Unlock()
			if refuses {
				near.Close()
				continue
			}
			go func() {
				defer near.Close()
				x.waitRestored()
				far, err := net.Dial("tcp", e.http.Listener.Addr().String())
				if err != nil {
					return
				}
				defer far.Close()
				open.Store(near, nil)
				open.Store(far, nil)
				defer open.Delete(near)
				defer open.Delete(far)
				go func() {
					x.copyBytes(far, near, true)
					far.Close()
					near.Close()
				}()
				x.copyBytes(near, io.LimitReader(far, length), false)
			}()
		}
	}()
	e.serverURL = "http://" + listener.Addr().String()
	return x
}

// awaitRefusals waits until so many further connections were refused.
func (x *networkProxy) awaitRefusals(t *testing.T, n int) {
	t.Helper()
	count := func() (refusals int) {
		x.set(func() { refusals = x.refusals })
		return refusals
	}
	goal := count() + n
	eventually(t, 10*time.Second, "the agent tries to reach the server", func() bool { return count() >= goal })
}

// copyBytes copies. Data in flight when the network is cut arrives when it is restored, or is lost with the connection.
func (x *networkProxy) copyBytes(to io.Writer, from io.Reader, lossy bool) {
	for b := make([]byte, 8<<10); ; {
		n, err := from.Read(b)
		if !x.waitRestored() && lossy {
			return
		}
		if _, writing := to.Write(b[:n]); err != nil || writing != nil {
			return
		}
	}
}

// waitRestored waits until the network works, and reports whether it did before.
func (x *networkProxy) waitRestored() (was bool) {
	x.mu.Lock()
	mended := x.restored
	x.mu.Unlock()
	select {
	case <-mended:
		return true
	default:
		<-mended
		return false
	}
}

// cut drops everything without an error.
func (x *networkProxy) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.restored = make(chan struct{})
}

func (x *networkProxy) restore() {
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.restored:
	default:
		close(x.restored)
	}
}

func (x *networkProxy) set(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// A server behind a cut network neither answers nor refuses. Users continue, and nothing of their traffic is lost.
func TestServerCutOff_UsersContinueAndAllIsBilled(t *testing.T) {
	t.Parallel()
	length := 15 * time.Second
	if *full {
		length = 10 * time.Minute
	}
	e := newTestEnv(t, User(1), User(2))
	x := e.withProxy()
	e.start()
	staying, leaving := e.client(User(1)).Dial(e.echo), e.client(User(2)).Dial(e.echo)
	e.mustExchange(leaving, 1000)
	e.mustExchange(staying, 1000)
	e.mustBill(1, 2000)
	x.cut()
	moved := int64(2000)
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		e.mustExchange(staying, 1000)
		fresh := e.client(User(1)).Dial(e.echo)
		e.mustExchange(fresh, 500)
		fresh.Close()
		moved += 3000
		if moved == 8000 {
			e.publish(api.Change{Removed: []int64{2}})
			e.publish(api.Change{Users: []api.User{User(3)}})
		}
	}
	x.restore()
	e.mustLetIn(e.client(User(3)), "who was added meanwhile")
	if !Refused(e.client(User(2)).Dial(e.echo)) {
		t.Error("who was removed meanwhile is let in")
	}
	e.mustExchange(staying, 1000)
	moved += 2000
	eventually(t, 90*time.Second, "all is billed", func() bool { return e.billedBytes(1) >= moved })
	e.mustBill(1, moved)
}

// Connections end in the middle of answers of every kind, including lists of users.
func TestAnswersCutOff_DoNoHarm(t *testing.T) {
	t.Parallel()
	turns := 15
	if *full {
		turns = 200
	}
	staying := []api.User{User(1)}
	for id := int64(1000); id < 1040; id++ {
		staying = append(staying, User(id))
	}
	e := newTestEnv(t, staying...)
	x := e.withProxy()
	var ended atomic.Int64
	e.start()
	over := make(chan struct{})
	download := make(chan error, 1)
	source := e.client(User(1)).Dial(SlowSource(t))
	go func() { download <- Download(source, over) }()
	last := e.client(User(1039)).Dial(e.echo)
	e.mustExchange(last, 1000)
	moved := int64(2000)
	x.set(func() {
		x.answerBytes = func() int64 { ended.Add(1); return rand.Int64N(20_000) } // The complete list takes half of it.
	})
	e.http.CloseClientConnections()
	for turn := range turns {
		if turn%4 == 0 {
			e.publish(api.Change{Reset: true})
		}
		e.publish(api.Change{Users: []api.User{User(int64(100 + turn))}})
		e.mustExchange(last, 1000)
		moved += 2000
		time.Sleep(300 * time.Millisecond)
	}
	x.set(func() { x.answerBytes = nil })
	e.publish(api.Change{Removed: []int64{100}})
	e.mustLetIn(e.client(User(int64(99+turns))), "who came last")
	e.mustRefuse(e.client(User(100)), "who was removed")
	e.mustExchange(last, 1000)
	moved += 2000
	close(over)
	if err := <-download; err != nil {
		t.Errorf("a download broke: %v", err)
	}
	eventually(t, 90*time.Second, "all is billed", func() bool { return e.billedBytes(1039) >= moved })
	e.mustBill(1039, moved)
	t.Logf("%d connections to the server ended in the middle", ended.Load())
}
