package node

import (
	"net/netip"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Grammar is an audit rule for agents that do not match host:port, as ours does. Each of them refuses a host by a
// regular expression; some refuse addresses and ports; none refuses a port of some hosts only.
type Grammar struct {
	Hosts     []string // RE2 of host names
	Addresses []string // RE2 of hosts that are addresses; those that are one address are in IPs too
	IPs       []string
	Ports     []string // numbers and ranges, as 465-587
	Complete  bool     // all of these together refuse what the pattern does
	Network   string   // the pattern for agents that match network:host:port
	ByNetwork []string // the same in parts of which none matches a host alone
}

// The third-party agents that receive audit rules, by the names that staff knows.
const (
	agentV2bX   = "V2bX"
	agentV2node = "v2node"
	agentPPanel = "ppanel-node"
	agentXboard = "Xboard-node"
)

// NotHeldBy names the agents that cannot refuse all that the pattern does. XrayR can, and Xboard-node refuses nothing.
func (g Grammar) NotHeldBy() []string {
	var names []string
	if !g.Complete || len(g.Ports) > 0 {
		names = append(names, agentV2bX)
	}
	if !g.Complete || len(g.Addresses) > len(g.IPs) {
		names = append(names, agentV2node)
	}
	if !g.Complete || len(g.Ports)+len(g.Addresses) > 0 {
		names = append(names, agentPPanel)
	}
	return append(names, agentXboard)
}

var grammars sync.Map // Grammar by pattern; staff alone makes patterns

// Grammar returns the rule for third-party agents.
func (r *Rule) Grammar() Grammar {
	if g, ok := grammars.Load(r.Pattern); ok {
		return g.(Grammar)
	}
	g := grammarOf(r.Pattern)
	grammars.Store(r.Pattern, g)
	return g
}

// maxAlternatives limits the alternatives into which a pattern is expanded.
const maxAlternatives = 200

func grammarOf(pattern string) Grammar {
	g := Grammar{Network: pattern}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return g // it was checked
	}
	if anchored(tree) {
		g.Network = afterNetwork(tree).String()
	}
	alternatives, ok := expand(tree)
	g.Complete = ok
	ports := map[int]bool{}
	for _, atoms := range alternatives {
		if !g.add(atoms, ports) {
			g.Complete = false
		}
		one := &syntax.Regexp{Op: syntax.OpConcat, Sub: atoms}
		if anchored(one) {
			g.ByNetwork = append(g.ByNetwork, afterNetwork(one).String())
		} else {
			g.ByNetwork = append(g.ByNetwork, anyNetwork+sequence(atoms))
		}
	}
	if !ok {
		g.ByNetwork = []string{g.Network}
	}
	g.Ports = ranges(ports)
	for _, list := range []*[]string{&g.Hosts, &g.Addresses, &g.IPs} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return g
}

// anyNetwork precedes what may be anywhere in host:port.
const anyNetwork = `^(?:tcp|udp):.*`

// anchored reports whether the expression asks for the beginning of the text.
func anchored(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpBeginLine || slices.ContainsFunc(re.Sub, anchored)
}

// afterNetwork has what asks for the beginning ask for the end of the network's name, which precedes the host.
func afterNetwork(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpBeginText || re.Op == syntax.OpBeginLine {
		network, err := syntax.Parse(`^(?:tcp|udp):`, syntax.Perl)
		if err != nil {
			panic(err) // the expression is a constant
		}
		return network
	}
	changed := *re
	changed.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		changed.Sub[i] = afterNetwork(sub)
	}
	return &changed
}

