package node

import (
	"context"
	"strings"

	"github.com/uptrace/bun"
)

// Rebuilt is an old Shadowsocks node and what becomes of it.
type Rebuilt struct {
	Before Node
	After  Node // without private keys
}

// RebuildVMess converts the nodes of Shadowsocks before its edition of 2022 into VMess over TCP at the same address and
// port, and returns them by id. Without apply nothing is changed. With it all are changed or none; agents and links
// follow at once.
func (rg *Registry) RebuildVMess(ctx context.Context, apply bool) ([]Rebuilt, error) {
	all, err := rg.List(ctx)
	if err != nil {
		return nil, err
	}
	var rebuilt []Rebuilt
	for _, n := range all {
		if !isOldShadowsocks(&n) {
			continue
		}
		after := n
		toVMess(&after)
		rebuilt = append(rebuilt, Rebuilt{n, after})
	}
	if !apply || len(rebuilt) == 0 {
		return rebuilt, nil
	}
	done := make([]Rebuilt, 0, len(rebuilt))
	err = rg.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		done = done[:0]
		for _, b := range rebuilt {
			isOld := false // any more: another member may have changed it since it was read
			if _, err := rg.changeIn(ctx, tx, b.Before.ID, func(n *Node) {
				if isOld = isOldShadowsocks(n); isOld {
					toVMess(n)
				}
			}); err != nil {
				return err
			}
			if isOld {
				done = append(done, b)
			}
		}
		return nil
	})
	return done, err
}

func isOldShadowsocks(n *Node) bool {
	return n.Protocol == Shadowsocks && !strings.HasPrefix(n.Settings.Method, "2022-")
}

func toVMess(n *Node) {
	n.Protocol, n.Settings = VMess, Settings{Transport: "tcp", Security: "none"}
}
