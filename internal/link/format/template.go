package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Template is what a site decides of its users' files, in terms that every format has words for. A format that lacks one
// leaves it out.
type Template struct {
	Rules   RuleSet `json:"rules"`
	Blocked Match   `json:"blocked"` // reached by nobody
	Proxied Match   `json:"proxied"` // reached through a node, whatever Direct says
	Direct  Match   `json:"direct"`  // reached without a node
	Groups  []Group `json:"groups"`  // beside the two that every file has
	DNS     DNS     `json:"dns"`
	Probe   Probe   `json:"probe"`
	Files   string  `json:"files"` // where rule files are fetched: an address with {repo}, {branch} and {file} in it

	// What is laid over the tree of one format's file, key by key: objects are merged, anything else takes the place of
	// what was there.
	Clash   map[string]any `json:"clash"`
	Stash   map[string]any `json:"stash"`
	Egern   map[string]any `json:"egern"`
	SingBox map[string]any `json:"sing_box"`      // since 1.12
	OldBox  map[string]any `json:"sing_box_1_11"` // before it, where other words stand for the same
	Xray    map[string]any `json:"xray"`
}

// RuleSet says how much of the usual rules a file has.
type RuleSet string

// The rule sets. Full needs files that clients fetch; only some formats have words for those, the others have Basic.
// So has sing-box, which does not start where it can't fetch one.
const (
	NoRules    RuleSet = "none"
	BasicRules RuleSet = "basic" // Proxied, Direct and Blocked of the template
	FullRules  RuleSet = "full"  // and lists of advertisers, domains and networks that others keep
)

// Match is destinations by their names or addresses.
type Match struct {
	Suffixes []string `json:"suffixes"` // a domain and everything under it
	Networks []string `json:"networks"` // CIDR
}

// Group is one more group of nodes that the user sees, with what goes through it.
type Group struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`    // select or auto
	Include string `json:"include"` // RE2 that names of its nodes match; empty: all
	Match
}

// DNS says who is asked for names.
type DNS struct {
	Near   []string `json:"near"`   // for names that are reached without a node, by IP; plain DNS
	Secure []string `json:"secure"` // the same over HTTPS
	Remote string   `json:"remote"` // for all others, by IP, through a node

	// Names that get their real address from clients that make others up. A * stands for one label, +. before a name for
	// it and everything under it.
	Real []string `json:"real"`
}

// Probe is what a node is asked for to see how fast it is.
type Probe struct {
	URL     string `json:"url"`
	Seconds int    `json:"seconds"` // between two
}

// Builtin is the template below all others. It needs no rule file and no database: fetching those before the proxy works
// fails where it is needed most. Its direct names are those that people in China use most and that end otherwise than in
// cn. Names that keep their real address are of programs that use the address itself: QQ's sign-in on this machine, clocks,
// STUN, game consoles, and the checks by which systems tell whether they are online.
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

// NewTemplate lays the documents, JSON objects with the keys of Template, over the built-in one, each over those before it
// (RFC 7396): null takes back what one before it said. The error names a key that there is not, or a value of the wrong kind.
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

// tree reads JSON as it stands, numbers as they are written.
func tree(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

// merge gives target with patch laid over it, as RFC 7396 has it. Neither is changed.
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

// overlay gives v with patch laid over it, as something to be written as JSON.
func overlay(v any, patch any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types are ours and hold nothing that JSON lacks
	}
	t, err := tree(text)
	if err != nil {
		panic(err)
	}
	return merge(t, patch)
}

// route sends destinations of one kind somewhere.
type route struct {
	file    *ruleFile // nil: by suffix or network
	suffix  string
	network string
	to      string // a group, groupDirect, or groupBlock
}

// ruleFile is a list that somebody else keeps and clients fetch.
type ruleFile struct {
	name, repo, branch, file string
	domains                  bool // names; else networks
	to                       string
}

func (f *ruleFile) address(pattern string) string {
	return strings.NewReplacer("{repo}", f.repo, "{branch}", f.branch, "{file}", f.file).Replace(pattern)
}

// routes are the rules in the order in which the first that matches decides. files are those of the format, for the full
// set; what none matches goes to groupAll.
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

// groupRoutes parts routes into neighbours of one kind that go the same way.
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

// realPatterns gives the names that keep their real address for formats in which a * stands for anything.
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

// members gives which of the names a group holds; where none matches all of them, so that no group is empty.
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

// v6 tells whether a network is one of IPv6.
func v6(network string) bool { return strings.Contains(network, ":") }
