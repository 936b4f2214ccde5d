package link

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"airstrip/internal/fault"
	"airstrip/internal/link/format"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// fileKey identifies a rendered file by everything that its bytes depend on.
type fileKey struct {
	userID       int64
	access, node int64 // Revisions of the user's rights and of the nodes.
	group        int   // The link group whose entries it contains.
	client       format.Client
	flags        bool
	nodesOnly    bool
	vpnType      string
	notices      string
	status       string
	title        string
	url          string
	hours        int
	lang         fault.Lang // Language of the nodes' names.
	usage        format.Usage
}

// file is a rendered file. It is compressed on first demand.
type file struct {
	format.File
	etag  string
	forms map[string]func() []byte // Compressed forms by coding.
}

// file returns the file for the client, rendered again if something that it depends on has changed.
func (l *Links) file(ctx context.Context, k tokenOwner, access *service.Access, client format.Client,
	r Request,
) (*file, error) {
	site := l.settings.Get()
	o := format.Options{
		Client: client, Flags: !r.NoFlags, NodesOnly: r.NodesOnly,
		Notices: notices(access, client, r, site, k.Lang), Status: status(access, client, site),
	}
	o.Title, o.Lang = site.SiteName, k.Lang
	if client.Managed {
		o.URL, o.Hours = l.fileURL(r), site.LinkUpdateHours
	}
	if client.Usage {
		o.Usage = usage(access, site)
	}
	key := fileKey{
		k.UserID, access.Revision, k.Node, k.Group, client, o.Flags, o.NodesOnly, r.VPNType,
		strings.Join(o.Notices, "\n"), o.Status, o.Title, o.URL, o.Hours, k.Lang, o.Usage,
	}
	if f, ok := l.files.Get(key); ok {
		return f, nil
	}
	now, err := l.visible(ctx, k.Node)
	if err != nil {
		return nil, err
	}
	if o.Template, err = l.template(ctx, now, k.UserID, access); err != nil {
		return nil, err
	}
	proxies, broken := now.proxies(ctx, k, access, r.VPNType)
	f := &file{File: format.Render(proxies, o)}
	f.LeftOut += broken
	sum := sha256.Sum256(f.Body)
	f.etag = base64.RawURLEncoding.EncodeToString(sum[:16])
	f.forms = map[string]func() []byte{
		"br":   sync.OnceValue(func() []byte { return compressBrotli(f.Body) }),
		"zstd": sync.OnceValue(func() []byte { return zstdEncoder.EncodeAll(f.Body, nil) }),
		"gzip": sync.OnceValue(func() []byte { return compress(f.Body) }),
	}
	l.files.Set(key, f)
	return f, nil
}

// fileURL is the address of the requested file, for clients that refresh it from an address in the file. It is built
// from the parsed request.
func (l *Links) fileURL(r Request) string {
	q := url.Values{}
	if r.ClientType != "" {
		q.Set("client_type", r.ClientType)
	}
	if r.Extend != nil {
		q.Set("is_node_extend", strconv.FormatBool(*r.Extend))
	}
	if r.NoFlags {
		q.Set("is_remark_emoji", "false")
	}
	if r.NodesOnly {
		q.Set("is_proxy_mode", "true")
	}
	if r.VPNType != "" {
		q.Set("vpn_type", r.VPNType)
	}
	if r.Group != nil {
		q.Set("manual_link_group", strconv.Itoa(*r.Group))
		q.Set("group_sign", r.GroupSign)
	}
	address := l.siteURL(r)
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	return address
}

// Codings are the supported compressions, best first.
var Codings = []string{"br", "zstd", "gzip"}

// A file has at most a few hundred kilobytes. A window of that size keeps the decoder of a client small.
var zstdEncoder = func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // The options are constant.
	}
	return e
}()

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	w.Reset(&b)
	w.Write(body)
	w.Close() // A Buffer accepts every write.
	return b.Bytes()
}

// compressBrotli compresses with brotli at a level that costs no more than gzip.
func compressBrotli(body []byte) []byte {
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, 4)
	w.Write(body)
	w.Close() // A Buffer accepts every write.
	return b.Bytes()
}

// families are the protocols that each vpn_type selects.
var families = map[string][]node.Protocol{
	"ssr": {node.Shadowsocks}, "vmess": {node.VMess}, "ssr_vmess": {node.Shadowsocks, node.VMess},
}

// ErrVPNType is the fault of an unknown vpn_type.
var ErrVPNType = fault.Invalid("vpn_type", "unknown", "vpn_type 只能是 ssr、vmess 或 ssr_vmess",
	"The vpn_type is ssr, vmess or ssr_vmess")

// proxies returns the visible nodes that the user may use, and how many of them no client could use.
func (l *listed) proxies(ctx context.Context, k tokenOwner, access *service.Access,
	vpnType string,
) (out []format.Proxy, broken int) {
	for _, n := range l.nodes {
		if !access.Admits(n.Class, n.GroupID) || (vpnType != "" && !slices.Contains(families[vpnType], n.Protocol)) {
			continue
		}
		for _, entry := range n.Localized(k.Lang).Entries(k.Group) {
			p, err := format.NewProxy(entry, node.UserSecret(n, access.UUID, access.Password))
			if err != nil {
				broken++
				slog.WarnContext(ctx, "a node is left out of links", "node", n.ID, "name", entry.Name, "reason", err)
				continue
			}
			out = append(out, p)
		}
	}
	return out, broken
}

// listed holds the visible nodes, the templates of the site and the groups, and who has one, at one revision.
type listed struct {
	revision  int64
	nodes     []node.Node
	templates []Template
	ofUsers   map[int64]bool // who has a template of their own
	mu        sync.Mutex
	merged    map[string]*format.Template
}

