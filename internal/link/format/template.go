package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Template is what a site decides about its users' files, in terms that every format can express. A format ignores what
// it lacks.
type Template struct {
	Rules   RuleSet `json:"rules"`
	Blocked Match   `json:"blocked"` // Blocked for everybody.
	Proxied Match   `json:"proxied"` // Reached through a node, even if Direct matches.
	Direct  Match   `json:"direct"`  // Reached without a node.
	Groups  []Group `json:"groups"`  // In addition to the two of every file.
	DNS     DNS     `json:"dns"`
	Probe   Probe   `json:"probe"`
	Files   string  `json:"files"` // Address of rule files, with {repo}, {branch} and {file} in it.

	// Trees merged over the file of one format, key by key: objects are merged, other values replaced.
	Clash   map[string]any `json:"clash"`
	Stash   map[string]any `json:"stash"`
	Egern   map[string]any `json:"egern"`
	SingBox map[string]any `json:"sing_box"`      // Since 1.12.
	OldBox  map[string]any `json:"sing_box_1_11"` // Before 1.12, which uses other keys.
	Xray    map[string]any `json:"xray"`
}

// RuleSet selects how many of the usual rules a file has.
type RuleSet string

// The rule sets. Full needs files that clients fetch, which only some formats support; the others use Basic. So does
// sing-box, which does not start if it cannot fetch one.
const (
	NoRules    RuleSet = "none"
	BasicRules RuleSet = "basic" // Proxied, Direct and Blocked of the template.
	FullRules  RuleSet = "full"  // And published lists of advertisers, domains and networks.
)

// Match selects destinations by their names or addresses.
type Match struct {
	Suffixes []string `json:"suffixes"` // A domain with all subdomains.
	Networks []string `json:"networks"` // CIDR
}

