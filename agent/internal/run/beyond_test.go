package run_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "airstrip/agent/internal/xraytest"
)

// The server counts no more than the node's link can have carried, as its operator told it; that may be put right.
func TestWhatTheServerDoesNotCountNowIsBroughtAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, User(1))
	var refused atomic.Int64
	w.fault = func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/reports") {
			return false
		}
		refused.Add(1)
		failure(rw, 429, "beyond_link")
		return true
	}
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.mustExchange(w.client(User(1)).Dial(w.echo), 1000)
	eventually(t, 20*time.Second, "it is tried again", func() bool { return refused.Load() > 2 })
	w.set(func() { w.fault = nil })
	w.billedExactly(1, 4000)
}
