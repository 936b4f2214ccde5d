package format

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// template merges the documents over the built-in one.
func template(t *testing.T, documents ...string) *Template {
	t.Helper()
	raw := make([]json.RawMessage, len(documents))
	for i, d := range documents {
		raw[i] = json.RawMessage(d)
	}
	out, err := NewTemplate(raw...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func profile(t *testing.T, tpl *Template) (out struct {
	Port   int  `yaml:"mixed-port"`
	IPv6   bool `yaml:"ipv6"`
	DNS    struct{ Nameserver []string }
	Groups []struct {
		Name, Type string
		Proxies    []string
	} `yaml:"proxy-groups"`
	Providers map[string]struct{ URL, Proxy string } `yaml:"rule-providers"`
	Rules     []string
},
) {
	t.Helper()
	body := Render(Sample(), Options{Client: Client{Dialect: ClashMetaYAML}, Template: tpl}).Body
	if err := yaml.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return out
}

func TestTemplate_DocumentsAreMergedInOrder(t *testing.T) {
	tpl := template(t,
		`{"proxied": {"suffixes": ["docs.cn"]}, "dns": {"secure": ["https://a.example/q"]}, "clash": {"mixed-port": 1080, "mode": "global", "dns": {"ipv6": true}}}`,
		`{"direct": {"suffixes": []}, "clash": {"ipv6": true, "mode": null, "dns": {"fake-ip-filter": ["x"]}}}`,
	)
	if p := tpl.Check(); p != nil {
		t.Fatalf("%+v", p)
	}
	got := profile(t, tpl)
	if got.Port != 1080 || !got.IPv6 || len(got.DNS.Nameserver) != 1 || got.DNS.Nameserver[0] != "https://a.example/q" {
		t.Errorf("%+v", got)
	}
	rules := strings.Join(got.Rules, "\n")
	if !strings.HasPrefix(rules, "DOMAIN-SUFFIX,docs.cn,PROXY\nIP-CIDR,127.0.0.0/8,DIRECT,no-resolve") ||
		strings.Contains(rules, "DOMAIN-SUFFIX,cn,") {
		t.Error(rules)
	}
	body := string(Render(Sample(), Options{Client: Client{Dialect: ClashMetaYAML}, Template: tpl}).Body)
	if !strings.Contains(body, `mode: "rule"`) || !strings.Contains(body, `"fake-ip-filter":["x"]`) ||
		!strings.Contains(body, `"ipv6":true`) {
		t.Error(body)
	}
}

func TestRules_NoneBasicOrFull(t *testing.T) {
	for set, want := range map[string]int{
		"none":  1,
		"basic": len(Plain.Direct.Suffixes) + len(Plain.Direct.Networks) + 1, "full": len(Plain.Direct.Suffixes) +
			len(Plain.Direct.Networks) + 4,
	} {
		tpl := template(t, `{"rules": "`+set+`", "files": "https://mirror.example/{repo}@{branch}/{file}"}`)
		if p := tpl.Check(); p != nil {
			t.Fatalf("%s: %+v", set, p)
		}
		got := profile(t, tpl)
		if len(got.Rules) != want || got.Rules[len(got.Rules)-1] != "MATCH,PROXY" {
			t.Errorf("%s: %q", set, got.Rules)
		}
		if set == "full" && (got.Providers["ads"].URL != "https://mirror.example/Loyalsoldier/clash-rules@release/reject.txt" || got.Providers["ads"].Proxy != "PROXY") {
			t.Errorf("%+v", got.Providers)
		}
	}
}

func TestGroups_AreInEveryFormat(t *testing.T) {
	tpl := template(t, `{"groups": [{"name": "流媒体", "kind": "auto", "include": "香港|日本", "suffixes": ["video.example"]}, {"name": "工作", "kind": "select", "include": "nothing", "networks": ["192.0.2.0/24"]}], "blocked": {"suffixes": ["ads.example"]}}`)
	if p := tpl.Check(); p != nil {
		t.Fatalf("%+v", p)
	}
	got := profile(t, tpl)
	if g := got.Groups[2]; g.Name != "流媒体" || g.Type != "url-test" || strings.Join(g.Proxies, " ") != "香港 01 日本 01" {
		t.Errorf("%+v", g)
	}
	if g := got.Groups[3]; g.Type != "select" || len(g.Proxies) != 2+7 {
		t.Errorf("a group that no node matches has %q", g.Proxies)
	}
	for dialect, want := range map[Dialect][]string{
		SurgeConf: {
			"流媒体 = url-test, 香港 01, 日本 01,", "DOMAIN-SUFFIX,video.example,流媒体",
			"DOMAIN-SUFFIX,ads.example,REJECT",
		},
		SingBoxJSON: {`"tag":"流媒体"`, `"video.example"`, `"action":"reject"`},
		EgernYAML:   {`"name":"流媒体"`, `"match":"video.example","policy":"流媒体"`},
		XrayJSON: {
			`"domain":["domain:ads.example"],"outboundTag":"block"`,
			`"domain":["domain:video.example"],"outboundTag":"proxy"`,
		},
		MellowConf: {"DOMAIN-SUFFIX, ads.example, REJECT", "DOMAIN-SUFFIX, video.example, PROXY"},
		StashYAML:  {`"name":"流媒体"`},
		ClashYAML:  {"DOMAIN-SUFFIX,video.example,流媒体"},
	} {
		body := string(Render(Sample(), Options{
			Client:   Client{Dialect: dialect, Version: Version{6}, App: true},
			Template: tpl,
		}).Body)
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%s lacks %q:\n%s", dialect, part, body)
			}
		}
	}
}

