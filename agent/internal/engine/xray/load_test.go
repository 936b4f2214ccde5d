package xray_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"airstrip/agent/internal/api"
	. "airstrip/agent/internal/xraytest"
)

// cpuTime returns the CPU time of this process, which does not depend on other processes.
func cpuTime(t *testing.T) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func TestConfigure_TenThousandUsers_IsFast(t *testing.T) {
	const many = 10_000
	users := make([]api.User, many)
	for i := range users {
		users[i] = User(int64(i + 1))
		users[i].Remaining = Ptr[int64](1 << 30)
	}
	for _, s := range Setups(t) {
		t.Run(s.Name, func(t *testing.T) {
			WithoutRepeats(t, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				testNode := newTestNode(t)
				began := cpuTime(t)
				testNode.Serve(s.Node, users...)
				took := cpuTime(t) - began
				runtime.GC()
				runtime.ReadMemStats(&after)
				memory := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20
				if took > 2*time.Second || memory > 100 {
					t.Errorf("%d users took %s of a processor and %d MB", many, took, memory)
				}
				began = cpuTime(t)
				testNode.Gate.Put(User(many + 1))
				if err := testNode.Engine.Add([]api.User{User(many + 1)}); err != nil {
					t.Fatal(err)
				}
				t.Logf("%d users took %s of a processor and %d MB, one more %s", many, took, memory, cpuTime(t)-began)
				MustExchange(t, NewClient(t, s.Client(User(many+1))).Dial(EchoServer(t)), 1000)
			})
		})
	}
}
