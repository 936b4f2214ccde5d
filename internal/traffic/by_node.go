package traffic

import (
	"context"
	"slices"
)

// AmountByNode returns what the rows of the user's log that the filter selects add up to, for each node, the node that
// moved most first.
func (t *Traffic) AmountByNode(ctx context.Context, userID int64, f LogFilter) ([]NodeAmount, error) {
	of := map[int64]*Amount{}
	err := t.Each(ctx, userID, f, func(r Record) error {
		a := of[r.NodeID]
		if a == nil {
			a = new(Amount)
			of[r.NodeID] = a
		}
		a.Up, a.Down, a.Billed = saturate(a.Up, r.Up), saturate(a.Down, r.Down), saturate(a.Billed, r.Billed)
		return nil
	})
	nodes := make([]NodeAmount, 0, len(of))
	for id, a := range of {
		nodes = append(nodes, NodeAmount{id, *a})
	}
	slices.SortFunc(nodes, func(a, b NodeAmount) int { return most(a.Amount, b.Amount, a.NodeID, b.NodeID) })
	return nodes, err
}