// expand splits an expression into alternatives, each a sequence of atoms whose literals have one letter. It fails
// where there are too many.
func expand(re *syntax.Regexp) ([][]*syntax.Regexp, bool) {
	switch re.Op {
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpEmptyMatch:
		return [][]*syntax.Regexp{nil}, true
	case syntax.OpLiteral:
		letters := make([]*syntax.Regexp, len(re.Rune))
		for i, r := range re.Rune {
			letters[i] = &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}}
		}
		return [][]*syntax.Regexp{letters}, true
	case syntax.OpQuest:
		some, ok := expand(re.Sub[0])
		return append(some, nil), ok
	case syntax.OpAlternate:
		var all [][]*syntax.Regexp
		for _, sub := range re.Sub {
			some, ok := expand(sub)
			if all = append(all, some...); !ok || len(all) > maxAlternatives {
				return nil, false
			}
		}
		return all, true
	case syntax.OpConcat:
		all := [][]*syntax.Regexp{nil}
		for _, sub := range re.Sub {
			some, ok := expand(sub)
			if !ok || len(all)*len(some) > maxAlternatives {
				return nil, false
			}
			var longer [][]*syntax.Regexp
			for _, head := range all {
				for _, tail := range some {
					longer = append(longer, slices.Concat(head, tail))
				}
			}
			all = longer
		}
		return all, true
	}
	return [][]*syntax.Regexp{{re}}, true
}

// add adds an alternative and reports whether a host alone or ports alone can express it.
func (g *Grammar) add(atoms []*syntax.Regexp, ports map[int]bool) bool {
	end := len(atoms) > 0 && isEnd(atoms[len(atoms)-1])
	if end {
		atoms = atoms[:len(atoms)-1]
	}
	if slices.ContainsFunc(atoms, isEnd) {
		return false
	}
	colon := -1
	for i, a := range atoms {
		if a.Op == syntax.OpLiteral && a.Rune[0] == ':' {
			colon = i
		}
	}
	switch {
	case colon >= 0:
		return g.addBoth(atoms[:colon], atoms[colon+1:], end, ports)
	case end && len(atoms) > 0 &&
		!slices.ContainsFunc(atoms, func(a *syntax.Regexp) bool { return !only(a, unicode.IsDigit) }):
		for port := range portsOf(`(?:` + sequence(atoms) + `)$`) {
			ports[port] = true
		}
		return true
	case end:
		// No port ends so: it is a host's name, as other panels have rules.
		return !slices.ContainsFunc(atoms, func(a *syntax.Regexp) bool { return can(a, ':') }) && g.addHost(atoms, true)
	}
	for len(atoms) > 0 && nullable(atoms[len(atoms)-1]) {
		atoms = atoms[:len(atoms)-1]
	}
	// What follows the last atom that may match the colon must be of the host for certain.
	from := 0
	for i, a := range atoms {
		if can(a, ':') {
			from = i + 1
		}
	}
	ofHost := func(a *syntax.Regexp) bool {
		return !nullable(a) && !slices.ContainsFunc([]rune("0123456789:"), func(r rune) bool { return can(a, r) })
	}
	return slices.ContainsFunc(atoms[from:], ofHost) && g.addHost(atoms, false)
}

// addBoth adds an alternative that has a colon between host and port.
func (g *Grammar) addBoth(host, port []*syntax.Regexp, end bool, ports map[int]bool) bool {
	if slices.ContainsFunc(host, func(a *syntax.Regexp) bool {
		return a.Op == syntax.OpLiteral &&
			strings.ContainsRune(":[]", a.Rune[0])
	}) {
		return false // of an IPv6 address
	}
	expression := `^(?:` + sequence(port) + `)`
	if end {
		expression += `$`
	}
	matched := portsOf(expression)
	anyHost := !slices.ContainsFunc(host, func(a *syntax.Regexp) bool { return !isBegin(a) && !isAnything(a) })
	switch {
	case len(matched) == 0:
		return true // it matches nothing
	case anyHost && len(matched) == portCount:
		g.Hosts = append(g.Hosts, ".")
		g.Addresses = append(g.Addresses, ".")
		return true
	case anyHost:
		for port := range matched {
			ports[port] = true
		}
		return true
	case len(matched) == portCount:
		return g.addHost(host, true)
	}
	return false
}

