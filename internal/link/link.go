// Package link answers a user's subscription link: the token that opens it, the file with the user's nodes as their
// client wants it, and the log of who fetched it.
package link

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/geo"
	"airstrip/internal/limit"
	"airstrip/internal/link/format"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// Faults of a fetch.
var (
	ErrUnknown    = fault.NotFound("link_not_found", "链接不存在或已重置", "There is no such link, or it was reset")
	ErrClientType = fault.Invalid("client_type", "unknown", "没有这种客户端类型", "There is no such client type")
)

// The caches' bounds: 64 MiB of files, rights of 50,000 users, about 20 MiB.
const (
	cachedBytes  = 64 << 20
	cachedRights = 50_000
	rightsLive   = 5 * time.Second // used traffic in subscription-userinfo is at most so old
)

// Links answers links.
type Links struct {
	db       *db.DB
	key      seal.Key
	settings *setting.Settings
	site     string
	accounts *account.Accounts
	services *service.Services
	nodes    *node.Nodes
	areas    *geo.Areas

	known   *db.Prepared
	limits  limits
	files   *otter.Cache[fileKey, *file]
	rights  *otter.Cache[int64, *rights]
	listed  atomic.Pointer[listed]
	fetches chan Fetch
	lost    atomic.Int64
}

// New gives the links of users. site is the address that users see, without closing slash.
func New(d *db.DB, key seal.Key, settings *setting.Settings, site string, accounts *account.Accounts, services *service.Services, nodes *node.Nodes, areas *geo.Areas) *Links {
	return &Links{
		db: d, key: key, settings: settings, site: site, accounts: accounts, services: services, nodes: nodes, areas: areas,
		known: d.Prepared(knownText),
		files: otter.Must(&otter.Options[fileKey, *file]{
			MaximumWeight: cachedBytes,
			Weigher:       func(_ fileKey, f *file) uint32 { return uint32(len(f.Body)*3/2 + 1024) }, // with its compressed forms
		}),
		rights:  otter.Must(&otter.Options[int64, *rights]{MaximumSize: cachedRights}),
		fetches: make(chan Fetch, fetchQueue),
	}
}

// Request is what a client asks for.
type Request struct {
	Token      string
	ClientType string // empty or AUTO: by the headers
	Extend     *bool  // entries that tell traffic and expiry; nil: where the client can't show them otherwise
	NoFlags    bool
	NodesOnly  bool
	VPNType    string // ssr, vmess, ssr_vmess; empty: all
	Group      *int   // link group whose entries are asked for; nil: the user's own
	GroupSign  string // without which Group is not heeded
	UserAgent  string
	Accept     string
	IP         netip.Addr
	Host       string // that the client asked for; it only chooses among the site's own addresses
}

// Answer is the file with what the headers say of it.
type Answer struct {
	format.File
	ETag     string // of the body, without quotes
	Inline   bool   // to be shown, not saved
	Userinfo string // subscription-userinfo
	Title    string
	Hours    int // until the client should ask again
	Site     string
	Support  string // address of the page that says whom to write to; empty: nobody is named
	Fetch    Fetch  // for Log, once the status is known
	Page     *Page  // in the place of the file, for a browser

	forms map[string]func() []byte
}

// Compressed gives the body in one of Codings.
func (a Answer) Compressed(coding string) []byte { return a.forms[coding]() }

// Page is what somebody sees who opens their link in a browser.
type Page struct {
	Access service.Access
	URL    string // the link, as the site shows it
	Apps   []App
}

// Get answers a link. With a fault of a known user comes an Answer whose Fetch can be logged.
func (l *Links) Get(ctx context.Context, r Request) (Answer, error) {
	site := l.settings.Get()
	token, day, ip := l.limits.get(site)
	if err := ip.Allow(limit.Network(r.IP)); err != nil {
		return Answer{}, err
	}
	k, err := l.find(ctx, r.Token)
	if err != nil {
		return Answer{}, err
	}
	l.applyGroup(&k, &r)
	a := Answer{Fetch: l.fetch(k.UserID, r.Token, r.IP, r.UserAgent)}
	client, ok := format.Resolve(r.ClientType, r.UserAgent, r.Accept)
	a.Fetch.Client, a.Fetch.Version, a.Fetch.Format = client.Name, client.Version.String(), string(client.Dialect)
	if err := token.Allow(r.Token); err != nil {
		return a, err
	}
	if err := day.Allow(r.Token); err != nil {
		return a, err
	}
	switch {
	case !ok:
		return a, ErrClientType
	case r.VPNType != "" && families[r.VPNType] == nil:
		return a, ErrVPNType
	}
	access, err := l.access(ctx, k)
	if err != nil {
		return a, err
	}
	if client.Page {
		a.Fetch.Format, a.Userinfo, a.Title, a.Site = "html", userinfo(access), site.SiteName, l.site
		apps, err := l.Apps(ctx, false)
		a.Page = &Page{Access: *access, URL: l.siteURL(r), Apps: apps}
		return a, err
	}
	f, err := l.file(ctx, k, access, client, r)
	if err != nil {
		return a, err
	}
	a.File, a.forms, a.ETag = f.File, f.forms, f.etag
	a.Inline, a.Userinfo, a.Title, a.Hours, a.Site = client.Plain, userinfo(access), site.SiteName, site.LinkUpdateHours, l.site
	switch {
	case site.ContactURL != "":
		a.Support = site.ContactURL
	case site.ContactEmail != "":
		a.Support = l.site + "/about"
	}
	a.Fetch.Nodes, a.Fetch.LeftOut = f.Nodes, f.LeftOut
	return a, nil
}
