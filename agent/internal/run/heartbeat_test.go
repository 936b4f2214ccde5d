package run_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "airstrip/agent/internal/xraytest"
)

// The server counts an address as online for 90 s after the last heartbeat that names it, and some of these it only compares.
func TestALostHeartbeatIsMadeUpForSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	var lost atomic.Int64
	w.set(func() {
		w.fault = func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/status") && lost.Add(1) <= 3 {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	})
	w.start()
	eventually(t, 2*beatSeconds*time.Second, "a heartbeat after three that were lost", func() bool { return w.beats() > 0 })
}
