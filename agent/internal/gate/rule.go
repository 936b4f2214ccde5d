package gate

import (
	"fmt"
	"net"
	"regexp"
	"slices"

	"airstrip/agent/internal/api"
)

// rule forbids destinations to all users who are not exempt.
type rule struct {
	id      int64
	pattern *regexp.Regexp
	exempt  []int64 // Sorted.
}

// SetRules replaces the rules. A pattern that is not a valid RE2 expression is logged and ignored.
func (g *Gate) SetRules(rules []api.Rule) {
	var compiled []rule
	for _, r := range rules {
		pattern, err := regexp.Compile(r.Pattern)
		if err != nil {
			g.log.Error("a rule is not a valid expression and is not applied", "rule", r.ID, "err", err)
			continue
		}
		compiled = append(compiled, rule{r.ID, pattern, slices.Sorted(slices.Values(r.Exempt))})
	}
	g.rules.Store(&compiled)
}

// HasRules reports whether there is any rule. Without rules no connection needs inspection.
func (g *Gate) HasRules() bool { return len(*g.rules.Load()) > 0 }

// Allowed checks a destination, host:port, against the rules and counts a hit.
func (g *Gate) Allowed(id int64, target string) error {
	for _, r := range *g.rules.Load() {
		if _, exempt := slices.BinarySearch(r.exempt, id); !exempt && r.pattern.MatchString(target) {
			g.meter.Hit(id, r.id)
			return fmt.Errorf("%w (rule %d)", ErrForbidden, r.id)
		}
	}
	return nil
}

// AllowedInside returns a function that checks, as Allowed does, a host named inside a connection to target. The host
// in target itself was checked when the connection was opened.
func (g *Gate) AllowedInside(id int64, target string) func(host string) error {
	return func(host string) error {
		outside, port, err := net.SplitHostPort(target)
		if err != nil || host == outside {
			return err
		}
		return g.Allowed(id, net.JoinHostPort(host, port))
	}
}
