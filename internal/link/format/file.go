package format

import (
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/node"
)

// Options say how to write a file.
type Options struct {
	Client    Client
	NodesOnly bool       // For clients with their own rules: no groups, rules or DNS.
	Flags     bool       // Add the flag of its country before each node's name.
	Notices   []string   // Entries that lead nowhere and carry information, before the nodes.
	Status    string     // The STATUS line of clients that show one.
	Title     string     // Name of the service, for formats that contain it.
	URL       string     // Address of this file, for Managed clients.
	Hours     int        // Interval at which clients should fetch it again.
	Usage     Usage      // For clients that show it from the file.
	Template  *Template  // nil for Plain.
	Lang      fault.Lang // Language of the notices that Render adds.
}

// Usage is a user's traffic and expiry.
type Usage struct {
	Used, Total int64  // In bytes; a Total of 0 means unlimited.
	Expires     string // A date, empty for no expiry.
}

// File is a rendered file.
type File struct {
	Body    []byte
	Type    string // Content-Type.
	Suffix  string // Suffix of the file name.
	Nodes   int    // Number of nodes written.
	LeftOut int    // Number of proxies that this client does not support.
}

// Names of the groups of every file.
const (
	groupAll    = "PROXY"
	groupAuto   = "AUTO"
	groupDirect = "DIRECT"
	groupBlock  = "REJECT"
)

// reserved are names that clients or built-in groups use, in any case.
var reserved = []string{
	groupAll, groupAuto, groupDirect, groupBlock, "REJECT-DROP", "REJECT-NO-DROP", "REJECT-TINYGIF", "REJECT-IMG",
	"PASS", "GLOBAL", "COMPATIBLE", "CELLULAR",
	"HYBRID", "DNS", "BLOCK",
}

// noNode is the notice of a file without nodes.
var noNode = fault.Text{ZH: "没有此客户端可用的节点", EN: "No node for this client"}

// leftOut says how many nodes are not in a file.
var leftOut = fault.Text{
	ZH: " 个节点因客户端不支持而未列出", EN: " nodes left out that this client can't use",
}

// Render writes the proxies for the client. If it supports none of them, or there would be no entry at all, a notice
// says so: many clients refuse an empty file.
func Render(proxies []Proxy, o Options) File {
	d, taken := dialects[o.Client.Dialect], names{}
	for _, name := range reserved {
		taken.unique(name)
	}
	if o.Template == nil {
		o.Template = Plain
	}
	for _, g := range o.Template.Groups {
		taken.unique(g.Name)
	}
	usable := make([]*Proxy, 0, len(proxies))
	for i := range proxies {
		if o.Client.speaks(&proxies[i]) {
			usable = append(usable, &proxies[i])
		}
	}
	if d.single && len(usable) > 1 {
		usable = usable[:1]
	}
	left := len(proxies) - len(usable)
	notices := o.Notices
	if len(usable) == 0 && (len(proxies) > 0 || len(notices) == 0) {
		notices = append(slices.Clone(notices), noNode.In(o.Lang))
	}
	entries := make([]Proxy, 0, len(notices)+len(usable))
	for _, text := range notices {
		p := notice(d.notice)
		p.Name = taken.unique(fullWidth(clean(text), d.wide))
		entries = append(entries, p)
	}
	for _, p := range usable {
		name := clean(p.Name)
		if f := flag(p.Country); o.Flags && !o.Client.NoFlags && !flagged(name) {
			name = strings.TrimSpace(f + " " + name)
		}
		entries = append(entries, *p)
		entries[len(entries)-1].Name = taken.unique(fullWidth(name, d.wide))
	}
	body := d.write(content{o, entries, len(notices), left})
	return File{Body: body, Type: d.media, Suffix: d.suffix, Nodes: len(usable), LeftOut: left}
}

// content is what a format writes: at least one entry, with unique names.
type content struct {
	Options
	entries []Proxy
	notices int // How many of the first entries are notices.
	left    int
}

// all returns the names of all entries.
func (c content) all() []string {
	out := make([]string, len(c.entries))
	for i := range c.entries {
		out[i] = c.entries[i].Name
	}
	return out
}

// nodes returns the names of the nodes, or of all entries if there are none, so that no group is empty.
func (c content) nodes() []string {
	if all := c.all(); len(all) > c.notices {
		return all[c.notices:]
	} else {
		return all
	}
}

// choices are the members of the group that the user selects from.
func (c content) choices() []string {
	out := []string{groupAuto}
	for _, g := range c.Template.Groups {
		if g.Kind == "auto" {
			out = append(out, g.Name)
		}
	}
	return append(append(out, c.all()...), groupDirect)
}

// group is a choice among its members, made by the user or, with auto, by the client according to their latency.
type group struct {
	name    string
	auto    bool
	members []string
}

// groups returns the groups of every file, then those of the template.
func (c content) groups() []group {
	nodes := c.nodes()
	out := []group{{groupAll, false, c.choices()}, {groupAuto, true, nodes}}
	for _, g := range c.Template.Groups {
		members := g.members(nodes)
		if g.Kind != "auto" {
			members = append([]string{groupAll, groupDirect}, members...)
		}
		out = append(out, group{g.Name, g.Kind == "auto", members})
	}
	return out
}

// leftOutComment says how many nodes were left out. sign begins a comment.
func (c content) leftOutComment(sign string) string {
	if c.left == 0 {
		return ""
	}
	return sign + strconv.Itoa(c.left) + leftOut.In(c.Lang) + "\n"
}

// notice returns an entry of a protocol that visibly leads nowhere.
func notice(protocol node.Protocol) Proxy {
	p := Proxy{Protocol: protocol, Address: "127.0.0.1", Port: 1, Transport: "tcp", Security: "none", Country: "ZZ"}
	switch protocol {
	case node.Trojan:
		p.Password, p.Security, p.ServerName = "notice", "tls", "notice.invalid"
	case node.VMess:
		p.UUID = "00000000-0000-0000-0000-000000000000"
	case node.Shadowsocks:
		p.Method, p.Password = "aes-128-gcm", "notice"
	}
	return p
}
