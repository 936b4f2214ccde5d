package run_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "airstrip/agent/internal/xraytest"
)

// The server counts no more than the link can have carried at the speed that its operator configured, which may be
// corrected.
func TestReport_NotCountedForNow_IsSentAgain(t *testing.T) {
	t.Parallel()
	e := newTestEnv(t, User(1))
	var refused atomic.Int64
	e.setFault(func(rw http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/reports") {
			return false
		}
		refused.Add(1)
		writeError(rw, 429, "beyond_link")
		return true
	})
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	if err := e.stop(); err != nil {
		t.Fatal(err)
	}
	e.start()
	e.mustExchange(e.client(User(1)).Dial(e.echo), 1000)
	eventually(t, 20*time.Second, "it is tried again", func() bool { return refused.Load() > 2 })
	e.set(func() { e.fault = nil })
	e.mustBill(1, 4000)
}
