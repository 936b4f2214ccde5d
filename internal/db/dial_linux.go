package db

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged sets TCP_USER_TIMEOUT. Keepalives alone would not do: none are sent while bytes are under way.
func limitUnacknowledged(network, _ string, c syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	if err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unacknowledged.Milliseconds()))
	}); err != nil {
		return err
	}
	return failed
}
