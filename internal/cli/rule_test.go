package cli

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"airstrip/internal/app"
	"airstrip/internal/node"
)

func TestRulesAreListedWithWhatTheyStopped(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		var seeded app.Seeded
		s.mustRun(&seeded, "seed", "--demo")
		var rule, other struct{ ID int64 }
		s.mustRun(&rule, "rule", "add", "mail", ":25$")
		s.mustRun(&other, "rule", "add", "torrents", "torrent")
		a, err := app.Open(s.Context(), s.config, "test")
		if err != nil {
			s.Fatal(err)
		}
		n, err := a.Nodes.Get(s.Context(), seeded.Nodes[0].ID)
		if err != nil {
			s.Fatal(err)
		}
		hits := []node.Hit{{UserID: seeded.User.ID, RuleID: rule.ID, Count: 3}}
		_, err = a.Nodes.Rules.RecordHits(s.Context(), n, hits)
		if err := errors.Join(err, a.Close()); err != nil {
			s.Fatal(err)
		}
		var listed []struct {
			ID, Hits  int64
			LastHitAt *string
			NotHeldBy []string
		}
		s.mustRun(&listed, "rule", "list")
		if len(listed) != 2 {
			s.Fatalf("listed are %+v", listed)
		}
		for _, r := range listed {
			if r.ID == rule.ID && (r.Hits != 3 || r.LastHitAt == nil) || r.ID == other.ID &&
				(r.Hits != 0 || r.LastHitAt != nil) {
				s.Errorf("listed is %+v", r)
			}
			if slices.Contains(r.NotHeldBy, "V2bX") != (r.ID == rule.ID) || slices.Contains(r.NotHeldBy, "v2node") ||
				!slices.Contains(r.NotHeldBy, "Xboard-node") {
				s.Errorf("rule %d cannot be held by %v", r.ID, r.NotHeldBy)
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
			s.mustRun(&log, "rule", "hits", "--rule", strconv.FormatInt(id, 10))
			if log.Total != want || len(log.Hits) != want || want == 1 && (log.Hits[0].UserID != seeded.User.ID ||
				log.Hits[0].Email != seeded.User.Email || log.Hits[0].Count != 3) {
				s.Errorf("of rule %d: %+v", id, log)
			}
		}
		s.mustRun(nil, "rule", "remove", strconv.FormatInt(rule.ID, 10))
		if s.mustRun(&listed, "rule", "list"); len(listed) != 1 || listed[0].ID != other.ID {
			s.Errorf("then %+v", listed)
		}
	})
}