func (l *Links) visible(ctx context.Context, revision int64) (*listed, error) {
	if kept := l.listed.Load(); kept != nil && kept.revision == revision {
		return kept, nil
	}
	all, err := l.nodes.List(ctx)
	if err != nil {
		return nil, err
	}
	nodes := slices.DeleteFunc(all, func(n node.Node) bool { return !n.Visible || !n.Serves() })
	var some []Template
	if err := l.db.NewSelect().Model(&some).Where("scope IN (?, ?)", ForGroup,
		ForSite).OrderExpr("scope DESC, scope_id").Scan(ctx); err != nil {
		return nil, err
	}
	var users []int64
	if err := l.db.NewSelect().Model((*Template)(nil)).Column("scope_id").Where("scope = ?", ForUser).
		Scan(ctx, &users); err != nil {
		return nil, err
	}
	now := &listed{
		revision: revision, nodes: nodes, templates: some, ofUsers: map[int64]bool{},
		merged: map[string]*format.Template{},
	}
	for _, id := range users {
		now.ofUsers[id] = true
	}
	l.listed.Store(now)
	return now, nil
}

// rights holds a user's rights at one revision, with the traffic used then.
type rights struct {
	access   service.Access
	revision int64
	at       time.Time
}

func (l *Links) access(ctx context.Context, k tokenOwner) (*service.Access, error) {
	now := time.Now()
	if r, ok := l.rights.Get(k.UserID); ok && r.revision == k.Access && now.Sub(r.at) < rightsLive {
		return &r.access, nil
	}
	access, err := l.services.Access(ctx, k.UserID)
	if err != nil {
		return nil, err
	}
	l.rights.Set(k.UserID, &rights{access, k.Access, now})
	return &access, nil
}

// stateNotices explain in place of nodes why there are none.
var stateNotices = map[service.State]fault.Text{
	service.None: {ZH: "⛔ 还没有套餐，请先购买", EN: "⛔ No plan yet, please buy one"},
	service.Exhausted: {
		ZH: "⛔ 流量已用完，请购买流量包或续费", EN: "⛔ Out of traffic, please buy a traffic package or renew",
	},
	service.Expired: {ZH: "⛔ 套餐已到期，请续费", EN: "⛔ The plan has expired, please renew"},
	service.Banned:  {ZH: "⛔ 账号已停用，请联系客服", EN: "⛔ The account is disabled, please contact support"},
}

// What the entries before the nodes say.
var (
	textLeft      = fault.Text{ZH: "剩余流量：", EN: "Traffic left: "}
	textUnlimited = fault.Text{ZH: "不限", EN: "unlimited"}
	textExpires   = fault.Text{ZH: "到期：", EN: "Expires: "}
)

// notices returns the entries before the nodes that only carry information.
func notices(a *service.Access, client format.Client, r Request, site setting.Site, lang fault.Lang) []string {
	if !a.Allowed {
		return []string{stateNotices[a.State].In(lang)}
	}
	extend := !client.Shows && !client.Status && !client.Usage && !client.Core && !r.NodesOnly
	if r.Extend != nil {
		extend = *r.Extend
	}
	if !extend {
		return nil
	}
	remaining := textUnlimited.In(lang)
	if a.RemainingBytes != nil {
		remaining = gigabytes(*a.RemainingBytes)
	}
	out := []string{textLeft.In(lang) + remaining}
	if a.ExpiresAt != nil {
		out = append(out, textExpires.In(lang)+a.ExpiresAt.In(site.Zone()).Format(time.DateOnly))
	}
	return append(out, site.LinkNotices...)
}

// status is the first line that some clients show instead of subscription-userinfo.
func status(a *service.Access, client format.Client, site setting.Site) string {
	if !client.Status {
		return ""
	}
	up, down, total := shownTraffic(a)
	text := "↑:" + gigabytes(up) + " ↓:" + gigabytes(down)
	if total > 0 {
		text += " TOT:" + gigabytes(total)
	}
	if a.ExpiresAt != nil {
		text += " Expires:" + a.ExpiresAt.In(site.Zone()).Format(time.DateOnly)
	}
	return text
}

// usage is what some clients show from the file itself.
func usage(a *service.Access, site setting.Site) format.Usage {
	up, down, total := shownTraffic(a)
	u := format.Usage{Used: up + down, Total: total}
	if a.ExpiresAt != nil {
		u.Expires = a.ExpiresAt.In(site.Zone()).Format(time.DateOnly)
	}
	return u
}

func gigabytes(bytes int64) string { return fmt.Sprintf("%.2f GB", float64(bytes)/(1<<30)) }

// shownTraffic returns upload, download and total for clients, in bytes. Clients subtract the first two from the third,
// so they are as billed. A total of 0 means unlimited to them: users without a quota get one that is used up.
func shownTraffic(a *service.Access) (up, down, total int64) {
	switch {
	case a.QuotaBytes == nil:
		return a.UpBytes, a.DownBytes, 0
	case *a.QuotaBytes == 0:
		return 0, 1, 1
	}
	return a.UpBytes, a.DownBytes, *a.QuotaBytes
}

// userinfo is the value of the header subscription-userinfo: all four keys and no trailing semicolon, as its strictest
// reader requires.
func userinfo(a *service.Access) string {
	up, down, total := shownTraffic(a)
	var expire int64
	if a.ExpiresAt != nil {
		expire = a.ExpiresAt.Unix()
	}
	return fmt.Sprintf("upload=%d; download=%d; total=%d; expire=%d", up, down, total, expire)
}