// addHost adds the expression of a host; with end it extends to the end of the host.
func (g *Grammar) addHost(atoms []*syntax.Regexp, end bool) bool {
	expression := sequence(atoms)
	if end {
		expression += `$`
	}
	if slices.ContainsFunc(atoms, func(a *syntax.Regexp) bool {
		return !isBegin(a) && !only(a, func(r rune) bool { return !unicode.IsLetter(r) })
	}) {
		g.Hosts = append(g.Hosts, expression)
		return true
	}
	g.Addresses = append(g.Addresses, expression)
	var literal strings.Builder
	for _, a := range atoms {
		if a.Op == syntax.OpLiteral {
			literal.WriteRune(a.Rune[0])
		}
	}
	if ip, err := netip.ParseAddr(literal.String()); err == nil && end && len(atoms) == literal.Len()+1 &&
		isBegin(atoms[0]) {
		g.IPs = append(g.IPs, ip.String())
	}
	return true
}

// sequence returns the atoms as an expression.
func sequence(atoms []*syntax.Regexp) string {
	if len(atoms) == 0 {
		return ""
	}
	return (&syntax.Regexp{Op: syntax.OpConcat, Sub: atoms}).String()
}

func isBegin(a *syntax.Regexp) bool { return a.Op == syntax.OpBeginText || a.Op == syntax.OpBeginLine }

func isEnd(a *syntax.Regexp) bool { return a.Op == syntax.OpEndText || a.Op == syntax.OpEndLine }

// isAnything reports whether the atom lets any text pass.
func isAnything(a *syntax.Regexp) bool {
	return (a.Op == syntax.OpStar || a.Op == syntax.OpPlus) && !slices.ContainsFunc([]rune("azAZ09.-"),
		func(r rune) bool { return !can(a, r) })
}

// nullable reports whether the atom may match nothing.
func nullable(a *syntax.Regexp) bool {
	re, err := regexp.Compile(`^(?:` + a.String() + `)$`)
	return err == nil && re.MatchString("")
}

// can reports whether a match of the atom may have the letter in it.
func can(a *syntax.Regexp, r rune) bool {
	switch a.Op {
	case syntax.OpLiteral:
		fold := a.Flags&syntax.FoldCase != 0
		return slices.ContainsFunc(a.Rune, func(l rune) bool {
			return l == r || fold &&
				unicode.ToLower(l) == unicode.ToLower(r)
		})
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCharClass:
		for i := 0; i < len(a.Rune); i += 2 {
			if a.Rune[i] <= r && r <= a.Rune[i+1] {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(a.Sub, func(sub *syntax.Regexp) bool { return can(sub, r) })
}

// only reports whether no match of the atom has a printable ASCII letter for which fn is false.
func only(a *syntax.Regexp, fn func(rune) bool) bool {
	for r := ' '; r < unicode.MaxASCII; r++ {
		if can(a, r) && !fn(r) {
			return false
		}
	}
	return true
}

const portCount = 65535

// portsOf returns the ports that the expression matches.
func portsOf(expression string) map[int]bool {
	found := map[int]bool{}
	re, err := regexp.Compile(expression)
	if err != nil {
		return found
	}
	for port := 1; port <= portCount; port++ {
		if re.MatchString(strconv.Itoa(port)) {
			found[port] = true
		}
	}
	return found
}

// ranges writes ports as numbers and ranges.
func ranges(ports map[int]bool) []string {
	var out []string
	for port := 1; port <= portCount; port++ {
		if !ports[port] {
			continue
		}
		from := port
		for ports[port+1] {
			port++
		}
		if from == port {
			out = append(out, strconv.Itoa(port))
		} else {
			out = append(out, strconv.Itoa(from)+"-"+strconv.Itoa(port))
		}
	}
	return out
}
