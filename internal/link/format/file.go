package format

import (
	"strconv"
	"strings"

	"airstrip/internal/node"
)

// Options say how to write a file.
type Options struct {
	Client    Client
	NodesOnly bool     // for clients that keep their own rules: no groups, rules or DNS
	Flags     bool     // put the flag of its country before each node's name
	Notices   []string // entries that lead nowhere and only say something, before the nodes
	Status    string   // the STATUS line of clients that show one
}

// File is what a client gets.
type File struct {
	Body    []byte
	Type    string // Content-Type
	Suffix  string // of the file's name
	Nodes   int    // written
	LeftOut int    // of the proxies given, those that this client can't speak
}

// The names that every file's groups have.
const (
	groupAll    = "PROXY"
	groupAuto   = "AUTO"
	groupDirect = "DIRECT"
)

// reserved are names that clients or our own groups have taken.
var reserved = []string{groupAll, groupAuto, groupDirect, "REJECT", "REJECT-DROP", "PASS", "GLOBAL", "COMPATIBLE", "DNS", "BLOCK", "direct", "block", "dns"}

// Render writes the proxies for the client. Where it can speak none, and there are no notices, one notice says so: a file
// without any entry is refused by many.
func Render(proxies []Proxy, o Options) File {
	taken := names{}
	for _, name := range reserved {
		taken[name] = true
	}
	var usable []Proxy
	for _, p := range proxies {
		if speaks(o.Client.Dialect, o.Client.Version, &p) {
			usable = append(usable, p)
		}
	}
	left := len(proxies) - len(usable)
	notices := o.Notices
	if len(usable)+len(notices) == 0 {
		notices = []string{"没有此客户端可用的节点 No node for this client"}
	}
	entries := make([]Proxy, 0, len(notices)+len(usable))
	for _, text := range notices {
		p := dummy(o.Client.Dialect)
		p.Name = taken.take(clean(text))
		entries = append(entries, p)
	}
	for _, p := range usable {
		p.Name = clean(p.Name)
		if f := flag(p.Country); o.Flags && !o.Client.NoFlags && !flagged(p.Name) {
			p.Name = strings.TrimSpace(f + " " + p.Name)
		}
		p.Name = taken.take(p.Name)
		entries = append(entries, p)
	}
	c := content{o, entries, len(notices), left}
	f := File{Nodes: len(usable), LeftOut: left}
	switch o.Client.Dialect {
	case ClashYAML, ClashMetaYAML, StashYAML:
		f.Body, f.Type, f.Suffix = clash(c), "text/yaml; charset=utf-8", "yaml"
	case SingBoxJSON:
		f.Body, f.Type, f.Suffix = singBox(c), "application/json; charset=utf-8", "json"
	case SIP008JSON:
		f.Body, f.Type, f.Suffix = sip008(c), "application/json; charset=utf-8", "json"
	case OutlineJSON:
		f.Body, f.Type, f.Suffix = outline(c), "application/json; charset=utf-8", "json"
	default:
		f.Body, f.Type, f.Suffix = uriList(c), "text/plain; charset=utf-8", "txt"
	}
	return f
}

// content is what a format writes: at least one entry, their names unique.
type content struct {
	Options
	entries []Proxy
	notices int // how many entries at the start are notices
	left    int
}

// all gives the names of all entries.
func (c content) all() []string {
	out := make([]string, len(c.entries))
	for i := range c.entries {
		out[i] = c.entries[i].Name
	}
	return out
}

// nodes gives the names of the entries that lead somewhere, or of all where none does, so that no group is empty.
func (c content) nodes() []string {
	if all := c.all(); len(all) > c.notices {
		return all[c.notices:]
	} else {
		return all
	}
}

func (c content) leftOutComment() string {
	if c.left == 0 {
		return ""
	}
	return "# " + strconv.Itoa(c.left) + " 个节点因客户端不支持而未列出 / nodes left out that this client can't use\n"
}

// dummy is an entry that visibly leads nowhere, of a protocol that every client of the dialect takes.
func dummy(d Dialect) Proxy {
	p := Proxy{Address: "127.0.0.1", Port: 1, Transport: "tcp", Security: "none", Country: "ZZ"}
	switch d {
	case TrojanURI:
		p.Protocol, p.Password, p.Security, p.ServerName = node.Trojan, "notice", "tls", "notice.invalid"
	case V2RayURI:
		p.Protocol, p.UUID = node.VMess, "00000000-0000-0000-0000-000000000000"
	default:
		p.Protocol, p.Method, p.Password = node.Shadowsocks, "aes-128-gcm", "notice"
	}
	return p
}
