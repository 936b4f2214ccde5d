package format

// rules say what goes where, in terms that every format has words for.
type rules struct {
	Suffixes  []string // domains that are reached without a node
	Networks  []string // addresses that are, IPv4 first
	Resolvers []string // of the names that are, by IP; plain DNS
	Secure    []string // the same over HTTPS
	Remote    string   // resolver of all other names, reached through a node
	Probe     string   // what a node is asked for to see how fast it is
	Interval  int      // seconds between two probes
}

// basic needs no rule file and no database: fetching those before the proxy works fails where it is needed most.
var basic = rules{
	Suffixes: []string{"local", "lan", "cn"},
	Networks: []string{
		"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "224.0.0.0/4",
		"::1/128", "fc00::/7", "fe80::/10",
	},
	Resolvers: []string{"223.5.5.5", "119.29.29.29"},
	Secure:    []string{"https://dns.alidns.com/dns-query", "https://doh.pub/dns-query"},
	Remote:    "1.1.1.1",
	Probe:     "https://www.gstatic.com/generate_204",
	Interval:  300,
}

// v6 tells whether a network is one of IPv6.
func v6(network string) bool {
	for _, c := range network {
		if c == ':' {
			return true
		}
	}
	return false
}

// clashRules are the rules in the words of Clash, which Surge and its kin use too; last names what takes the rest.
func (r rules) clashRules(last string) []string {
	var out []string
	for _, suffix := range r.Suffixes {
		out = append(out, "DOMAIN-SUFFIX,"+suffix+","+groupDirect)
	}
	for _, network := range r.Networks {
		kind := "IP-CIDR,"
		if v6(network) {
			kind = "IP-CIDR6,"
		}
		out = append(out, kind+network+","+groupDirect+",no-resolve")
	}
	return append(out, last+","+groupAll)
}

// dotted are the domains with a dot before them, so that example.cn matches cn and evilcn does not.
func (r rules) dotted() []string {
	out := make([]string, len(r.Suffixes))
	for i, suffix := range r.Suffixes {
		out[i] = "." + suffix
	}
	return out
}
