package engine

import (
	"errors"
	"net"
	"strconv"

	"airstrip/agent/internal/api"
)

// TryPort says why a node cannot have its port for itself. An engine may open one all the same: one that lets others
// have the port, too, gets a part of the clients.
func TryPort(node api.Node) error {
	quic := node.Protocol == "hysteria2" || node.Protocol == "tuic"
	return Try(node.Listen, node.Port, !quic, quic || node.Protocol == "shadowsocks")
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
