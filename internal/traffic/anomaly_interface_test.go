package traffic_test

import (
	"slices"
	"testing"
	"time"

	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// carries has the agent of the node report rates for each minute of so many hours up to now.
func (w *watched) carries(bytesPerSecond int64, hours int) {
	w.t.Helper()
	end := w.now
	for m := hours * 60; m > 0; m-- {
		w.now = end.Add(-time.Duration(m) * time.Minute)
		half := bytesPerSecond / 2
		err := w.nodes.Monitor.SetVitals(w.t.Context(), w.node.ID, node.Vitals{UpBPS: &bytesPerSecond, DownBPS: &half})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	w.now = end
}

func (w *watched) listed(f traffic.AnomalyFilter) (out []traffic.Anomaly, total int64) {
	w.t.Helper()
	f.Limit = max(f.Limit, 1)
	out, total, err := w.traffic.Anomalies(w.t.Context(), f)
	if err != nil {
		w.t.Fatal(err)
	}
	return out, total
}

func TestAnomalies_OfNodesBeyondTheirInterface(t *testing.T) {
	eachWatched(t, "UTC", func(w *watched) {
		w.now = time.Date(2026, 1, 15, 4, 0, 0, 0, time.UTC)
		w.carries(gigabyte/3600, 4) // nearly 4 GB in all
		w.move(w.people[0], 5)      // within half again
		w.expect()
		w.move(w.people[1], 5)
		w.expect("interface 1 2026-01-15: 10, not 3")
		w.expect() // once a day
		found, total := w.listed(traffic.AnomalyFilter{Of: traffic.OfInterface, Days: 1, Least: 1})
		if total != 1 || found[0].ID != w.node.ID || found[0].Bytes != 10*gigabyte {
			t.Errorf("listed are %+v, %d in all", found, total)
		}
	})
}

func TestAnomalies_InterfaceThatIsNotKnown(t *testing.T) {
	eachWatched(t, "UTC", func(w *watched) {
		w.now = time.Date(2026, 1, 15, 4, 0, 0, 0, time.UTC)
		w.carries(1000, 3) // an hour is missing
		w.move(w.people[0], 5)
		w.expect()
	})
}

func TestAnomalies_AreListed(t *testing.T) {
	eachWatched(t, "Asia/Shanghai", func(w *watched) {
		w.move(w.people[0], 8)
		w.move(w.people[1], 1)
		w.expect("user 1 2026-01-15: 8, not 1")
		w.now = w.now.AddDate(0, 0, 1)
		w.move(w.people[0], 20)
		w.move(w.people[1], 7)
		w.expect("user 1 2026-01-16: 20, not 1", "user 2 2026-01-16: 7, not 1")
		w.move(w.people[1], 2)
		w.expect()
		bytes := func(f traffic.AnomalyFilter) (all []int64) {
			found, total := w.listed(f)
			for _, one := range found {
				all = append(all, one.Bytes/gigabyte)
			}
			return append(all, total)
		}
		all := traffic.AnomalyFilter{Of: traffic.OfUser, Days: 7, Least: 1, Limit: 10}
		page, today, many, nodes := all, all, all, all
		page.Offset, page.Limit = 1, 1
		today.Days, many.Least, nodes.Of = 1, 10, traffic.OfNode
		for _, c := range []struct {
			filter traffic.AnomalyFilter
			want   []int64 // GB, and how many there are
		}{
			{all, []int64{20, 9, 8, 3}}, // what came later is in it
			{page, []int64{9, 3}},
			{today, []int64{20, 9, 2}},
			{many, []int64{20, 1}},
			{nodes, []int64{0}},
		} {
			if got := bytes(c.filter); !slices.Equal(got, c.want) {
				t.Errorf("%+v finds %v, want %v", c.filter, got, c.want)
			}
		}
	})
}
