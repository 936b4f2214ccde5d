package xraytest

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

const block = 4 << 10

// SlowSource sends numbered blocks, slowly and without end, to whoever connects.
func SlowSource(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				b := make([]byte, block)
				for n := 0; err == nil; n++ {
					for i := range b {
						b[i] = byte(n)
					}
					_, err = conn.Write(b)
					time.Sleep(20 * time.Millisecond)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// Download reads from a SlowSource until some time after the end of over, and tests each byte.
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
