package link_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestLegacyAddress_Parameters_HaveTheirEffect(t *testing.T) {
	each(t, func(s *site) {
		old := func(query string, headers ...string) *httptest.ResponseRecorder {
			return s.fetch(http.MethodGet, "/link/"+s.token+"?"+query, headers...)
		}
		for query, newer := range map[string]string{
			"":                                 "is_node_extend=false",
			"clash=true":                       "client_type=Clash",
			"list=clash&mu=2":                  "client_type=Clash", // list takes precedence.
			"list=CLASH_PROVIDER":              "client_type=Clash&is_proxy_mode=true",
			"list=shadowrocket":                "client_type=Shadowrocket",
			"list=ss":                          "client_type=SIP002&is_node_extend=false",
			"sub=3":                            "client_type=V2Ray&is_node_extend=false",
			"list=sub&sub=4":                   "client_type=Trojan&is_node_extend=false",
			"mu=4&extend=false":                "client_type=Clash",
			"mu=2&extend=true":                 "client_type=V2Ray&is_node_extend=true",
			"list=v2rayn&is_remark_emoji=0":    "client_type=V2Ray&is_remark_emoji=0&is_node_extend=false",
			"surge=false&list=kitsunebi&sub=1": "client_type=Mixed&is_node_extend=false",
		} {
			got, want := old(query), s.get(newer)
			if got.Code != 200 || got.Body.String() != want.Body.String() {
				s.Errorf("%q: %d\n%s\nwant\n%s", query, got.Code, got.Body, want.Body)
			}
		}
		if got, want := old("", "User-Agent", "clash-verge/v2.4.0"),
			s.get("client_type=ClashMeta"); got.Body.String() != want.Body.String() {
			s.Errorf("recognised by its headers: %s", got.Body)
		}
		if got := s.fetch(http.MethodGet, "/v1/link/"+s.token+"/?sub=3"); got.Code != 200 {
			s.Errorf("under /v1: %d", got.Code)
		} else if text, err := base64.StdEncoding.DecodeString(got.Body.String()); err != nil ||
			!strings.Contains(string(text), "vless://") {
			s.Errorf("%s", got.Body)
		}
		for query, field := range map[string]string{
			"list=nonsense": "list", "sub=9": "sub", "mu=x": "mu",
			"clash=perhaps": "clash", "extend=2": "extend", "surge=1&clash=perhaps": "clash",
			"list=clash&ssd=perhaps": "ssd",
		} {
			if got := old(query); got.Code != 422 || !strings.Contains(got.Body.String(), `"field":"`+field+`"`) {
				s.Errorf("%s: %d %s", query, got.Code, got.Body)
			}
		}
		if got, want := s.fetch(http.MethodGet, "/link/unknown?clash=1"), s.fetch(http.MethodGet,
			"/link2/unknown"); got.Code != 404 || got.Body.String() != want.Body.String() {
			s.Errorf("an unknown token: %d %s", got.Code, got.Body)
		}
	})
}
