package link

import (
	"net/http"
	"strings"

	"airstrip/internal/fault"
	"airstrip/internal/link"
)

// legacyFormats maps each value of the legacy parameter list to a client_type, and to whether only nodes are written.
var legacyFormats = map[string]struct {
	clientType string
	nodesOnly  bool
}{
	"ss": {"SIP002", false}, "ssa": {"SIP008", false}, "ssd": {"SSD", false}, "ssr": {
		"SSR",
		false,
	}, "v2rayn": {"V2Ray", false},
	"kitsunebi": {"Mixed", false}, "shadowrocket": {"Shadowrocket", false},
	"clash": {"Clash", false}, "clash_provider": {"Clash", true}, "clashr": {
		"ClashR",
		false,
	}, "clashr_provider": {"ClashR", true},
	"surge": {"Surge4", false}, "surfboard": {"Surfboard", false},
	"quantumult": {"Quantumult", false}, "quantumult_conf": {"Quantumult", false}, "quantumult_sub": {
		"Quantumult",
		true,
	}, "quantumultx": {"QuantumultX", false},
}

// The legacy switches, of which the first one set counts, and the numbers of sub and mu.
var (
	oldSwitches = []struct{ name, clientType string }{
		{"surge", "Surge4"},
		{"quantumult", "Quantumult"},
		{"quantumultx", "QuantumultX"},
		{"ssd", "SSD"},
		{"clash", "Clash"},
	}
	oldSub = map[string]string{"1": "SSR", "2": "SIP002", "3": "V2Ray", "4": "Trojan"}
	oldMu  = map[string]string{"0": "SSR", "1": "SSR", "2": "V2Ray", "3": "SSD", "4": "Clash"}
)

// readLegacy parses the parameters of /link/{token}: list, otherwise a switch, otherwise sub, otherwise mu selects the
// client. Without any of them the headers do.
func readLegacy(r *http.Request) (link.Request, fileName, error) {
	p := parameters{Values: r.URL.Query()}
	req := p.request(r)
	req.Extend = p.flag("extend")
	if req.Extend == nil {
		req.Extend = new(false)
	}
	req.ClientType, req.NodesOnly = p.oldClient()
	return req, fileName{base: clean("")}, p.err()
}

func (p *parameters) oldClient() (clientType string, nodesOnly bool) {
	list := p.Get("list")
	asked, known := legacyFormats[strings.ToLower(list)]
	numbered := func(name string, clients map[string]string) string {
		if text := p.Get(name); text != "" && clients[text] == "" {
			p.refuse(name, "choice", fault.Text{ZH: name + " 没有这个取值", EN: "There is no such value of " + name})
		}
		return clients[p.Get(name)]
	}
	if list != "" && list != "sub" && !known {
		p.refuse("list", "choice", fault.Text{ZH: "没有这种列表", EN: "There is no such list"})
	}
	sub, mu, switched := numbered("sub", oldSub), numbered("mu", oldMu), ""
	for _, s := range oldSwitches {
		if on := p.flag(s.name); on != nil && *on && switched == "" {
			switched = s.clientType
		}
	}
	switch {
	case known:
		return asked.clientType, asked.nodesOnly
	case switched != "":
		return switched, false
	case sub != "":
		return sub, false
	}
	return mu, false
}
