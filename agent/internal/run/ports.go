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

// Ports are those that nodes of one machine want.
type Ports []wanted

type wanted struct {
	by, listen string
	port       int
	tcp, udp   bool
}

// add says who else wants the port.
func (p *Ports) add(w wanted) error {
	for _, other := range *p {
		if w.port == other.port && (w.tcp && other.tcp || w.udp && other.udp) && meet(w.listen, other.listen) {
			return fmt.Errorf("%s wants the same port: give one of the two another", other.by)
		}
	}
	*p = append(*p, w)
	return nil
}

// try says why the port cannot be had.
func (w wanted) try() error { return portAdvice(engine.Try(w.listen, w.port, w.tcp, w.udp)) }

// meet says whether two addresses have ports in common.
func meet(a, b string) bool {
	one, two := net.ParseIP(a), net.ParseIP(b) // nil for all addresses
	return one == nil || two == nil || one.IsUnspecified() || two.IsUnspecified() || one.Equal(two)
}

// place is where a node listens.
func place(node api.Node) string {
	return fmt.Sprintf("port %d of %s", node.Port, cmp.Or(node.Listen, "all addresses"))
}

// portAdvice adds what an operator can do about a port that cannot be opened.
func portAdvice(err error) error {
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
