package format

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"airstrip/internal/node"
)

// mellow writes a whole configuration; its groups pick the fastest of their members, which a colon parts.
func mellow(c content) []byte {
	var b bytes.Buffer
	b.WriteString(c.leftOutComment("; "))
	b.WriteString("[Endpoint]\n" + groupDirect + ", builtin, freedom, domainStrategy=UseIP\nDNS, builtin, dns\n")
	for i := range c.entries {
		p := &c.entries[i]
		b.WriteString(p.Name + ", " + mellowEndpoint(p) + "\n")
	}
	if c.NodesOnly {
		return b.Bytes()
	}
	b.WriteString("\n[EndpointGroup]\n")
	fmt.Fprintf(&b, "%s, %s, latency, interval=%d, timeout=6\n", groupAll, strings.Join(c.nodes(), ":"), basic.Interval)
	b.WriteString("\n[RoutingRule]\n")
	for _, suffix := range basic.Suffixes {
		b.WriteString("DOMAIN-SUFFIX, " + suffix + ", " + groupDirect + "\n")
	}
	for _, network := range basic.Networks {
		b.WriteString("IP-CIDR, " + network + ", " + groupDirect + "\n")
	}
	b.WriteString("FINAL, " + groupAll + "\n\n[RoutingDomainStrategy]\nIPIfNonMatch\n\n[Dns]\nhijack = DNS\n\n[DnsServer]\n")
	b.WriteString(basic.Remote + "\n" + strings.Join(basic.Resolvers, "\n") + "\n\n[Log]\nloglevel = warning\n")
	return b.Bytes()
}

func mellowEndpoint(p *Proxy) string {
	if p.Protocol == node.Shadowsocks {
		return "ss, ss://" + base64.RawURLEncoding.EncodeToString([]byte(p.Method+":"+p.Password)) + "@" + p.hostPort()
	}
	path := ""
	params := []param{{"network", p.Transport}}
	if p.Transport == "ws" {
		path, _, _ = strings.Cut(urlPath(p.Path), "?") // a second question mark would begin the parameters
		params = append(params, param{"ws.host", p.Host})
	}
	if p.secured() {
		params = append(params, param{"tls", "true"}, param{"tls.servername", p.ServerName})
	}
	return "vmess1, vmess1://" + p.UUID + "@" + p.hostPort() + path + "?" + encode(params)
}
