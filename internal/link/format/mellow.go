package format

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"airstrip/internal/node"
)

// mellow writes a complete configuration. Its groups use the fastest of their members, which colons separate.
func mellow(c content) []byte {
	var b bytes.Buffer
	b.WriteString(c.leftOutComment("; "))
	b.WriteString("[Endpoint]\n" + groupDirect + ", builtin, freedom, domainStrategy=UseIP\n" + groupBlock +
		", builtin, blackhole\nDNS, builtin, dns\n")
	for i := range c.entries {
		p := &c.entries[i]
		b.WriteString(p.Name + ", " + mellowEndpoint(p) + "\n")
	}
	if c.NodesOnly {
		return b.Bytes()
	}
	b.WriteString("\n[EndpointGroup]\n")
	fmt.Fprintf(&b, "%s, %s, latency, interval=%d, timeout=6\n", groupAll, strings.Join(c.nodes(), ":"),
		c.Template.Probe.Seconds)
	b.WriteString("\n[RoutingRule]\n")
	for _, r := range c.Template.routes(nil) {
		to := r.to
		if to != groupDirect && to != groupBlock {
			to = groupAll // There is nothing to select from.
		}
		if r.suffix != "" {
			b.WriteString("DOMAIN-SUFFIX, " + r.suffix + ", " + to + "\n")
		} else {
			b.WriteString("IP-CIDR, " + r.network + ", " + to + "\n")
		}
	}
	b.WriteString("FINAL, " + groupAll +
		"\n\n[RoutingDomainStrategy]\nIPIfNonMatch\n\n[Dns]\nhijack = DNS\n\n[DnsServer]\n")
	b.WriteString(c.Template.DNS.Remote + "\n" + strings.Join(c.Template.DNS.Near, "\n") +
		"\n\n[Log]\nloglevel = warning\n")
	return b.Bytes()
}

func mellowEndpoint(p *Proxy) string {
	if p.Protocol == node.Shadowsocks {
		return "ss, ss://" + base64.RawURLEncoding.EncodeToString([]byte(p.Method+":"+p.Password)) + "@" + p.hostPort()
	}
	path := ""
	params := []param{{"network", p.Transport}}
	if p.Transport == "ws" {
		path = urlPath(p.Path)
		params = append(params, param{"ws.host", p.Host})
	}
	if p.secured() {
		params = append(params, param{"tls", "true"}, param{"tls.servername", p.ServerName})
	}
	return "vmess1, vmess1://" + p.UUID + "@" + p.hostPort() + path + "?" + encode(params)
}