func TestTemplate_ClientsWouldRefuse_IsNamed(t *testing.T) {
	for document, key := range map[string]string{
		`{"rules": "all"}`:                                                                           "rules",
		`{"blocked": {"suffixes": ["*.example"]}}`:                                                   "blocked.suffixes",
		`{"direct": {"networks": ["10.0.0.0"]}}`:                                                     "direct.networks",
		`{"dns": {"near": []}}`:                                                                      "dns.near",
		`{"dns": {"remote": "dns.example"}}`:                                                         "dns.remote",
		`{"dns": {"secure": ["https://a, b"]}}`:                                                      "dns.secure",
		`{"probe": {"url": "https://x\nrules:"}}`:                                                    "probe.url",
		`{"probe": {"seconds": 1}}`:                                                                  "probe.seconds",
		`{"files": "http://mirror.example/{file}"}`:                                                  "files",
		`{"groups": [{"name": "auto", "kind": "select"}]}`:                                           "groups[0].name",
		`{"groups": [{"name": "a, b", "kind": "select"}]}`:                                           "groups[0].name",
		`{"groups": [{"name": "A", "kind": "x"}]}`:                                                   "groups[0].kind",
		`{"groups": [{"name": "A", "kind": "auto", "include": "("}]}`:                                "groups[0].include",
		`{"clash": {"proxies": []}}`:                                                                 "clash.proxies",
		`{"sing_box": {"outbounds": []}}`:                                                            "sing_box.outbounds",
		`{"clash": {"rules": ["MATCH,Nowhere"]}}`:                                                    "clash",
		`{"clash": {"proxy-groups": [{"name": "PROXY", "type": "select", "proxies": []}]}}`:          "clash",
		`{"stash": {"rules": ["RULE-SET,none,DIRECT"]}}`:                                             "stash",
		`{"clash": {"rules": "MATCH,PROXY"}}`:                                                        "clash.rules",
		`{"clash": {"dns": ["1.1.1.1"]}}`:                                                            "clash.dns",
		`{"stash": {"mode": {"rule": true}}}`:                                                        "stash.mode",
		`{"stash": {"dns": {"nameserver": "1.1.1.1"}}}`:                                              "stash.dns.nameserver",
		`{"egern": {"rules": {"default": "PROXY"}}}`:                                                 "egern.rules",
		`{"sing_box": {"inbounds": {"type": "tun"}}}`:                                                "sing_box.inbounds",
		`{"sing_box": {"route": {"rules": "none"}}}`:                                                 "sing_box.route.rules",
		`{"xray": {"routing": {"rules": {}}}}`:                                                       "xray.routing.rules",
		`{"sing_box": {"route": {"final": "nowhere"}}}`:                                              "sing_box",
		`{"xray": {"routing": {"rules": [{"type": "field", "outboundTag": "nowhere", "port": 1}]}}}`: "xray",
	} {
		if p := template(t, document).Check(); p == nil || p.Key != key || p.ZH == "" || p.EN == "" {
			t.Errorf("%s: %+v, want %s", document, p, key)
		}
	}
	for _, document := range []string{`[]`, `{"nonsense": 1}`, `{"dns": 5}`, `{`} {
		if _, err := NewTemplate(json.RawMessage(document)); err == nil {
			t.Errorf("%s was taken", document)
		}
	}
}

