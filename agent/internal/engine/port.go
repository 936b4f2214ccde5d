package engine

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strconv"

	"airstrip/agent/internal/api"
)

// Networks reports which networks a node needs on its port.
func Networks(node api.Node) (tcp, udp bool) {
	quic := node.Protocol == "hysteria2" || node.Protocol == "tuic"
	return !quic, quic || node.Protocol == "shadowsocks"
}

// TryPort returns why a node cannot have its port for itself. serving is the node that has a listener at present, or
// nil; its own port counts as free. The check is needed because an engine may open a port that another process shares
// (SO_REUSEPORT) and would then receive only a part of the clients.
func TryPort(serving *api.Node, node api.Node) error {
	if serving != nil && serving.Port == node.Port {
		return nil
	}
	tcp, udp := Networks(node)
	return PortError(node, Try(node.Listen, node.Port, tcp, udp))
}

// PortError adds the node's port to an error.
func PortError(node api.Node, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("listening on %s port %d: %w", cmp.Or(node.Listen, "all addresses"), node.Port, err)
}

// Try opens a port and closes it again.
func Try(listen string, port int, tcp, udp bool) error {
	address := net.JoinHostPort(listen, strconv.Itoa(port))
	var problems []error
	if tcp {
		l, err := net.Listen("tcp", address)
		if err == nil {
			err = l.Close()
		}
		problems = append(problems, err)
	}
	if udp {
		l, err := net.ListenPacket("udp", address)
		if err == nil {
			err = l.Close()
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
