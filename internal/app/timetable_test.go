package app

import (
	"maps"
	"slices"
	"testing"

	"airstrip/internal/job"
)

func TestTimetable_EachEntry_IsRunByOneQueue(t *testing.T) {
	f := newTestServer(t, config(t))
	runs := map[string]int{}
	for _, q := range []*job.Queue{f.Queue, f.Outbox, f.Media, f.Notices, f.Copies} {
		for _, name := range q.Entries() {
			runs[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(job.Timetable)) {
		want := 1
		if name == "job.forget" || name == "job.repair" { // each queue runs them
			want = 5
		}
		if runs[name] != want {
			t.Errorf("%d queues run %s, want %d", runs[name], name, want)
		}
		delete(runs, name)
	}
	for name := range runs {
		t.Errorf("%s is not in the timetable", name)
	}
}
