package engine

import (
	"errors"
	"net"
	"strconv"

	"airstrip/agent/internal/api"
)

// Networks says which of a node's port it needs.
func Networks(node api.Node) (tcp, udp bool) {
	quic := node.Protocol == "hysteria2" || node.Protocol == "tuic"
	return !quic, quic || node.Protocol == "shadowsocks"
}

// TryPort says why a node cannot have its port for itself. An engine may open one all the same: one that lets others
// have the port, too, gets a part of the clients.
func TryPort(node api.Node) error {
	tcp, udp := Networks(node)
	return Try(node.Listen, node.Port, tcp, udp)
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