// A problem that only the schema finds is reported with its location and the violated rule.
func TestTemplate_IsCheckedAgainstPublishedSchema(t *testing.T) {
	if p := Plain.CheckPublished(); p != nil {
		t.Fatalf("%+v", p)
	}
	fine := template(t, `{"rules": "full", "groups": [{"name": "A", "kind": "auto"}], "clash": {"mode": "global", "dns": {"ipv6": true}, "tun": {"enable": true, "stack": "mixed"},
		"rule-providers": {"ads": {"interval": 3600}}, "rules": ["DOMAIN-WILDCARD,*.example.com,DIRECT", "AND,((NETWORK,UDP),(DST-PORT,443)),REJECT", "MATCH,A"]},
		"sing_box": {"experimental": {"cache_file": {"enabled": true}}, "route": {"rule_set": [{"type": "remote", "tag": "x", "format": "binary", "url": "https://x.example/x.srs", "download_detour": "PROXY"}]}}}`)
	if p := fine.CheckPublished(); p != nil {
		t.Fatalf("%+v", p)
	}
	for document, want := range map[string]struct{ key, rule string }{
		`{"clash": {"mixed-port": 70000}}`: {
			"clash.mixed-port",
			"(maximum): maximum: got 70,000, want 65,535",
		},
		`{"clash": {"mode": "fast"}}`: {
			"clash.mode",
			"(enum): value must be one of 'global', 'rule', 'direct'",
		},
		`{"clash": {"dns": {"enable": "yes"}}}`: {
			"clash.dns.enable",
			"(type): got string, want boolean",
		},
		`{"clash": {"rules": ["DOMAIN-FOO,a,DIRECT"]}}`:           {"clash.rules[0]", "forms that are known fits"},
		`{"clash": {"dns": {"fake-ip-filter-mode": "greylist"}}}`: {"clash.dns.fake-ip-filter-mode", "(enum)"},
		`{"clash": {"proxy-groups": [{"name": "PROXY", "type": "select", "proxies": ["DIRECT"]}, {"name": "AUTO", "type": "url-test", "proxies": ["DIRECT"], "interval": "soon"}]}}`: {
			"clash.proxy-groups[1].interval", "(pattern): 'soon' does not match pattern",
		},
		`{"clash": {"proxy-groups": [{"name": "PROXY", "type": "roulette", "proxies": ["DIRECT"]}]}}`: {"clash.proxy-groups[0].type", "(enum): value must be one of 'select', 'url-test'"},

		`{"sing_box": {"log": {"levl": "info"}}}`: {
			"sing_box.log",
			"additional properties 'levl' not allowed",
		},
		`{"sing_box": {"log": {"level": "loud"}}}`:                                                {"sing_box.log.level", "(enum): value must be one of 'trace'"},
		`{"sing_box": {"dns": {"servers": [{"tag": "remote", "address": "https://1.1.1.1"}]}}}`:   {"sing_box.dns.servers[0]", "additional properties 'address' not allowed"},
		`{"sing_box": {"inbounds": [{"type": "tun", "inet4_address": "172.19.0.1/30"}]}}`:         {"sing_box.inbounds[0]", "additional properties 'inet4_address' not allowed"},
		`{"sing_box": {"route": {"rules": [{"domain_sufix": ["a.com"], "outbound": "DIRECT"}]}}}`: {"sing_box.route.rules[0]", "domain_sufix"},
		`{"sing_box": {"route": {"auto_detect_interface": "yes"}}}`:                               {"sing_box.route.auto_detect_interface", "(type): got string, want boolean"},
	} {
		for range 5 { // Always the same one.
			if p := template(t, document).CheckPublished(); p == nil || !strings.HasPrefix(p.Key, want.key) ||
				!strings.Contains(p.Key+p.EN, want.rule) || !strings.Contains(p.EN, "published schema") {
				t.Fatalf("%s: %+v, want %v", document, p, want)
			}
		}
	}
}

