package node_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"airstrip/internal/node"
)

func TestRuleGrammar_SeparatesHostsAndPorts(t *testing.T) {
	const all = "V2bX v2node ppanel-node Xboard-node"
	for _, c := range []struct {
		pattern                 string
		hosts, addresses, ports string // separated by spaces
		unheld                  string
	}{
		{`torrent`, `torrent`, ``, ``, `Xboard-node`},
		{`torrent/x\.`, `torrent/x\.`, ``, ``, `Xboard-node`},
		{`:25$`, ``, ``, `25`, `V2bX ppanel-node Xboard-node`},
		{`:(25|465|587)$`, ``, ``, `25 465 587`, `V2bX ppanel-node Xboard-node`},
		{`:25$|:46[5-7]$`, ``, ``, `25 465-467`, `V2bX ppanel-node Xboard-node`},
		{`^.*:25$`, ``, ``, `25`, `V2bX ppanel-node Xboard-node`},
		{`^[^:]+:25$`, ``, ``, `25`, `V2bX ppanel-node Xboard-node`},
		{`(^|\.)example\.com:`, `\.example\.com$ \Aexample\.com$`, ``, ``, `Xboard-node`},
		{`(^|\.)example\.com:[0-9]+$`, `\.example\.com$ \Aexample\.com$`, ``, ``, `Xboard-node`},
		{`(^|\.)example\.com:\d{1,5}$`, `\.example\.com$ \Aexample\.com$`, ``, ``, `Xboard-node`},
		{`(^|\.)example\.com:443$`, ``, ``, ``, all},
		{`example\.com:443|torrent`, `torrent`, ``, ``, all},
		{`tracker|:6881$`, `tracker`, ``, `6881`, `V2bX ppanel-node Xboard-node`},
		{`^203\.0\.113\.9:`, ``, `\A203\.0\.113\.9$`, ``, `ppanel-node Xboard-node`},
		{`^203\.0\.113\.`, ``, `\A203\.0\.113\.`, ``, `v2node ppanel-node Xboard-node`},
		{`^\[2001:db8::1\]:`, ``, ``, ``, all},
		{`example.*25$`, ``, ``, ``, all},
		{`example.*25`, ``, ``, ``, all},
		{`25`, ``, ``, ``, all},
		{`example\.com$`, `example\.com$`, ``, ``, `Xboard-node`},
	} {
		r := node.Rule{Pattern: c.pattern}
		g := r.Grammar()
		for name, pair := range map[string][2]string{
			"hosts": {strings.Join(g.Hosts, " "), c.hosts}, "addresses": {strings.Join(g.Addresses, " "), c.addresses},
			"ports": {strings.Join(g.Ports, " "), c.ports}, "not held by": {strings.Join(g.NotHeldBy(), " "), c.unheld},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s are %q, want %q", c.pattern, name, pair[0], pair[1])
			}
		}
	}
	if r := (&node.Rule{Pattern: `^203\.0\.113\.9:`}); !slices.Equal(r.Grammar().IPs, []string{"203.0.113.9"}) {
		t.Error(r.Grammar())
	}
}

// The parts of a rule refuse nothing that the pattern does not refuse, and where they are complete, all that it
// refuses.
func FuzzRuleGrammar_RefusesWhatThePatternDoes(f *testing.F) {
	for _, pattern := range []string{
		`:25$`, `(^|\.)example\.com:`, `(.*\.|^)torrent\.`,
		`(?i)^Tracker[0-9]*\.|:6(881|9..)$`, `^a\.b:(80|443)$|x`,
	} {
		for _, host := range []string{
			"example.com", "a.example.com", "torrent.example", "tracker7.example",
			"203.0.113.9", "a.b", "x.b",
		} {
			for _, port := range []uint16{25, 80, 443, 6881, 6999} {
				f.Add(pattern, host, port)
			}
		}
	}
	name := regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*$`)
	f.Fuzz(func(t *testing.T, pattern, host string, port uint16) {
		re, err := regexp.Compile(pattern)
		if err != nil || !name.MatchString(host) || port == 0 || strings.Contains(pattern, "$") &&
			!strings.Contains(pattern, ":") {
			t.Skip()
		}
		r := node.Rule{Pattern: pattern}
		g := r.Grammar()
		destination := host + ":" + strconv.Itoa(int(port))
		refused := slices.ContainsFunc(slices.Concat(g.Hosts, g.Addresses),
			func(p string) bool { return regexp.MustCompile(p).MatchString(host) }) ||
			slices.ContainsFunc(g.Ports, func(p string) bool { return within(p, int(port)) })
		if want := re.MatchString(destination); refused && !want || want && !refused && g.Complete {
			t.Errorf("%s on %s: refused %v, want %v: %+v", pattern, destination, refused, want, g)
		}
		if network := regexp.MustCompile(g.Network); re.MatchString(destination) &&
			!network.MatchString("tcp:"+destination) {
			t.Errorf("%s on tcp:%s: %s lets it pass", pattern, destination, g.Network)
		}
	})
}

// within reports whether a port is a number or in a range.
func within(ports string, port int) bool {
	from, to, both := strings.Cut(ports, "-")
	if !both {
		to = from
	}
	low, err := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	return err == nil && err2 == nil && low <= port && port <= high
}
