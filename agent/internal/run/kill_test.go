package run_test

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

// full selects the size of `make stress`.
var full = flag.Bool("full", false, "kill the agent and change users as often as in the stress test")

// TestMain lets the test binary be the agent that a test starts and kills.
func TestMain(m *testing.M) {
	if data := os.Getenv("AGENT_UNDER_TEST"); data != "" {
		log := slog.New(slog.NewTextHandler(os.Stderr, nil))
		if full := os.Getenv("AGENT_FULL_DISK"); full != "" {
			limitDisk(full)
		}
		node, _ := strconv.ParseInt(os.Getenv("AGENT_NODE"), 10, 64)
		err := run.Run(context.Background(), run.Config{
			Server: os.Getenv("AGENT_SERVER"), Secret: secret, Node: node, Data: data, Version: "test", Log: log,
			Engine: func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, log), nil },
		})
		log.Error("ended", "err", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// process returns an agent as a process of its own, not started yet.
func (e *testEnv) process(env ...string) *exec.Cmd {
	agent := exec.Command(os.Args[0], "-test.run", "^$")
	agent.Env = append(os.Environ(), append(env, "AGENT_UNDER_TEST="+e.data, "AGENT_SERVER="+e.http.URL,
		"AGENT_NODE=1")...)
	return agent
}

func TestKilled_AtAnyMoment_LosesAndDuplicatesNothing(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.setup.Node.ReportSeconds = 1
	e.set(func() { e.lose = func() bool { return rand.N(3) == 0 } })
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/reports") || rand.N(3) > 0 {
			return false
		}
		writeError(rw, http.StatusBadGateway, "proxy")
		return true
	})
	var sent, received int64
	kills := 5
	if *full {
		kills = 200
	}
	for range kills {
		agent := e.process()
		if err := agent.Start(); err != nil {
			t.Fatal(err)
		}
		e.listening()
		client := e.client(User(1))
		killed := make(chan struct{})
		go func() {
			time.Sleep(500*time.Millisecond + rand.N(2*time.Second))
			agent.Process.Kill()
			agent.Wait()
			close(killed)
		}()
		for alive := true; alive; {
			select {
			case <-killed:
				alive = false
			default:
				conn := client.Dial(e.echo)
				time.AfterFunc(3*time.Second, func() { conn.Close() })
				block := make([]byte, 20_000)
				sent += int64(len(block)) // On an error a part was sent.
				if _, err := conn.Write(block); err == nil {
					n, _ := io.ReadFull(conn, block)
					received += int64(n)
				}
				conn.Close()
			}
		}
	}
	e.set(func() { e.lose, e.fault = nil, nil })
	e.start()
	eventually(t, 20*time.Second, "everything is billed",
		func() bool { return len(spooled(t, e.data)) == 0 && e.billedBytes(1) > 0 })
	e.stop()
	// What returned was counted in both directions. What was sent may have been cut off in either direction.
	if bill := e.billedBytes(1); bill < 2*received || bill > 2*sent {
		t.Errorf("sent %d and received %d bytes, billed %d", sent, received, bill)
	}
	t.Logf("sent %d and received %d bytes, billed %d in %d batches", sent, received, e.billedBytes(1), len(e.reports))
}
