package link

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/link/format"
	"airstrip/internal/node"
)

// NodeEntry is one way to dial a node: at its own address, or at a relay's.
type NodeEntry struct {
	Name, Address string
	Port          int
	Configs       []NodeConfig // of the formats that can express the node
}

// NodeConfig is a node with the user's credentials, written for programs that take a single one.
type NodeConfig struct{ Format, Text string }

// nodeFormats are the formats of a NodeConfig with the client that each is written for. A share link comes first, since nearly
// every client reads it, from a QR code too. Of a node whose certificate only its fingerprint proves there is none: clients that
// ignore the fingerprint would accept every certificate, so the link is written for those that check it.
var nodeFormats = []struct {
	name       string
	clientType string
	pins       bool
}{
	{"link", "nodelist", false},
	{"pinned_link", "nodelist", true},
	{"clash_meta", "clashmeta", false},
	{"sing_box", "singbox", false},
}

// Node gives the ways in which the user can dial one of the nodes that they may use, its own address first. The fault of any
// other is node.ErrNotFound. The entries have the node's name in lang.
func (l *Links) Node(ctx context.Context, userID, nodeID int64, lang fault.Lang) ([]NodeEntry, error) {
	access, err := l.services.Access(ctx, userID)
	if err != nil {
		return nil, err
	}
	nodes, err := l.nodes.List(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(nodes, func(n node.Node) bool { return n.ID == nodeID })
	if at < 0 {
		return nil, node.ErrNotFound
	}
	n := nodes[at].Told(lang)
	if !n.Visible || !n.Serves() || !access.Admits(n.Class, n.GroupID) {
		return nil, node.ErrNotFound
	}
	group, err := l.nodes.LinkGroup(ctx, userID)
	if err != nil {
		return nil, err
	}
	var entries []NodeEntry
	for _, dialed := range n.Entries(group) {
		entry := NodeEntry{Name: dialed.Name, Address: dialed.Address, Port: dialed.Port}
		proxy, err := format.NewProxy(dialed, node.UserSecret(n, access.UUID, access.Password))
		if err != nil {
			slog.WarnContext(ctx, "a node cannot be written as a link", "node", n.ID, "reason", err)
		} else {
			entry.Configs = configsOf(proxy)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// configsOf writes a single proxy in each format that can express it.
func configsOf(proxy format.Proxy) []NodeConfig {
	var configs []NodeConfig
	for _, f := range nodeFormats {
		if f.pins && len(configs) > 0 {
			continue // the share link is for all clients
		}
		client, _ := format.ByType(f.clientType)
		client.Pins = f.pins
		file := format.Render([]format.Proxy{proxy}, format.Options{Client: client, NodesOnly: true, Flags: true})
		if file.Nodes == 1 {
			configs = append(configs, NodeConfig{f.name, strings.TrimSpace(string(file.Body))})
		}
	}
	return configs
}
