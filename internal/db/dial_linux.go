package db

import (
	"errors"
	"net"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged sets TCP_USER_TIMEOUT where the system has it. Keepalives alone are not enough: none are sent
// while bytes are unacknowledged.
func limitUnacknowledged(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	if err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT,
			int(unacknowledged.Milliseconds()))
	}); err != nil {
		return err
	}
	return failed
}

// isReadable tells whether a read would return at once: with bytes, with the end of the connection or with an error.
func isReadable(c net.Conn) bool {
	over, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := over.SyscallConn()
	if err != nil {
		return true
	}
	isQuiet := false
	err = raw.Control(func(fd uintptr) { // raw.Read would fail at the deadline of the last read
		_, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
		isQuiet = errors.Is(err, unix.EAGAIN)
	})
	return err != nil || !isQuiet
}
