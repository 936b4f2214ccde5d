package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// Rule is something that holds at every committed state. Its query answers one column of text: what breaks it.
type Rule struct {
	Name  string // the invariant's short name, such as "I1"
	Says  string // what holds
	Query string
}

// Violation is one broken rule.
type Violation struct {
	Rule string // its name and what it says
	What string // where it is broken
}

const shownPerRule = 20

// Check asks each rule's query and gives what breaks it, some examples of each.
func Check(ctx context.Context, idb bun.IDB, rules ...Rule) ([]Violation, error) {
	var broken []Violation
	for _, r := range rules {
		var found []string
		if err := idb.NewRaw(fmt.Sprintf("SELECT * FROM (%s) AS broken LIMIT %d", r.Query, shownPerRule)).Scan(ctx, &found); err != nil {
			return nil, fmt.Errorf("check %s: %w", r.Name, err)
		}
		for _, what := range found {
			broken = append(broken, Violation{r.Name + ": " + r.Says, what})
		}
	}
	return broken, nil
}
