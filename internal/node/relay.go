package node

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"

	"github.com/uptrace/bun"
)

// Relay is another address by which clients reach the node: an entry of its own in links.
type Relay struct {
	Name string `json:"name"` // follows the node's name in links
	Host string `json:"host"`
	Port int    `json:"port"`
	// the node whose agent listens on Port and forwards; 0: the operator runs the relay
	NodeID int64 `json:"node_id,omitempty"`
}

// Forward is a port of a node's machine at which its agent is the relay of another node.
type Forward struct {
	Port   int    `json:"port"`
	Target string `json:"target"` // host:port
	TCP    bool   `json:"tcp"`
	UDP    bool   `json:"udp"`
}

// networks reports whether clients reach the node over TCP and over UDP.
func (n *Node) networks() (tcp, udp bool) {
	quic := n.Protocol == Hysteria2 || n.Protocol == TUIC
	return !quic, quic || n.Protocol == Shadowsocks
}

// share reports whether the two nodes would conflict on one port.
func share(a, b *Node) bool {
	aTCP, aUDP := a.networks()
	bTCP, bUDP := b.networks()
	return aTCP && bTCP || aUDP && bUDP
}

// relayed returns the nodes that have relays, without any secrets.
func relayed(ctx context.Context, idb bun.IDB) ([]Node, error) {
	var nodes []Node
	err := idb.NewSelect().Model(&nodes).Where("CAST(relays AS TEXT) <> '[]'").OrderExpr("id").Scan(ctx)
	return nodes, err
}

// Forwards returns the ports at which the node's agent is a relay of others.
func (rg *Registry) Forwards(ctx context.Context, nodeID int64) ([]Forward, error) {
	nodes, err := relayed(ctx, rg.db)
	if err != nil {
		return nil, err
	}
	forwards := []Forward{}
	for _, n := range nodes {
		tcp, udp := n.networks()
		for _, r := range n.Relays {
			if r.NodeID == nodeID && n.Enabled {
				forwards = append(forwards, Forward{
					r.Port, net.JoinHostPort(n.Address, strconv.Itoa(n.Port)), tcp,
					udp,
				})
			}
		}
	}
	slices.SortFunc(forwards, func(a, b Forward) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Target, b.Target))
	})
	return forwards, nil
}

// Relayed is a port at which one node's agent is the relay of another node.
type Relayed struct {
	ID     int64 // of the pair, as long as the target's relays keep their order
	By     Node  // without private keys, as Target
	Target Node
	Port   int
}

// maxRelays limits the relays of a node.
const maxRelays = 20

// RelayedBy returns what the node's agent relays, or with 0 what all agents relay, in order of node and relay.
func (rg *Registry) RelayedBy(ctx context.Context, nodeID int64) ([]Relayed, error) {
	nodes, err := rg.List(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.ID, b.ID) })
	by := make(map[int64]Node, len(nodes))
	for _, n := range nodes {
		by[n.ID] = n
	}
	var relayed []Relayed
	for _, n := range nodes {
		for i, r := range n.Relays {
			if r.NodeID != 0 && n.Enabled && (nodeID == 0 || r.NodeID == nodeID) {
				relayed = append(relayed, Relayed{
					ID: n.ID*maxRelays + int64(i), By: by[r.NodeID], Target: n,
					Port: r.Port,
				})
			}
		}
	}
	return relayed, nil
}

// checkRelays names what keeps agents from being the relays of n, and n's agent from listening next to those
// that it is.
func checkRelays(ctx context.Context, tx bun.Tx, n *Node) error {
	nodes, err := relayed(ctx, tx)
	if err != nil {
		return err
	}
	nodes = append(slices.DeleteFunc(nodes, func(other Node) bool { return other.ID == n.ID }), *n)
	var p problems
	for i, r := range n.Relays {
		if r.NodeID == 0 {
			continue
		}
		field := "relays." + strconv.Itoa(i)
		var by []Node
		if err := tx.NewSelect().Model(&by).Where("id = ?", r.NodeID).Scan(ctx); err != nil {
			return err
		}
		p.When(len(by) == 0, field+".node_id", "unknown", "没有该节点", "There is no such node")
		p.When(r.NodeID == n.ID, field+".node_id", "choice", "节点不能中转自己", "A node cannot be its own relay")
		taken := len(by) > 0 && by[0].ListenPort == r.Port && share(&by[0], n)
		for _, other := range nodes {
			for j, o := range other.Relays {
				taken = taken || o.NodeID == r.NodeID && o.Port == r.Port && share(&other, n) && (other.ID != n.ID ||
					j != i)
			}
		}
		p.When(taken, field+".port", "conflict", "该中转节点的此端口已被占用", "This port of the relaying node is taken")
	}
	for _, other := range nodes {
		for _, r := range other.Relays {
			p.When(n.ID != 0 && other.ID != n.ID && r.NodeID == n.ID && r.Port == n.ListenPort && share(&other, n),
				"listen_port", "conflict",
				"该端口已用于中转其他节点", "The node is the relay of another node at this port")
		}
	}
	return p.Err()
}

// stampRelays notifies the agents that relay the nodes.
func stampRelays(ctx context.Context, tx bun.Tx, revision int64, nodes ...*Node) error {
	var ids []int64
	for _, n := range nodes {
		for _, r := range n.Relays {
			ids = append(ids, r.NodeID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.NewUpdate().Model((*Node)(nil)).Set("revision = ?", revision).Where("id IN (?)", bun.List(ids)).
		Exec(ctx)
	return err
}

// leaveRelays removes a node that is about to be deleted from all relays, and frees its own.
func (rg *Registry) leaveRelays(ctx context.Context, tx bun.Tx, revision, id int64) error {
	nodes, err := relayed(ctx, tx)
	if err != nil {
		return err
	}
	by := func(r Relay) bool { return r.NodeID == id }
	for _, n := range nodes {
		switch {
		case n.ID == id:
			err = stampRelays(ctx, tx, revision, &n)
		case slices.ContainsFunc(n.Relays, by):
			_, err = rg.changeIn(ctx, tx, n.ID, func(n *Node) { n.Relays = slices.DeleteFunc(n.Relays, by) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}
