package run

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"syscall"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/engine"
)

// Ports are the ports that the nodes of one machine use.
type Ports []portRequest

type portRequest struct {
	node, listen string
	port         int
	tcp, udp     bool
}

// add adds a port, or returns which other node uses it.
func (p *Ports) add(w portRequest) error {
	for _, other := range *p {
		if w.port == other.port && (w.tcp && other.tcp || w.udp && other.udp) && overlap(w.listen, other.listen) {
			return fmt.Errorf("%s wants the same port: give one of the two another", other.node)
		}
	}
	*p = append(*p, w)
	return nil
}

// check returns why the port cannot be opened.
func (w portRequest) check() error { return withPortAdvice(engine.Try(w.listen, w.port, w.tcp, w.udp)) }

// overlap reports whether listeners on two addresses compete for a port.
func overlap(a, b string) bool {
	one, two := net.ParseIP(a), net.ParseIP(b) // Nil for all addresses.
	return one == nil || two == nil || one.IsUnspecified() || two.IsUnspecified() || one.Equal(two)
}

// listenAddress describes where a node listens.
func listenAddress(node api.Node) string {
	return fmt.Sprintf("port %d of %s", node.Port, cmp.Or(node.Listen, "all addresses"))
}

// withPortAdvice adds what an operator can do about a port that cannot be opened.
func withPortAdvice(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w; `ss -lntup` tells by whom", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%w: this machine has no such address", err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%w: ports below 1024 are root's and the systemd unit's", err)
	}
	return err
}
