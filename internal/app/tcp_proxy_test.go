package app

import (
	"net"
	"sync"
	"testing"
)

// tcpProxy is between a server and PostgreSQL and can break their connections in the ways that networks do.
type tcpProxy struct {
	t       *testing.T
	target  string // path of a Unix socket
	address string

	mu       sync.Mutex
	listener net.Listener
	cut      bool
	healed   chan struct{} // closed when bytes pass again
	open     []net.Conn
}

func newTCPProxy(t *testing.T, target string) *tcpProxy {
	t.Helper()
	p := &tcpProxy{t: t, target: target, address: freeAddress(t)}
	p.listen()
	t.Cleanup(p.refuse)
	return p
}

func (p *tcpProxy) listen() {
	p.t.Helper()
	l, err := net.Listen("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.listener = l
	p.mu.Unlock()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.join(client)
		}
	}()
}

func (p *tcpProxy) join(client net.Conn) {
	server, err := net.Dial("unix", p.target)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.open = append(p.open, client, server)
	p.mu.Unlock()
	for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
		go func() {
			defer from.Close()
			defer to.Close()
			buf := make([]byte, 32<<10)
			for {
				n, err := from.Read(buf)
				if err != nil {
					p.holdClose()
					return
				}
				if p.swallows() {
					continue
				}
				if _, err := to.Write(buf[:n]); err != nil {
					return
				}
			}
		}()
	}
}

func (p *tcpProxy) swallows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cut
}

// holdClose keeps the end of one side from the other as well while bytes are swallowed.
func (p *tcpProxy) holdClose() {
	p.mu.Lock()
	cut, healed := p.cut, p.healed
	p.mu.Unlock()
	if cut {
		<-healed
	}
}

// swallow lets no byte through, and tells neither side.
func (p *tcpProxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.healed = true, make(chan struct{})
}

// heal lets bytes through again. Those that were swallowed are lost, so the connections of that time are of no use.
func (p *tcpProxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
	close(p.healed)
}

// refuse breaks all connections and refuses new ones, as a host does whose database is down.
func (p *tcpProxy) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		p.cut = false
		close(p.healed)
	}
	p.listener.Close()
	for _, c := range p.open {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset
		}
		c.Close()
	}
	p.open = nil
}
