package run_test

import (
	"context"
	"net"
	"testing"
	"time"

	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

func TestStop_DrainsOpenConnectionsAndRefusesNewOnes(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	ctx, stop := context.WithCancel(t.Context())
	config := e.config(t.Output())
	config.Drain = 5 * time.Minute
	ended := make(chan error, 1)
	go func() { ended <- run.Run(ctx, config) }()
	e.listening()
	client := e.client(User(1))
	var open net.Conn
	eventually(t, 5*time.Second, "the user is let in", func() bool {
		open = client.Dial(e.echo)
		_, err := Exchange(open, 1000)
		return err == nil
	})
	moved := e.billedBytes(1)
	stop()
	eventually(t, 5*time.Second, "nobody is let in any more", func() bool {
		late := client.Dial(e.echo)
		defer late.Close()
		return Refused(late)
	})
	e.mustExchange(open, 5000)
	select {
	case err := <-ended:
		t.Fatalf("the agent ended while a connection was open: %v", err)
	default:
	}
	open.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the agent goes on without connections")
	}
	if bill := e.billedBytes(1); bill < moved+10_000 {
		t.Errorf("billed %d; what moved after the stop is missing", bill)
	}
}
