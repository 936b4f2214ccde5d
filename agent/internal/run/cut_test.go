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

// wire is an agent's way to the server, which a test can cut.
type wire struct {
	mu      sync.Mutex
	mended  chan struct{} // closed while the wire is whole
	refuses bool
	// shorten says after how many bytes of answers a connection ends; nil: it does not.
	shorten func() int64
}

// wired puts a wire between the agents of w and the server.
func (w *world) wired() *wire {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	x := &wire{mended: make(chan struct{})}
	close(x.mended)
	var open sync.Map
	w.t.Cleanup(func() {
		listener.Close()
		x.mend()
		open.Range(func(conn, _ any) bool { conn.(net.Conn).Close(); return true })
	})
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			x.mu.Lock()
			refuses, length := x.refuses, int64(1<<62)
			if x.shorten != nil {
				length = x.shorten()
			}
			x.mu.Unlock()
			if refuses {
				near.Close()
				continue
			}
			go func() {
				defer near.Close()
				x.whole()
				far, err := net.Dial("tcp", w.http.Listener.Addr().String())
				if err != nil {
					return
				}
				defer far.Close()
				open.Store(near, nil)
				open.Store(far, nil)
				defer open.Delete(near)
				defer open.Delete(far)
				go func() {
					x.carry(far, near, true)
					far.Close()
					near.Close()
				}()
				x.carry(near, io.LimitReader(far, length), false)
			}()
		}
	}()
	w.front = "http://" + listener.Addr().String()
	return x
}

// carry copies. What is under way when the wire is cut arrives when it is whole again, or is lost with the connection.
func (x *wire) carry(to io.Writer, from io.Reader, lossy bool) {
	for b := make([]byte, 8<<10); ; {
		n, err := from.Read(b)
		if !x.whole() && lossy {
			return
		}
		if _, writing := to.Write(b[:n]); err != nil || writing != nil {
			return
		}
	}
}

// whole waits until the wire is, and answers whether it was.
func (x *wire) whole() (was bool) {
	x.mu.Lock()
	mended := x.mended
	x.mu.Unlock()
	select {
	case <-mended:
		return true
	default:
		<-mended
		return false
	}
}

// cut lets nothing through, and tells nobody.
func (x *wire) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mended = make(chan struct{})
}

func (x *wire) mend() {
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.mended:
	default:
		close(x.mended)
	}
}

func (x *wire) set(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

// A server that cannot be reached neither answers nor refuses. Users go on, and nothing of what they move is lost.
func TestCutOffFromTheServerUsersGoOnAndAllIsBilled(t *testing.T) {
	t.Parallel()
	length := 15 * time.Second
	if *full {
		length = 10 * time.Minute
	}
	w := newWorld(t, User(1), User(2))
	x := w.wired()
	w.start()
	staying, leaving := w.client(User(1)).Dial(w.echo), w.client(User(2)).Dial(w.echo)
	w.mustExchange(leaving, 1000)
	w.mustExchange(staying, 1000)
	w.billedExactly(1, 2000)
	x.cut()
	moved := int64(2000)
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		w.mustExchange(staying, 1000)
		fresh := w.client(User(1)).Dial(w.echo)
		w.mustExchange(fresh, 500)
		fresh.Close()
		moved += 3000
		if moved == 8000 {
			w.publish(api.Change{Removed: []int64{2}})
			w.publish(api.Change{Users: []api.User{User(3)}})
		}
	}
	x.mend()
	w.letsIn(w.client(User(3)), "who was added meanwhile")
	if !Refused(w.client(User(2)).Dial(w.echo)) {
		t.Error("who was removed meanwhile is let in")
	}
	w.mustExchange(staying, 1000)
	moved += 2000
	eventually(t, 90*time.Second, "all is billed", func() bool { return w.bill(1) >= moved })
	w.billedExactly(1, moved)
}

// Connections end in the middle of answers of every kind, of lists of users too.
func TestAnswersCutOffInTheMiddleDoNoHarm(t *testing.T) {
	t.Parallel()
	turns := 15
	if *full {
		turns = 200
	}
	staying := []api.User{User(1)}
	for id := int64(1000); id < 1040; id++ {
		staying = append(staying, User(id))
	}
	w := newWorld(t, staying...)
	x := w.wired()
	var ended atomic.Int64
	w.start()
	over := make(chan struct{})
	download := make(chan error, 1)
	source := w.client(User(1)).Dial(SlowSource(t))
	go func() { download <- Download(source, over) }()
	last := w.client(User(1039)).Dial(w.echo)
	w.mustExchange(last, 1000)
	moved := int64(2000)
	x.set(func() {
		x.shorten = func() int64 { ended.Add(1); return rand.Int64N(20_000) } // the whole list takes half of it
	})
	w.http.CloseClientConnections()
	for turn := range turns {
		if turn%4 == 0 {
			w.publish(api.Change{Reset: true})
		}
		w.publish(api.Change{Users: []api.User{User(int64(100 + turn))}})
		w.mustExchange(last, 1000)
		moved += 2000
		time.Sleep(300 * time.Millisecond)
	}
	x.set(func() { x.shorten = nil })
	w.publish(api.Change{Removed: []int64{100}})
	w.letsIn(w.client(User(int64(99+turns))), "who came last")
	w.stops(w.client(User(100)), "who was removed")
	w.mustExchange(last, 1000)
	moved += 2000
	close(over)
	if err := <-download; err != nil {
		t.Errorf("a download broke: %v", err)
	}
	eventually(t, 90*time.Second, "all is billed", func() bool { return w.bill(1039) >= moved })
	w.billedExactly(1039, moved)
	t.Logf("%d connections to the server ended in the middle", ended.Load())
}
