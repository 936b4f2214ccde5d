package certificate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"airstrip/agent/internal/dnshost"
)

// names queries the DNS: resolvers for the zone of a name and its name servers, and these servers, at port, for their
// records.
type names struct {
	resolvers []string // host:port; empty for the system's.
	port      string
	// timeout bounds how long a record may take to reach all servers. interval is the time between two checks.
	timeout, interval time.Duration
}

// maxAliases bounds a chain of CNAME records.
const maxAliases = 8

// locate returns the zone of a name. If the name is an alias, for example because its own zone cannot be changed by a
// program, the zone of the alias's target counts, for issuers too.
func (n names) locate(ctx context.Context, name string) (zone, target string, err error) {
	if target, err = n.follow(ctx, dns.CanonicalName(name)); err != nil {
		return "", "", err
	}
	for at, end := 0, false; !end; at, end = dns.NextLabel(target, at) {
		answer, err := n.resolve(ctx, target[at:], dns.TypeSOA)
		if err != nil {
			return "", "", err
		}
		if len(pick[*dns.SOA](answer, target[at:])) > 0 {
			return strings.TrimSuffix(target[at:], "."), strings.TrimSuffix(target, "."), nil
		}
	}
	return "", "", fmt.Errorf("no zone is found that %s is in: is the domain registered and delegated?",
		strings.TrimSuffix(target, "."))
}

// follow resolves CNAME records and returns the final name.
func (n names) follow(ctx context.Context, name string) (string, error) {
	target := name
	for range maxAliases {
		answer, err := n.resolve(ctx, target, dns.TypeCNAME)
		if err != nil {
			return "", err
		}
		alias := pick[*dns.CNAME](answer, target)
		if len(alias) == 0 {
			return target, nil
		}
		target = dns.CanonicalName(alias[0].Target)
	}
	return "", fmt.Errorf("the aliases that %s leads to have no end", strings.TrimSuffix(name, "."))
}

// await returns once all reachable name servers of the record's zone have it, or what the last check found at the
// timeout. Each server is asked twice, because one address may stand for many machines.
func (n names) await(ctx context.Context, r dnshost.Record) error {
	servers, err := n.authorities(ctx, r.Zone)
	if err != nil {
		return err
	}
	end := time.Now().Add(n.timeout) // The last check is not cut short: it would only report the timeout.
	for seen := 0; ; {
		if err := n.checkServers(ctx, servers, r); err != nil {
			if seen = 0; time.Now().After(end) {
				return err
			}
		} else if seen++; seen == 2 {
			return nil
		}
		if err := wait(ctx, n.interval); err != nil {
			return err
		}
	}
}

// checkServers returns why a record is not on all reachable servers.
func (n names) checkServers(ctx context.Context, servers []server, r dnshost.Record) error {
	var silence error
	shown := false
	for _, s := range servers {
		has, err := n.shows(ctx, s, r)
		switch {
		case err != nil:
			silence = fmt.Errorf("no name server of the zone %s answers, %s: %w", r.Zone, s.name, err)
		case !has:
			return fmt.Errorf("the record %s is not at %s (%s), a name server of the zone %s: is that hosted where "+
				"the agent puts records?", r.Name, s.name, s.address, r.Zone)
		default:
			shown = true
		}
	}
	if !shown {
		return silence
	}
	return nil
}

func (n names) shows(ctx context.Context, s server, r dnshost.Record) (bool, error) {
	answer, err := exchange(ctx, s.address, question(r.Name, dns.TypeTXT, false))
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(pick[*dns.TXT](answer, r.Name),
		func(t *dns.TXT) bool { return strings.Join(t.Txt, "") == r.Value }), nil
}

// server is a name server with authority for a zone.
type server struct{ name, address string }

func (n names) authorities(ctx context.Context, zone string) (servers []server, err error) {
	answer, err := n.resolve(ctx, zone, dns.TypeNS)
	if err != nil {
		return nil, err
	}
	for _, ns := range pick[*dns.NS](answer, zone) {
		name := strings.TrimSuffix(ns.Ns, ".")
		for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
			answer, err := n.resolve(ctx, name, kind)
			if err != nil {
				continue // The other servers are enough.
			}
			for _, a := range pick[*dns.A](answer, name) {
				servers = append(servers, server{name, net.JoinHostPort(a.A.String(), n.port)})
			}
			for _, a := range pick[*dns.AAAA](answer, name) {
				servers = append(servers, server{name, net.JoinHostPort(a.AAAA.String(), n.port)})
			}
		}
	}
	if len(servers) == 0 {
		return nil, fmt.Errorf("no name server of the zone %s has an address", zone)
	}
	return servers, nil
}

// resolve asks the resolvers in order, each twice.
func (n names) resolve(ctx context.Context, name string, kind uint16) (answer *dns.Msg, err error) {
	resolvers := n.resolvers
	if len(resolvers) == 0 {
		system, err := dns.ClientConfigFromFile("/etc/resolv.conf")
		if err != nil {
			return nil, fmt.Errorf("the system's resolvers: %w", err)
		}
		for _, host := range system.Servers {
			resolvers = append(resolvers, net.JoinHostPort(host, system.Port))
		}
	}
	err = errors.New("/etc/resolv.conf names none")
	for range 2 {
		for _, resolver := range resolvers {
			if answer, err = exchange(ctx, resolver, question(name, kind, true)); err == nil {
				return answer, nil
			}
		}
	}
	return nil, fmt.Errorf("the system's resolvers: %s of %s: %w", dns.TypeToString[kind], name, err)
}

func question(name string, kind uint16, recursive bool) *dns.Msg {
	q := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind).SetEdns0(1232, false)
	q.RecursionDesired = recursive
	return q
}

// exchange returns a server's answer about a name. A name that does not exist is not an error.
func exchange(ctx context.Context, address string, q *dns.Msg) (*dns.Msg, error) {
	answer, _, err := (&dns.Client{Timeout: 3 * time.Second}).ExchangeContext(ctx, q, address)
	if err == nil && answer.Truncated {
		answer, _, err = (&dns.Client{Net: "tcp", Timeout: 3 * time.Second}).ExchangeContext(ctx, q, address)
	}
	if err != nil {
		return nil, err
	}
	if answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return nil, fmt.Errorf("%s answers %s", address, dns.RcodeToString[answer.Rcode])
	}
	return answer, nil
}

// pick returns the records of one type that a name has.
func pick[T dns.RR](answer *dns.Msg, name string) (found []T) {
	for _, rr := range answer.Answer {
		if one, ok := rr.(T); ok && strings.EqualFold(rr.Header().Name, dns.Fqdn(name)) {
			found = append(found, one)
		}
	}
	return found
}