// No file suits both the cores before 1.12 and later ones, so each has a tree of its own.
func TestTemplate_SingBoxDialects_HaveOwnTrees(t *testing.T) {
	tpl := template(t, `{"sing_box": {"log": {"level": "warn"}}, "sing_box_1_11": {"log": {"level": "debug"}}}`)
	if p := tpl.Check(); p != nil {
		t.Fatalf("%+v", p)
	}
	for version, want := range map[Version]string{
		{}: "warn", {1, 14}: "warn", {1, 12}: "warn", {1, 11, 15}: "debug",
		{1, 7}: "debug",
	} {
		body := string(Render(Sample(), Options{
			Client:   Client{Dialect: SingBoxJSON, Version: version},
			Template: tpl,
		}).Body)
		if !strings.Contains(body, `"level": "`+want+`"`) {
			t.Errorf("%s: not %s:\n%s", version, want, body)
		}
	}
	if p := template(t, `{"sing_box_1_11": {"route": {"final": "nowhere"}}}`).Check(); p == nil ||
		p.Key != "sing_box_1_11" {
		t.Errorf("%+v", p)
	}
}

// Names that most people in China use include .com names. They need no list that has to be fetched first.
func TestRules_BuiltIn_DomesticNamesAreDirect(t *testing.T) {
	formats := map[Dialect][2]string{ // A rule for a name, and a name with its real address.
		ClashYAML:     {"DOMAIN-SUFFIX,bilibili.com,DIRECT", `"localhost.ptlogin2.qq.com"`},
		ClashMetaYAML: {"DOMAIN-SUFFIX,bilibili.com,DIRECT", `"+.msftconnecttest.com"`},
		StashYAML:     {"DOMAIN-SUFFIX,bilibili.com,DIRECT", `"stun.*.*"`},
		EgernYAML:     {`"match":"bilibili.com","policy":"DIRECT"`, `"*.msftconnecttest.com"`},
		SurgeConf:     {"DOMAIN-SUFFIX,bilibili.com,DIRECT", "*.srv.nintendo.net, "},
		SurfboardConf: {"DOMAIN-SUFFIX,bilibili.com,DIRECT", "time.*.com, "},
		MellowConf:    {"DOMAIN-SUFFIX, bilibili.com, DIRECT"},
		SingBoxJSON:   {`"bilibili.com"`},
		XrayJSON:      {`"domain:bilibili.com"`},
	}
	for dialect, wants := range formats {
		for _, set := range []string{"basic", "full"} {
			c := Client{Dialect: dialect, Version: Version{6}, App: true}
			body := string(Render(Sample(), Options{Client: c, Template: template(t, `{"rules": "`+set+`"}`)}).Body)
			for _, want := range wants {
				if !strings.Contains(body, want) {
					t.Errorf("%s lacks %s:\n%s", dialect, want, body)
				}
			}
		}
	}
	for _, name := range []string{
		"baidu.com", "taobao.com", "qq.com", "163.com", "jd.com", "zhihu.com", "weibo.com",
		"douyin.com", "alipay.com",
	} {
		if !slices.Contains(Plain.Direct.Suffixes, name) {
			t.Errorf("%s goes through the node", name)
		}
	}
}

func TestDNS_RealNames_AreThoseOfTemplate(t *testing.T) {
	tpl := template(t, `{"dns": {"real": ["+.game.example", "x.*.example"]}}`)
	if p := tpl.Check(); p != nil {
		t.Fatalf("%+v", p)
	}
	for dialect, want := range map[Dialect]string{
		ClashMetaYAML: `"fake-ip-filter":["+.game.example","x.*.example"]`,
		SurgeConf:     "\nalways-real-ip = game.example, *.game.example, x.*.example\n",
	} {
		body := string(Render(Sample(), Options{
			Client:   Client{Dialect: dialect, Version: Version{5}},
			Template: tpl,
		}).Body)
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s:\n%s", dialect, want, body)
		}
	}
	for _, name := range []string{"a b", "a,b", "+.", "*.+.a", "a\\nb", ""} {
		if p := template(t, `{"dns": {"real": ["`+name+`"]}}`).Check(); p == nil || p.Key != "dns.real" {
			t.Errorf("%q: %+v", name, p)
		}
	}
}

// A core that cannot fetch a rule set on its first start does not start.
func TestSingBox_FetchesNothing(t *testing.T) {
	tpl := template(t, `{"rules": "full"}`)
	for _, version := range []Version{{}, {1, 7}, {1, 11}, {1, 13, 14}, {1, 14}, {1, 16}} {
		body := string(Render(Sample(), Options{
			Client:   Client{Dialect: SingBoxJSON, Version: version},
			Template: tpl,
		}).Body)
		if strings.Contains(body, "rule_set") || !strings.Contains(body, `"bilibili.com"`) {
			t.Errorf("%s:\n%s", version, body)
		}
	}
}
