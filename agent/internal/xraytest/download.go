package xraytest

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

const block = 4 << 10

// SlowSource sends numbered blocks, slowly and without end, to every client.
func SlowSource(t testing.TB) string {
	return Server(t, func(conn net.Conn) {
		b := make([]byte, block)
		var err error
		for n := 0; err == nil; n++ {
			for i := range b {
				b[i] = byte(n)
			}
			_, err = conn.Write(b)
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// Download reads from a SlowSource until shortly after over is closed, and checks each byte.
func Download(conn net.Conn, over <-chan struct{}) error {
	if _, err := conn.Write([]byte("go")); err != nil {
		return err
	}
	b := make([]byte, block)
	for n, left := 0, -1; left != 0; n++ {
		if _, err := io.ReadFull(conn, b); err != nil {
			return fmt.Errorf("after %d blocks: %w", n, err)
		}
		for _, got := range b {
			if got != byte(n) {
				return fmt.Errorf("block %d holds %d", n, got)
			}
		}
		select {
		case <-over:
			if left < 0 {
				left = 20
			}
			left--
		default:
		}
	}
	return nil
}
