package main

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"airstrip/internal/app"
	"airstrip/internal/node"
)

func TestRulesAreListedWithWhatTheyStopped(t *testing.T) {
	eachDesk(t, func(d desk) {
		var seeded app.Seeded
		d.prints(&seeded, "seed", "--demo")
		var rule, other struct{ ID int64 }
		d.prints(&rule, "rule", "add", "mail", ":25$")
		d.prints(&other, "rule", "add", "torrents", "torrent")
		a, err := app.Open(d.Context(), d.config, "test")
		if err != nil {
			d.Fatal(err)
		}
		n, err := a.Nodes.Get(d.Context(), seeded.Nodes[0].ID)
		if err != nil {
			d.Fatal(err)
		}
		_, err = a.Nodes.Hits(d.Context(), n, []node.Hit{{UserID: seeded.User.ID, RuleID: rule.ID, Count: 3}})
		if err := errors.Join(err, a.Close()); err != nil {
			d.Fatal(err)
		}
		var listed []struct {
			ID, Hits  int64
			LastHitAt *string
			NotHeldBy []string
		}
		d.prints(&listed, "rule", "list")
		if len(listed) != 2 {
			d.Fatalf("listed are %+v", listed)
		}
		for _, r := range listed {
			if r.ID == rule.ID && (r.Hits != 3 || r.LastHitAt == nil) || r.ID == other.ID && (r.Hits != 0 || r.LastHitAt != nil) {
				d.Errorf("listed is %+v", r)
			}
			if slices.Contains(r.NotHeldBy, "V2bX") != (r.ID == rule.ID) || slices.Contains(r.NotHeldBy, "v2node") || !slices.Contains(r.NotHeldBy, "Xboard-node") {
				d.Errorf("rule %d cannot be held by %v", r.ID, r.NotHeldBy)
			}
		}
		for id, want := range map[int64]int{0: 1, rule.ID: 1, other.ID: 0} {
			var log struct {
				Total int
				Hits  []struct {
					UserID, Count int64
					Email         string
				}
			}
			d.prints(&log, "rule", "hits", "--rule", strconv.FormatInt(id, 10))
			if log.Total != want || len(log.Hits) != want || want == 1 && (log.Hits[0].UserID != seeded.User.ID || log.Hits[0].Email != seeded.User.Email || log.Hits[0].Count != 3) {
				d.Errorf("of rule %d: %+v", id, log)
			}
		}
		d.prints(nil, "rule", "remove", strconv.FormatInt(rule.ID, 10))
		if d.prints(&listed, "rule", "list"); len(listed) != 1 || listed[0].ID != other.ID {
			d.Errorf("then %+v", listed)
		}
	})
}
