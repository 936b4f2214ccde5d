package agent_test

import (
	"encoding/json"
	"testing"

	"airstrip/internal/node"
)

func TestSnapshot_ClosedOrHiddenNode(t *testing.T) {
	type standing struct{ Closed, Spent, Hidden bool }
	each(t, func(s *site) {
		sent := func(edit func(*node.Node)) (got standing) {
			if _, err := s.Nodes.Change(t.Context(), s.node.ID, edit); err != nil {
				t.Fatal(err)
			}
			var all struct{ Node struct{ standing } }
			if _, _, body := s.call("GET", "snapshot", ""); json.Unmarshal(body, &all) != nil {
				t.Fatalf("%s", body)
			}
			return all.Node.standing
		}
		if got := sent(func(n *node.Node) { n.Enabled = false }); got != (standing{Closed: true}) {
			t.Errorf("closed: %+v", got)
		}
		if got := sent(func(n *node.Node) { n.Enabled, n.Visible = true, false }); got != (standing{Hidden: true}) {
			t.Errorf("hidden: %+v", got)
		}
		if got := sent(func(n *node.Node) { n.Visible = true }); got != (standing{}) {
			t.Errorf("open: %+v", got)
		}
	})
}
