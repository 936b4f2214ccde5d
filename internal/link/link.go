// Package link owns subscription links: the tokens that open them, the files with the user's nodes as their client
// reads them, the catalogue of client apps, the templates of the files, and the log of fetches. A file depends only on
// the revisions of the user's rights and of the nodes, so it is cached and the same on every server. The token is
// looked up in the database for each fetch, so a reset takes effect at once. Renderers for the formats are in format.
package link

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/cache"
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

// Bounds of the caches: 64 MiB of files, and the rights of 50,000 users, about 20 MiB.
const (
	cachedBytes  = 64 << 20
	cachedRights = 50_000
	rightsLive   = 5 * time.Second // Maximum age of the used traffic in subscription-userinfo.
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
	ofUser  *db.Prepared // the token of a user
	limits  limits
	files   *cache.Cache[fileKey, *file]
	rights  *cache.Cache[int64, *rights]
	listed  atomic.Pointer[listed]
	fetches chan Fetch
	lost    atomic.Int64
}

// New returns the links of users. site is the address that users see, without a trailing slash.
func New(d *db.DB, key seal.Key, settings *setting.Settings, site string, accounts *account.Accounts,
	services *service.Services, nodes *node.Nodes, areas *geo.Areas,
) *Links {
	return &Links{
		db: d, key: key, settings: settings, site: site, accounts: accounts, services: services, nodes: nodes,
		areas:  areas,
		known:  d.Prepared(knownText),
		ofUser: d.Prepared(d.NewSelect().Model((*tokenRow)(nil)).Where("user_id = ?", bun.Safe("?")).String()),
		files: cache.New[fileKey](cache.Options[*file]{
			MaxWeight: cachedBytes,
			// Includes the compressed forms.
			Weight: func(f *file) uint32 { return uint32(len(f.Body)*3/2 + 1024) },
		}),
		rights:  cache.New[int64](cache.Options[*rights]{MaxEntries: cachedRights}),
		fetches: make(chan Fetch, fetchQueue),
	}
}

// Request is what a client requests.
type Request struct {
	Token      string
	ClientType string // Empty or AUTO to use the headers.
	Extend     *bool  // Entries with traffic and expiry; nil for clients that cannot show them otherwise.
	NoFlags    bool
	NodesOnly  bool
	VPNType    string // ssr, vmess, ssr_vmess; empty for all.
	Group      *int   // The requested link group; nil for the user's own.
	GroupSign  string // Required for Group.
	UserAgent  string
	Accept     string
	IP         netip.Addr
	Host       string // As requested by the client; it only selects among the site's own addresses.
}

// Answer is the file with the content of its headers.
type Answer struct {
	format.File
	ETag     string // Of the body, without quotes.
	Inline   bool   // Shown instead of saved.
	Userinfo string // Value of subscription-userinfo.
	Title    string
	Hours    int // Until the client should fetch again.
	Site     string
	Support  string // Address of the support page; empty for none.
	Fetch    Fetch  // For Log, once the status is known.
	Page     *Page  // Replaces the file for a browser.

	forms map[string]func() []byte
}

// Compressed returns the body in one of Codings.
func (a Answer) Compressed(coding string) []byte { return a.forms[coding]() }

// Page is what a browser shows for a link.
type Page struct {
	Access service.Access
	URL    string // The link as the site shows it.
	Apps   []App
}

// Get answers a link. The fault of a known user comes with an Answer whose Fetch can be logged.
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
	a.Inline, a.Userinfo, a.Title, a.Hours, a.Site = client.Plain, userinfo(access), site.SiteName,
		site.LinkUpdateHours, l.site
	switch {
	case site.ContactURL != "":
		a.Support = site.ContactURL
	case site.ContactEmail != "":
		a.Support = l.site + "/about"
	}
	a.Fetch.Nodes, a.Fetch.LeftOut = f.Nodes, f.LeftOut
	return a, nil
}
