package agent_test

import (
	"slices"
	"testing"

	"airstrip/internal/node"
)

func TestSnapshot_NamesForwards(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		lines := s.stream(s.revision())
		if l := s.next(lines); l.Node == nil || len(l.Node.Forwards) != 0 {
			t.Fatalf("the first line is %+v", l)
		}
		sent := func(want ...node.Forward) {
			t.Helper()
			if l := s.next(lines); l.Node == nil || !slices.Equal(l.Node.Forwards, want) || l.Reset ||
				len(l.Users) > 0 || len(l.Removed) > 0 {
				t.Fatalf("sent %+v, want %+v", l, want)
			}
		}
		draft := node.Draft("SG 01", node.Shadowsocks, "sg.example", 8443)
		draft.Settings.Method = "aes-128-gcm"
		draft.Relays = []node.Relay{
			{Name: "by HK", Host: "hk.example", Port: 7000, NodeID: s.node.ID},
			{Name: "IX", Host: "ix.example", Port: 7001},
		}
		sg := s.Add(draft)
		sent(node.Forward{Port: 7000, Target: "sg.example:8443", TCP: true, UDP: true})
		change := func(id int64, edit func(*node.Node)) {
			t.Helper()
			if _, err := s.Nodes.Change(t.Context(), id, edit); err != nil {
				t.Fatal(err)
			}
		}
		change(sg.ID, func(n *node.Node) { n.Address = "2001:db8::1" })
		sent(node.Forward{Port: 7000, Target: "[2001:db8::1]:8443", TCP: true, UDP: true})
		change(sg.ID, func(n *node.Node) { n.Enabled = false })
		sent()
		change(sg.ID, func(n *node.Node) { n.Enabled = true })
		sent(node.Forward{Port: 7000, Target: "[2001:db8::1]:8443", TCP: true, UDP: true})
		change(sg.ID, func(n *node.Node) { n.Relays = n.Relays[1:] })
		sent()
		change(sg.ID, func(n *node.Node) { // The node's own port is TCP only, so UDP needs the relay.
			n.Protocol, n.Settings = node.TUIC, node.Settings{TLS: &node.TLS{ServerName: "sg.example"}}
			n.Relays = []node.Relay{{Name: "by HK", Host: "hk.example", Port: 443, NodeID: s.node.ID}}
		})
		sent(node.Forward{Port: 443, Target: "[2001:db8::1]:8443", TCP: false, UDP: true})
		if err := s.Nodes.Remove(t.Context(), sg.ID); err != nil {
			t.Fatal(err)
		}
		sent()
	})
}

func TestRelays_RemovedNode_IsNoRelay(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		draft := node.Draft("SG 01", node.Shadowsocks, "sg.example", 8443)
		draft.Settings.Method = "aes-128-gcm"
		draft.Relays = []node.Relay{
			{Name: "by HK", Host: "hk.example", Port: 7000, NodeID: s.node.ID},
			{Name: "IX", Host: "ix.example", Port: 7001},
		}
		sg := s.Add(draft)
		if err := s.Nodes.Remove(t.Context(), s.node.ID); err != nil {
			t.Fatal(err)
		}
		left, err := s.Nodes.Get(t.Context(), sg.ID)
		if err != nil || len(left.Relays) != 1 || left.Relays[0].Name != "IX" {
			t.Fatalf("left are %+v, %v", left.Relays, err)
		}
	})
}
