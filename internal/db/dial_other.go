//go:build !linux

package db

import (
	"net"
	"syscall"
)

// limitUnacknowledged sets TCP_USER_TIMEOUT where the system has it. Keepalives alone are not enough: none are sent
// while bytes are unacknowledged.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }

// isReadable tells whether a read would return at once. Where that is not to be had without reading, it is false, and a
// session that the server ended is found when it is used.
func isReadable(net.Conn) bool { return false }
