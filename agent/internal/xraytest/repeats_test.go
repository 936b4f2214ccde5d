package xraytest

import (
	"net"
	"testing"
)

// repeating returns a connection to an echo that repeats a part of what comes by the given read, as if the client had
// written it twice.
func repeating(t *testing.T, read int) net.Conn {
	client, server := net.Pipe()
	t.Cleanup(func() { client.Close() })
	go func() {
		b := make([]byte, 10_000)
		for i := 0; ; i++ {
			n, err := server.Read(b)
			if err != nil {
				return
			}
			if i == read {
				server.Write(b[:n/2])
			}
			server.Write(b[:n])
		}
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
			MustExchange(t, repeating(t, runs-1), 1000)
		}
	})
	if runs != 3 {
		t.Errorf("%d runs, want the two with a repeat and one more", runs)
	}
}
