package link_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
)

// formats lists every value of client_type, the media type of its answer, and a text that only its format contains.
var formats = []struct{ clientType, media, has string }{
	{"Mixed", "text/plain", ""},
	{"Clash", "text/yaml", "proxy-groups:"},
	{"ClashR", "text/yaml", "proxy-groups:"},
	{"ClashMeta", "text/yaml", `"type":"vless"`},
	{"Stash", "text/yaml", `"auth":`},
	{"Egern", "text/yaml", "policy_groups:"},
	{"SingBox", "application/json", `"default_domain_resolver"`},
	{"XrayJson", "application/json", `"realitySettings"`},
	{"SIP008", "application/json", `"servers"`},
	{"Outline", "application/json", `"server_port"`},
	{"SIP002", "text/plain", ""},
	{"SSR", "text/plain", ""},
	{"SSD", "text/plain", "ssd://"},
	{"V2Ray", "text/plain", ""},
	{"Trojan", "text/plain", ""},
	{"Shadowrocket", "text/plain", ""},
	{"NodeList", "text/plain", "vless://"},
	{"Quantumult", "text/plain", ""},
	{"QuantumultX", "text/plain", "reality-hex-shortid="},
	{"Loon", "text/plain", "= VLESS,"},
	{"Mellow", "text/plain", "[RoutingRule]"},
	{"Surfboard", "text/plain", "[Proxy Group]"},
	{"Surge2", "text/plain", "#!MANAGED-CONFIG"},
	{"Surge3", "text/plain", "#!MANAGED-CONFIG"},
	{"Surge4", "text/plain", "#!MANAGED-CONFIG"},
	{"Surge5", "text/plain", "= hysteria2,"},
	{"Surge6", "text/plain", "= vless,"},
}

func TestFetch_EveryClientType_AnswersItsFormat(t *testing.T) {
	s := open(t, dbtest.SQLite(t))
	for _, f := range formats {
		for _, spelled := range []string{f.clientType, strings.ToLower(f.clientType), strings.ToUpper(f.clientType)} {
			w := s.get("client_type=" + spelled)
			body := w.Body.String()
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), f.media+";") ||
				!strings.Contains(body, f.has) || w.Header().Get("X-Nodes-Left-Out") == "" {
				t.Errorf("%s: %d %v\n%s", spelled, w.Code, w.Header(), body)
			}
			if _, err := base64.StdEncoding.DecodeString(body); f.has == "" && err != nil {
				t.Errorf("%s is not in base64: %s", spelled, body)
			}
		}
	}
}

func TestManagedProfile_NamesItsAddress_IgnoresHostHeader(t *testing.T) {
	each(t, func(s *site) {
		first := func(query, host string) string {
			r := httptest.NewRequest(http.MethodGet, "/link2/"+s.token+"?"+query, nil)
			r.Host = host
			r.Header.Set("X-Forwarded-Host", host)
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			line, _, _ := strings.Cut(w.Body.String(), "\n")
			return line
		}
		base := "#!MANAGED-CONFIG https://site.example.com/link2/" + s.token
		for query, want := range map[string]string{
			"client_type=Surge4":                                               "?client_type=Surge4",
			"client_type=surge5&is_remark_emoji=false":                         "?client_type=surge5&is_remark_emoji=false",
			"client_type=Surge5&evil=%0a%23!x&vpn_type=vmess&is_node_extend=1": "?client_type=Surge5&is_node_extend=true&vpn_type=vmess",
		} {
			if got := first(query, "evil.example.org"); got != base+want+" interval=43200 strict=false" {
				s.Errorf("%s: %s", query, got)
			}
		}
		s.set("link_urls", []string{"https://link.example.net"})
		s.set("link_update_hours", 6)
		if got := first("client_type=Surfboard", "x"); got != "#!MANAGED-CONFIG https://link.example.net/link2/"+
			s.token+"?client_type=Surfboard interval=21600 strict=false" {
			s.Error(got)
		}
	})
}

func TestSSD_ContainsTraffic(t *testing.T) {
	each(t, func(s *site) {
		text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.get("client_type=SSD").Body.String(),
			"ssd://"))
		if err != nil || !strings.Contains(string(text), `"traffic_total":100`) ||
			strings.Contains(string(text), "剩余流量") {
			s.Errorf("%v %s", err, text)
		}
	})
}
