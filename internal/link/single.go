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

// NodeEntry is one way to connect to a node: at its own address, or through a relay.
type NodeEntry struct {
	Name, Address string
	Port          int
	Configs       []NodeConfig // In the formats that can express the node.
}

// NodeConfig is a node with the user's credentials, for programs that read a single one.
type NodeConfig struct{ Format, Text string }

// nodeFormats are the formats of a NodeConfig with the client that each is written for. A share link comes first, since
// nearly every client reads it, also from a QR code. A node whose certificate only its fingerprint proves has none for
// clients that ignore the fingerprint, which would accept every certificate.
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

// Node returns the ways to connect to a node that the user may use, its own address first, with the node's name in
// lang. The fault of any other node is node.ErrNotFound.
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
	n := nodes[at].Localized(lang)
	if !n.Visible || !n.Serves() || !access.Admits(n.Class, n.GroupID) {
		return nil, node.ErrNotFound
	}
	group, err := l.nodes.LinkGroups.Of(ctx, userID)
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
			continue // Share links are for all clients.
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