// Group is an additional group of nodes with what goes through it.
type Group struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`    // select or auto
	Include string `json:"include"` // RE2 pattern of the names of its nodes; empty for all.
	Match
}

// DNS selects the resolvers.
type DNS struct {
	Near   []string `json:"near"`   // For names that are reached directly, by IP; plain DNS.
	Secure []string `json:"secure"` // The same over HTTPS.
	Remote string   `json:"remote"` // For all other names, by IP, through a node.

	// Names that get their real address from clients that use fake ones. * is one label, and a leading +. means a name
	// with all subdomains.
	Real []string `json:"real"`
}

// Probe is how clients measure the latency of a node.
type Probe struct {
	URL     string `json:"url"`
	Seconds int    `json:"seconds"` // Interval.
}

// Builtin is the template below all others. It needs no rule file and no database, which could not be fetched before
// the proxy works. Its direct names are the most used ones in China that do not end in cn. Names with real addresses
// belong to programs that use the address itself: QQ's local sign-in, clocks, STUN, game consoles, and the online
// checks of operating systems.
const Builtin = `{
	"rules": "basic",
	"blocked": {"suffixes": [], "networks": []},
	"proxied": {"suffixes": [], "networks": []},
	"direct": {
		"suffixes": [
			"local", "lan", "cn",
			"baidu.com", "bdimg.com", "bdstatic.com", "bcebos.com", "baidupcs.com",
			"taobao.com", "tmall.com", "tbcdn.com", "alicdn.com", "alipay.com", "alipayobjects.com",
			"aliyun.com", "aliyuncs.com", "alibaba.com",
			"1688.com", "amap.com", "dingtalk.com", "mmstat.com", "ele.me", "youku.com", "ykimg.com",
			"qq.com", "gtimg.com", "tencent.com", "myqcloud.com", "qcloud.com", "tencent-cloud.net",
			"tenpay.com", "wechat.com", "foxmail.com",
			"bilibili.com", "bilivideo.com", "hdslb.com", "biliapi.com", "biliapi.net", "b23.tv", "acgvideo.com",
			"jd.com", "360buyimg.com", "pinduoduo.com", "yangkeduo.com", "pddpic.com", "meituan.com",
			"meituan.net", "dianping.com", "dpfile.com",
			"163.com", "126.com", "126.net", "127.net", "netease.com", "sina.com", "weibo.com", "sohu.com",
			"sogou.com", "ifeng.com",
			"zhihu.com", "zhimg.com", "douban.com", "doubanio.com", "csdn.net", "gitee.com", "smzdm.com",
			"cnki.net",
			"douyin.com", "douyinpic.com", "douyinvod.com", "douyincdn.com", "douyinstatic.com", "amemv.com",
			"snssdk.com", "bytedance.com",
			"byteimg.com", "bytecdntp.com", "pstatp.com", "toutiao.com", "ixigua.com", "feishu.com", "volces.com",
			"kuaishou.com", "gifshow.com", "yximgs.com", "xiaohongshu.com", "xhscdn.com", "iqiyi.com",
			"iqiyipic.com", "qiyipic.com", "mgtv.com",
			"hitv.com", "ximalaya.com", "xmcdn.com", "kugou.com", "huya.com", "douyu.com", "ctrip.com",
			"qunar.com", "xiaojukeji.com", "didiglobal.com",
			"xiaomi.com", "mi.com", "miui.com", "huawei.com", "hicloud.com", "vivo.com", "oppo.com",
			"heytapmobi.com", "honor.com",
			"360.com", "unionpay.com", "95516.com", "cmbchina.com", "bankcomm.com", "10010.com", "10086.com",
			"189.com"
		],
		"networks": ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "224.0.0.0/4", "::1/128", "fc00::/7", "fe80::/10"]
	},
	"groups": [],
	"dns": {
		"near": ["223.5.5.5", "119.29.29.29"],
		"secure": ["https://dns.alidns.com/dns-query", "https://doh.pub/dns-query"],
		"remote": "1.1.1.1",
		"real": [
			"*.lan", "*.local", "*.localdomain", "*.home.arpa", "localhost",
			"localhost.ptlogin2.qq.com", "localhost.sec.qq.com", "localhost.work.weixin.qq.com",
			"time.*.com", "time.*.gov", "time.*.apple.com", "time.*.edu.cn", "+.time.edu.cn", "time1.*.com",
			"time2.*.com", "time3.*.com", "time4.*.com",
			"ntp.*.com", "ntp.*.org", "ntp1.*.com", "ntp2.*.com", "ntp3.*.com", "+.pool.ntp.org",
			"+.ntp.org.cn", "time.nist.gov",
			"stun.*.*", "stun.*.*.*", "stun.*.*.*.*", "*.stun.*.*", "*.stun.*.*.*",
			"*.srv.nintendo.net", "*.n.n.srv.nintendo.net", "+.stun.playstation.net", "xbox.*.microsoft.com",
			"xbox.*.*.microsoft.com", "+.xboxlive.com",
			"+.battle.net", "+.battlenet.com.cn", "+.wotgame.cn",
			"+.msftconnecttest.com", "+.msftncsi.com", "captive.apple.com", "connectivitycheck.gstatic.com",
			"connectivitycheck.android.com",
			"detectportal.firefox.com", "connect.rom.miui.com", "connectivitycheck.platform.hicloud.com",
			"wifi.vivo.com.cn", "conn1.oppomobile.com"
		]
	},
	"probe": {"url": "https://www.gstatic.com/generate_204", "seconds": 300},
	"files": "https://raw.githubusercontent.com/{repo}/{branch}/{file}"
}`

// Plain is the built-in template alone.
var Plain = mustTemplate()

func mustTemplate() *Template {
	t, err := NewTemplate()
	if err != nil {
		panic(err)
	}
	return t
}

// NewTemplate merges the documents, JSON objects with the keys of Template, over the built-in one in order (RFC 7396):
// null removes an earlier value. The error names an unknown key, or a value of the wrong type.
func NewTemplate(documents ...json.RawMessage) (*Template, error) {
	var whole any
	for _, d := range append([]json.RawMessage{json.RawMessage(Builtin)}, documents...) {
		patch, err := tree(d)
		if err != nil {
			return nil, err
		}
		if _, ok := patch.(map[string]any); !ok {
			return nil, fmt.Errorf("a template is an object")
		}
		whole = merge(whole, patch)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	t := &Template{}
	return t, dec.Decode(t)
}

// tree parses JSON and keeps numbers as they are written.
func tree(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

// merge returns target with patch merged over it (RFC 7396). Neither is modified.
func merge(target, patch any) any {
	over, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	under, _ := target.(map[string]any)
	out := make(map[string]any, len(under)+len(over))
	for k, v := range under {
		out[k] = v
	}
	for k, v := range over {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = merge(out[k], v)
		}
	}
	return out
}

// overlay returns v with patch merged over it, to be encoded as JSON.
func overlay(v any, patch any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // These types can always be encoded.
	}
	t, err := tree(text)
	if err != nil {
		panic(err)
	}
	return merge(t, patch)
}

// route sends destinations of one kind to a target.
type route struct {
	file    *ruleFile // nil for a suffix or network.
	suffix  string
	network string
	to      string // A group, groupDirect or groupBlock.
}

// ruleFile is a list of a third party that clients fetch.
type ruleFile struct {
	name, repo, branch, file string
	domains                  bool // Of names, otherwise of networks.
	to                       string
}

func (f *ruleFile) address(pattern string) string {
	return strings.NewReplacer("{repo}", f.repo, "{branch}", f.branch, "{file}", f.file).Replace(pattern)
}

// routes returns the rules in order; the first match counts. files are those of the format, for the full set. groupAll
// is the target of everything else.
func (t *Template) routes(files []ruleFile) (out []route) {
	if t.Rules == NoRules {
		return nil
	}
	add := func(m Match, to string) {
		for _, s := range m.Suffixes {
			out = append(out, route{suffix: s, to: to})
		}
		for _, n := range m.Networks {
			out = append(out, route{network: n, to: to})
		}
	}
	add(t.Blocked, groupBlock)
	for _, g := range t.Groups {
		add(g.Match, g.Name)
	}
	add(t.Proxied, groupAll)
	add(t.Direct, groupDirect)
	if t.Rules == FullRules {
		for i := range files {
			out = append(out, route{file: &files[i], to: files[i].to})
		}
	}
	return out
}

// groupRoutes splits routes into adjacent ones of one kind with the same target.
func groupRoutes(routes []route) (out [][]route) {
	alike := func(a, b route) bool {
		return a.to == b.to && (a.file != nil) == (b.file != nil) && (a.suffix != "") == (b.suffix != "")
	}
	for _, r := range routes {
		if last := len(out) - 1; last >= 0 && alike(out[last][0], r) {
			out[last] = append(out[last], r)
		} else {
			out = append(out, []route{r})
		}
	}
	return out
}

// realPatterns returns the names with real addresses for formats in which * matches anything.
func (d DNS) realPatterns() (out []string) {
	for _, name := range d.Real {
		if rest, under := strings.CutPrefix(name, "+."); under {
			out = append(out, rest, "*."+rest)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// members returns which of the names a group contains, or all of them if none matches, so that no group is empty.
func (g Group) members(names []string) []string {
	re, err := regexp.Compile(g.Include)
	if err != nil || g.Include == "" {
		return names
	}
	var out []string
	for _, n := range names {
		if re.MatchString(n) {
			out = append(out, n)
		}
	}
	if out == nil {
		return names
	}
	return out
}

// v6 reports whether a network is IPv6.
func v6(network string) bool { return strings.Contains(network, ":") }
