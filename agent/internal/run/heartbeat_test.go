package run_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/run"
	. "airstrip/agent/internal/xraytest"
)

// The server counts an address as online for 90 s after the last heartbeat that names it.
func TestHeartbeat_Lost_IsRepeatedSoon(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	var lost atomic.Int64
	e.set(func() {
		e.fault = func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/status") && lost.Add(1) <= 3 {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	})
	e.start()
	eventually(t, 2*beatSeconds*time.Second, "a heartbeat after three that were lost",
		func() bool { return e.heartbeatCount() > 0 })
}

func TestHeartbeat_AfterStatusQuery_StillNamesOnlineUsers(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	e.start()
	eventually(t, 30*time.Second, "the first heartbeat", func() bool { return e.heartbeatCount() > 0 })
	conn := e.client(User(1)).Dial(e.echo)
	e.mustExchange(conn, 1000)
	conn.Close()
	eventually(t, 30*time.Second, "the status counts no connection", func() bool {
		return slices.ContainsFunc(run.Summarize(e.data).Findings,
			func(f run.Finding) bool { return strings.Contains(f.What, " 0 connections") })
	})
	eventually(t, 2*beatSeconds*time.Second, "a heartbeat names the user", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.ContainsFunc(e.statuses, func(s api.Status) bool {
			return len(s.Online) > 0 &&
				s.Online[0].UserID == 1
		})
	})
}
