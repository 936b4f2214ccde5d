package node

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
)

// LinkGroups assigns users to link groups.
type LinkGroups struct{ db *db.DB }

// GroupAssignment is the result of assigning users to link groups.
type GroupAssignment struct {
	Users map[int]int // by link group: the number of its users now
	Moved int         // users who came into a group or into another
}

type member struct {
	bun.BaseModel `bun:"table:user_link_group"`
	UserID        int64 `bun:",pk"`
	LinkGroup     int
	AssignedAt    time.Time `bun:"dealt_at"`
}

// Of returns the link group that the user is assigned to; 0: none.
func (lg *LinkGroups) Of(ctx context.Context, userID int64) (int, error) {
	var groups []int
	err := lg.db.NewSelect().Model((*member)(nil)).Column("link_group").Where("user_id = ?", userID).Scan(ctx, &groups)
	if err != nil || len(groups) == 0 {
		return 0, err
	}
	return groups[0], nil
}

// Counts returns how many users are assigned to each link group.
func (lg *LinkGroups) Counts(ctx context.Context) (map[int]int64, error) {
	var rows []struct {
		LinkGroup int
		Users     int64
	}
	err := lg.db.NewRaw(`SELECT link_group, count(*) AS users FROM user_link_group GROUP BY link_group`).Scan(ctx, &rows)
	by := make(map[int]int64, len(rows))
	for _, r := range rows {
		by[r.LinkGroup] = r.Users
	}
	return by, err
}

// Reassign assigns all users to the link groups that enabled nodes have, so that the sizes of two groups differ
// by one user at most. A user stays in their group unless it has too many. With shuffle all users are assigned at
// random, so that those who shared an endpoint that leaked no longer do.
func (lg *LinkGroups) Reassign(ctx context.Context, shuffle bool) (GroupAssignment, error) {
	var d GroupAssignment
	err := lg.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		groups, err := linkGroups(ctx, tx)
		if err != nil || len(groups) == 0 {
			return err
		}
		if _, err := tx.NewRaw(`DELETE FROM user_link_group WHERE user_id NOT IN (SELECT user_id FROM access)`).
			Exec(ctx); err != nil {
			return err
		}
		var present []member
		err = tx.NewRaw(`SELECT a.user_id, coalesce(g.link_group, 0) AS link_group FROM access AS a
			LEFT JOIN user_link_group AS g ON g.user_id = a.user_id ORDER BY a.user_id`).Scan(ctx, &present)
		if err != nil {
			return err
		}
		var moved []member
		d.Users, moved = reassign(groups, present, shuffle)
		d.Moved = len(moved)
		for i := range moved {
			moved[i].AssignedAt = lg.db.Now()
		}
		for part := range slices.Chunk(moved, 500) {
			if _, err := tx.NewInsert().Model(&part).On("CONFLICT (user_id) DO UPDATE").
				Set("link_group = EXCLUDED.link_group").Set("dealt_at = EXCLUDED.dealt_at").Exec(ctx); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, "link.group.deal", audit.Object{Kind: "link_group"}, nil,
			map[string]any{"moved": d.Moved, "anew": shuffle}, "")
	})
	return d, err
}

// linkGroups returns the link groups that enabled nodes have an endpoint for, the lowest first.
func linkGroups(ctx context.Context, tx bun.Tx) ([]int, error) {
	var nodes []Node
	if err := tx.NewSelect().Model(&nodes).Column("group_hosts").Where("enabled").Scan(ctx); err != nil {
		return nil, err
	}
	all := map[int]bool{}
	for _, n := range nodes {
		for group := range n.GroupHosts {
			all[group] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// reassign returns how many users each group then has, and the users who move to another group.
func reassign(groups []int, present []member, shuffle bool) (count map[int]int, moved []member) {
	had := map[int]int{}
	for _, m := range present {
		had[m.LinkGroup]++
	}
	groups = slices.Clone(groups)
	// the larger groups get the remainder, so that fewer users move
	slices.SortStableFunc(groups, func(a, b int) int { return cmp.Compare(had[b], had[a]) })
	count = make(map[int]int, len(groups))
	room := make(map[int]int, len(groups))
	for i, g := range groups {
		count[g], room[g] = 0, len(present)/len(groups)
		if i < len(present)%len(groups) {
			room[g]++
		}
	}
	var unassigned []member
	for _, m := range present {
		if shuffle || room[m.LinkGroup] <= count[m.LinkGroup] { // of a group that is gone both are zero
			unassigned = append(unassigned, m)
			continue
		}
		count[m.LinkGroup]++
	}
	if shuffle {
		rand.Shuffle(len(unassigned), func(i, j int) { unassigned[i], unassigned[j] = unassigned[j], unassigned[i] })
	}
	i := 0
	for _, m := range unassigned {
		for count[groups[i]] >= room[groups[i]] {
			i++
		}
		count[groups[i]]++
		if m.LinkGroup != groups[i] {
			moved = append(moved, member{UserID: m.UserID, LinkGroup: groups[i]})
		}
	}
	return count, moved
}
