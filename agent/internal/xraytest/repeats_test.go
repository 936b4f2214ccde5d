package xraytest

import (
	"io"
	"net"
	"testing"
)

// repeating returns a connection to an echo that sends its first answer twice, as if the client had written it twice.
func repeating(t *testing.T) net.Conn {
	client, server := net.Pipe()
	t.Cleanup(func() { client.Close() })
	go func() {
		b := make([]byte, 10_000)
		n, _ := server.Read(b)
		server.Write(b[:n])
		server.Write(b[:n])
		io.Copy(server, server)
	}()
	return client
}

func TestWithoutRepeats_RunsUntilNothingComesTwice(t *testing.T) {
	runs, cleaned := 0, 0
	WithoutRepeats(t, func(t *testing.T) {
		if cleaned != runs {
			t.Error("a run began before the clean-up of the last one was over")
		}
		runs++
		t.Cleanup(func() { cleaned++ })
		if runs < 3 {
			MustExchange(t, repeating(t), 1000)
		}
	})
	if runs != 3 {
		t.Errorf("%d runs, want the two with a repeat and one more", runs)
	}
}
