//go:build !linux

package db

import "syscall"

// limitUnacknowledged sets TCP_USER_TIMEOUT where the system has it. Keepalives alone are not enough: none are sent
// while bytes are unacknowledged.
func limitUnacknowledged(string, string, syscall.RawConn) error { return nil }
