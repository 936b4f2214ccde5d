// Package app builds every part of the server from its configuration and runs it. No other package knows all parts.
// Commands open an App and use its parts; serve also runs its HTTP server, jobs and background loops until it is
// stopped. Only this package reads the configuration.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"airstrip/internal/account"
	"airstrip/internal/announcement"
	"airstrip/internal/api"
	"airstrip/internal/api/agent"
	"airstrip/internal/api/install"
	apilink "airstrip/internal/api/link"
	"airstrip/internal/api/modmu"
	apinotify "airstrip/internal/api/notify"
	"airstrip/internal/api/ppanel"
	"airstrip/internal/api/uniproxy"
	"airstrip/internal/api/unsubscribe"
	apiweb "airstrip/internal/api/web"
	"airstrip/internal/approval"
	"airstrip/internal/attachment"
	"airstrip/internal/audit"
	"airstrip/internal/bulk"
	"airstrip/internal/captcha"
	"airstrip/internal/cdkey"
	"airstrip/internal/checkin"
	"airstrip/internal/clickhouse"
	"airstrip/internal/console"
	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/emby"
	"airstrip/internal/fault"
	"airstrip/internal/geo"
	"airstrip/internal/guide"
	"airstrip/internal/idempotency"
	"airstrip/internal/invite"
	"airstrip/internal/ipban"
	"airstrip/internal/job"
	"airstrip/internal/link"
	"airstrip/internal/loki"
	"airstrip/internal/mail"
	"airstrip/internal/mailbox"
	"airstrip/internal/merge"
	"airstrip/internal/node"
	"airstrip/internal/notify"
	"airstrip/internal/payment"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/reconciliation"
	"airstrip/internal/renewal"
	"airstrip/internal/role"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shareaccount"
	"airstrip/internal/shop"
	"airstrip/internal/sitepicture"
	"airstrip/internal/storage"
	"airstrip/internal/telegram"
	"airstrip/internal/ticket"
	"airstrip/internal/token"
	"airstrip/internal/traffic"
	"airstrip/internal/wallet"
	"airstrip/internal/webhook"
	"airstrip/internal/webpush"
	"airstrip/web"
)

// App holds all parts, ready to be served or used by a command.
type App struct {
	cfg       checked
	version   string
	DB        *db.DB
	Settings  *setting.Settings
	Secrets   *secret.Secrets
	Queue     *job.Queue
	Bulk      *job.Queue // of announcements by mail: no code shall wait behind them
	Outbox    *job.Queue // of mails: an SMTP server may be slow, and nothing else shall wait for it
	Media     *job.Queue // the same for the media server
	Notices   *job.Queue // and for what the Telegram bot says by itself and what Loki gets
	Mails     *mail.Mails
	Pictures  *sitepicture.Pictures
	Users     *notify.Notices // what users are told, by the channels that they chose
	Captchas  *captcha.Captchas
	IPBans    *ipban.Bans
	Tokens    *token.Tokens
	Wallets   *wallet.Wallets
	Approvals *approval.Approvals
	Roles     *role.Roles
	Audit     *audit.Log
	Services  *service.Services
	Accounts  *account.Accounts
	Invites   *invite.Invites
	CheckIns  *checkin.CheckIns
	Shop      *shop.Shop
	CDKeys    *cdkey.Keys
	Renewals  *renewal.Renewals
	Gateways  *payment.Gateways
	Payments  *payment.Payments

	Reconciliation *reconciliation.Reconciliation
	Nodes          *node.Nodes
	Agents         *install.Agents
	Traffic        *traffic.Traffic
	Links          *link.Links
	Emby           *emby.Emby
	Shares         *shareaccount.Accounts
	Telegram       *telegram.Bot
	Loki           *loki.Loki
	Webhooks       *webhook.Webhooks
	Push           *webpush.Push
	Tickets        *ticket.Tickets
	Files          *attachment.Store // of tickets
	Mailbox        *mailbox.Mailbox
	Console        *console.Console
	Bulks          *bulk.Bulk
	Merges         *merge.Merges // of two accounts of one person
	Storage        *storage.Storage

	Copies        *job.Queue // of what ClickHouse gets
	ClickHouse    *clickhouse.ClickHouse
	Announcements *announcement.Announcements
	Guides        *guide.Guides
	Broadcasts    *announcement.Broadcasts

	sandbox *sandbox.Gateway // nil unless this is a demo
	nightly nightly

	started   time.Time
	lastCheck atomic.Pointer[finding]
}

// Open checks the configuration, opens and migrates the database and builds the parts.
func Open(ctx context.Context, cfg Config, version string) (*App, error) {
	c, err := cfg.check()
	if err != nil {
		return nil, err
	}
	a := &App{cfg: c, version: version}
	if a.DB, err = db.Open(ctx, c.DatabaseURL, c.Data); err != nil {
		return nil, err
	}
	a.DB.SealWith(c.key)
	if err := a.DB.Migrate(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := a.startClock(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// SiteURL is the address that users see, without closing slash.
func (a *App) SiteURL() string { return a.cfg.site }

// Close ends what Open opened.
func (a *App) Close() error {
	var copies error
	if a.ClickHouse != nil {
		copies = a.ClickHouse.Close()
	}
	return errors.Join(copies, a.DB.Close())
}

// build makes the parts on the migrated database.
func (a *App) build(ctx context.Context) (err error) {
	if a.Settings, err = setting.New(ctx, a.DB); err != nil {
		return err
	}
	if a.IPBans, err = ipban.New(ctx, a.DB); err != nil {
		return err
	}
	if a.Tokens, err = token.New(ctx, a.DB, a.cfg.key); err != nil {
		return err
	}
	if a.Audit, err = audit.Open(ctx, a.DB, a.cfg.key); err != nil {
		return err
	}
	a.started = a.DB.Now()
	a.Secrets = secret.New(a.DB, a.cfg.key)
	a.Mails = mail.New(a.DB, a.cfg.key, a.Settings, a.Secrets, a.cfg.site)
	if err = a.Mails.LoadTemplates(ctx); err != nil {
		return err
	}
	if a.Pictures, err = sitepicture.New(ctx, a.DB); err != nil {
		return err
	}
	a.Mails.UseLogo(func() string {
		if logo := a.picture(sitepicture.Logo); logo != "" {
			return a.cfg.site + logo
		}
		return ""
	})
	a.Users = notify.New(a.DB, a.Mails)
	a.Push = webpush.New(a.DB, a.cfg.key, a.cfg.site)
	a.Users.UsePush(a.Push)
	a.Approvals, a.Roles = approval.New(a.DB, a.Settings), role.New(a.DB)
	a.Wallets = wallet.New(a.DB, a.Settings)
	a.Wallets.SignWith(a.cfg.key)
	a.Services = service.New(a.DB, a.cfg.key, a.Settings)
	a.Agents = install.New(a.cfg.AgentFolder, a.cfg.site)
	areas, err := geo.Open(a.cfg.GeoFile)
	if err != nil {
		return fmt.Errorf("AIRSTRIP_GEO_FILE: %w", err)
	}
	a.Captchas = captcha.New(a.DB, a.cfg.key, a.Settings, a.Secrets)
	a.Accounts = account.New(account.Config{
		DB: a.DB, Key: a.cfg.key, Settings: a.Settings, Mails: a.Mails, Notices: a.Users, Captchas: a.Captchas,
		Tokens: a.Tokens, Wallets: a.Wallets, Services: a.Services, Areas: areas, Audit: a.Audit,
		Site: a.cfg.site, PasswordMemory: a.cfg.PasswordMemory,
	})
	a.Push.UseSessions(a.Accounts.Sessions.Running)
	a.Roles.OnChange(a.Accounts.Visits.EndLost)
	a.Invites = invite.New(a.DB, a.Settings, a.Wallets)
	a.Invites.UseKey(a.cfg.key)
	a.CheckIns = checkin.New(a.DB, a.Settings, a.Accounts, a.Services, a.Captchas)
	a.Shop = shop.New(a.DB, a.Settings, a.Wallets, a.Services, a.Invites)
	a.CDKeys = cdkey.New(a.DB, a.cfg.key, a.Settings, a.Wallets, a.Services)
	a.Renewals = renewal.New(a.DB, a.Settings, a.Accounts, a.Wallets, a.Shop)
	a.Nodes = node.New(a.DB, a.cfg.key, a.Settings, a.Services)
	a.Traffic = traffic.New(a.DB, a.Settings, a.Services, a.Nodes)
	a.Storage = storage.New(a.DB, a.Traffic.LogSize)
	a.Telegram = telegram.New(a.DB, a.cfg.key, a.Settings, a.Secrets, a.Tokens, a.Accounts, a.Services,
		a.CheckIns, a.cfg.site, a.cfg.TelegramAPI)
	a.Telegram.ShowLinks(a.linkURLsIn)
	a.Users.UseBot(bot{a.Telegram})
	a.Links = link.New(a.DB, a.cfg.key, a.Settings, a.cfg.site, a.Accounts, a.Services, a.Nodes, areas)
	a.Emby = emby.New(a.DB, a.cfg.key, a.Settings, a.Secrets, a.Services, a.Links)
	a.Shares = shareaccount.New(a.DB, a.cfg.key, a.Services)
	if a.Announcements, err = announcement.New(ctx, a.DB, a.Services); err != nil {
		return err
	}
	a.Webhooks = webhook.New(a.DB, a.cfg.key, a.Settings)
	if a.Guides, err = guide.New(ctx, a.DB, a.Settings, a.Links, a.cfg.site); err != nil {
		return err
	}
	a.Broadcasts = announcement.NewBroadcasts(announcement.Config{
		DB: a.DB, Key: a.cfg.key, Settings: a.Settings, Accounts: a.Accounts, Services: a.Services, Mails: a.Mails,
		Notices: a.Users, Bot: a.Telegram, Site: a.cfg.site,
	})
	a.Loki = loki.New(a.DB, a.Settings, a.Secrets, a.cfg.site)
	a.Files = attachment.NewStore(a.cfg.Data, a.Settings, a.Secrets)
	a.Tickets = ticket.New(a.DB, a.Settings, a.Captchas, a.Accounts, a.Files)
	a.Mailbox = mailbox.New(a.DB, a.cfg.key, a.Settings, a.Secrets, a.Accounts, a.Tickets)
	if a.ClickHouse, err = clickhouse.New(a.cfg.clickHouse(), clickhouse.Parts{
		DB: a.DB, Settings: a.Settings, Traffic: a.Traffic, UserIDs: a.Accounts.IDsByEmail,
		NodeNames: a.Nodes.Registry.Names, States: a.userStates,
	}); err != nil {
		return fmt.Errorf("AIRSTRIP_CLICKHOUSE_URL: %w", err)
	}
	a.Tickets.OnMessage(a.notifyTicket)
	a.Telegram.ShowTickets(a.Tickets, a.Audit)
	var built []payment.Method
	if a.cfg.Demo {
		a.sandbox = sandbox.New(a.DB, a.cfg.key, a.cfg.site)
		built = append(built, a.sandbox.Method())
	}
	if a.Gateways, err = payment.OpenGateways(ctx, a.DB, a.cfg.key, a.Settings, gatewayKinds(), built...); err != nil {
		return err
	}
	a.Payments = payment.New(a.DB, a.Settings, a.Wallets, a.Shop, a.cfg.site, a.Gateways)
	a.Reconciliation = reconciliation.New(a.DB, a.Settings, a.Wallets, a.Payments)

	a.Console = console.New(a.DB, a.cfg.key, a.Settings, a.Accounts, a.Wallets, a.Shop)
	a.Bulks = bulk.New(a.DB, a.Console, a.Accounts, a.Wallets, a.Services, a.Approvals)
	a.Merges = merge.New(merge.Parts{
		DB: a.DB, Accounts: a.Accounts, Approvals: a.Approvals, Wallets: a.Wallets, Services: a.Services,
		Invites: a.Invites, Shop: a.Shop, Payments: a.Payments, Tickets: a.Tickets, Console: a.Console,
	})
	a.decideApprovals()
	a.Accounts.OnClose(a.Shop.Close)
	a.Accounts.OnClose(a.Invites.Close)
	a.Accounts.OnClose(a.Payments.Close)
	a.Accounts.OnClose(a.CheckIns.Close)
	a.Accounts.OnClose(a.Links.Close)
	a.Accounts.OnClose(a.Emby.Close)
	a.Accounts.OnClose(a.Telegram.Close)
	a.Accounts.OnClose(a.Shares.Close)
	a.Accounts.OnClose(a.Announcements.Close)
	a.Accounts.OnClose(a.Tickets.Close)
	a.Accounts.OnClose(a.Traffic.Close)
	a.Accounts.OnClose(a.ClickHouse.Forget)
	a.Accounts.OnClose(a.Console.Close)

	a.Nodes.Monitor.OnOutage(a.notifyOutage)
	a.Nodes.Monitor.OnAlarm(a.notifyAlarm)
	a.Traffic.OnAnomaly(a.notifyAnomalies)
	a.Audit.OnFault(a.notifyAuditFault)
	a.Payments.OnCase(a.notifyPaymentCase)
	a.Payments.OnAssign(a.notifyOrder)
	a.Wallets.OnCredit(a.notifyPayment)
	a.Invites.OnDecision(a.notifyPayout)
	a.Webhooks.OnDisabled(a.notifyWebhookDisabled)

	a.Queue = job.New(a.DB)
	for _, part := range []interface{ Register(*job.Queue) }{
		a.Audit, a.Services, a.Captchas, a.Accounts, a.Payments,
		a.Invites, a.CDKeys, a.Renewals, a.Nodes, a.Links, a.Traffic, a.Telegram, a.Shares, a.CheckIns, a.Webhooks,
		a.Broadcasts, a.Tickets, a.Mailbox, a.Push, a.Bulks, a.Console,
		a.Storage,
	} {
		part.Register(a.Queue)
	}
	a.checkNightly(a.Queue)
	a.Outbox = job.New(a.DB)
	a.Mails.Register(a.Outbox)
	a.Bulk = job.New(a.DB)
	a.Mails.RegisterBulk(a.Bulk)
	a.Media = job.New(a.DB)
	a.Emby.Register(a.Media)
	a.Notices = job.New(a.DB)
	a.Telegram.RegisterNotices(a.Notices)
	a.Loki.Register(a.Notices)
	a.Copies = job.New(a.DB)
	a.ClickHouse.Register(a.Copies)
	a.Queue.Every("idempotency.forget", func(ctx context.Context) error { return idempotency.Forget(ctx, a.DB) })
	return nil
}

// setupPage is where the browser shows the first steps of a site without an owner.
const setupPage = "/setup"

// stopWithin limits how long a stop waits for open requests.
const stopWithin = 10 * time.Second

// Serve answers requests and runs jobs until ctx ends. Then open requests have at most stopWithin to finish.
func (a *App) Serve(ctx context.Context) error {
	if a.DB.SQLite() {
		held, err := lock(a.cfg.Data)
		if err != nil {
			return err
		}
		defer held.Close()
	}
	if !a.Accounts.Passkeys.Enabled() {
		slog.WarnContext(ctx, "passkeys are off: they can be bound to a domain name only", "site", a.cfg.site)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewDBStatsCollector(a.DB.DB.DB, "read"), a.nightly.broken, a.nightly.at, a.clockMetric(),
		a.writableMetric())
	if err := a.Traffic.Open(ctx); err != nil {
		return fmt.Errorf("open the log of traffic: %w", err)
	}
	if a.ClickHouse.On() {
		reg.MustRegister(a.clickHouseMetrics()...)
	}
	setupCode, err := a.Accounts.Setup.Start(ctx)
	if err != nil {
		return err
	}
	a.DB.ProbeWrites(ctx) // before the first question for /ready
	pages, err := a.pages()
	if err != nil {
		return err
	}
	if err := pages.StoreAssets(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return fmt.Errorf("AIRSTRIP_LISTEN: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	background.Go(func() { a.DB.Follow(ctx) })
	background.Go(func() { a.DB.FollowClock(ctx, a.notifyClock) })
	background.Go(func() { a.DB.FollowWritable(ctx) })
	background.Go(func() { a.Settings.Follow(ctx) })
	background.Go(func() { a.IPBans.Follow(ctx) })
	background.Go(func() { a.Tokens.Follow(ctx) })
	background.Go(func() { a.Gateways.Follow(ctx) })
	background.Go(func() { a.Announcements.Follow(ctx) })
	background.Go(func() { a.Accounts.Setup.Run(ctx, setupCode) })
	background.Go(func() { a.Accounts.Streams.Follow(ctx) })
	background.Go(func() { a.Tickets.Follow(ctx) })
	background.Go(func() { a.Guides.Begin(ctx) })
	background.Go(func() { a.Guides.Follow(ctx) })
	background.Go(func() { a.Mails.Follow(ctx) })
	background.Go(func() { a.Pictures.Follow(ctx) })
	background.Go(func() { a.Queue.Run(ctx) })
	background.Go(func() { a.Outbox.Run(ctx) })
	background.Go(func() { a.Bulk.Run(ctx) })
	background.Go(func() { a.Media.Run(ctx) })
	background.Go(func() { a.Notices.Run(ctx) })
	background.Go(func() { a.Copies.Run(ctx) })
	background.Go(func() { a.Webhooks.Run(ctx) })
	background.Go(func() { a.Push.Run(ctx) })
	logging, stopLogging := detached.WithGrace(ctx, stopWithin+time.Second) // until the last fetch is answered
	defer stopLogging()
	background.Go(func() { a.Links.Run(logging) })
	background.Go(func() { a.Telegram.Run(ctx) })
	background.Go(func() { a.Telegram.FollowTickets(ctx) })

	failed := make(chan error, 2)
	servers := []*http.Server{a.server(ctx, a.handler(reg, pages))}
	go func() { failed <- servers[0].Serve(listener) }()
	if a.cfg.MetricsListen != "" {
		metrics, err := net.Listen("tcp", a.cfg.MetricsListen)
		if err != nil {
			return fmt.Errorf("AIRSTRIP_METRICS_LISTEN: %w", err)
		}
		scrapes := a.server(ctx, metricsHandler(reg, ""))
		scrapes.ReadTimeout = time.Minute
		servers = append(servers, scrapes)
		go func() { failed <- servers[1].Serve(metrics) }()
	}
	debug.FreeOSMemory() // what only the start needed: templates being parsed, the schema being compared
	slog.InfoContext(ctx, "serving", "address", listener.Addr().String(), "site", a.cfg.site, "version", a.version,
		"sqlite", a.DB.SQLite(), "demo", a.cfg.Demo)
	a.printSetup(ctx, setupCode)

	select {
	case err = <-failed:
	case <-ctx.Done():
		slog.InfoContext(ctx, "stopping")
	}
	cancel() // ends streams and jobs first, so that Shutdown does not wait for them
	end, stop := detached.WithTimeout(ctx, stopWithin)
	defer stop()
	for _, s := range servers {
		err = errors.Join(err, shutdown(end, s))
	}
	stopLogging()
	background.Wait()
	return err
}

// shutdown waits for the open calls of s until ctx ends. Then it says that they are cut off.
func shutdown(ctx context.Context, s *http.Server) error {
	err := s.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("calls that still ran %s after the stop began were cut off: %w", stopWithin, err)
	}
	return err
}

// printSetup says how one becomes the first owner; nothing where the site has one.
func (a *App) printSetup(ctx context.Context, code string) {
	if code != "" {
		slog.InfoContext(ctx, "nobody owns this site yet: open the address and enter the code to become its owner",
			"address", a.cfg.site+setupPage, "code", code)
	}
}

// server limits the time that a client may take for the header of its request. Package api limits how slowly a body may
// arrive and an answer may be read, since the limits of http.Server include the time that the handler works.
func (a *App) server(ctx context.Context, h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
}

// pages returns the handler of the web app.
func (a *App) pages() (*apiweb.App, error) {
	pages, err := apiweb.New(web.Dist(), a.cfg.Data, a.vendors, a.siteNow().JSON)
	if err != nil {
		return nil, err
	}
	pages.LeadTo(setupPage, a.Accounts.Setup.Leads)
	return pages, nil
}

// handler returns what answers all requests: the routes behind the middleware.
func (a *App) handler(reg *prometheus.Registry, pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	a.health(mux)
	a.api(mux)
	apinotify.Payments(mux, a.Payments)
	apinotify.Telegram(mux, a.Telegram)
	apilink.Register(mux, a.Links)
	agent.Register(mux, a.Nodes, a.Traffic, a.Settings)
	a.Agents.Register(mux)
	unsubscribe.Register(mux, a.Broadcasts, func() string { return a.Settings.Get().SiteName })
	modmu.Register(mux, a.Nodes, a.Traffic)
	uniproxy.Register(mux, a.Nodes, a.Traffic, a.Settings, a.cfg.site)
	ppanel.Register(mux, a.Nodes, a.Traffic, a.Settings)
	mux.HandleFunc("GET "+apiweb.SecurityTxtPath, func(w http.ResponseWriter, r *http.Request) {
		apiweb.SecurityTxt(w, r, a.Settings.Get().Contact(), a.cfg.site, a.DB.Now())
	})
	mux.HandleFunc("GET "+apiweb.ManifestPath, func(w http.ResponseWriter, _ *http.Request) {
		site := a.Settings.Get()
		apiweb.Manifest(w, site.SiteName, site.Language, a.icon())
	})
	mux.HandleFunc("GET "+apiweb.PicturesPath+"{name}", func(w http.ResponseWriter, r *http.Request) {
		p := a.Pictures.Get(r.PathValue("name"))
		if p == nil {
			http.NotFound(w, r)
			return
		}
		apiweb.Picture(w, r, p.MediaType, p.Digest, p.Data)
	})
	if a.sandbox != nil {
		mux.Handle("/sandbox/", a.sandbox.Pages(mux))
	}
	if a.cfg.MetricsToken != "" {
		mux.Handle("GET /metrics", metricsHandler(reg, a.cfg.MetricsToken))
	}
	middleware := api.NewMiddleware(mux, a.cfg.proxies, reg)
	middleware.FilterAddresses(a.IPBans.Refuse)
	middleware.SetSite(a.cfg.site)
	middleware.SetLanguage(func() fault.Lang { return a.Settings.Get().Language })
	return middleware.Handler()
}

// picture returns the address of a picture within the site; empty: the built-in one is shown.
func (a *App) picture(name string) string {
	p := a.Pictures.Get(name)
	if p == nil {
		return ""
	}
	return apiweb.PictureAddress(name, p.Digest)
}

// icon returns the site's own icon for the manifest; nil: the manifest names the built-in ones.
func (a *App) icon() *apiweb.Icon {
	p := a.Pictures.Get(sitepicture.Icon)
	if p == nil {
		return nil
	}
	return &apiweb.Icon{
		Src: a.picture(sitepicture.Icon), Sizes: fmt.Sprintf("%dx%d", p.Width, p.Height), Type: p.MediaType,
	}
}

// vendors returns the third parties whose scripts the pages may load.
func (a *App) vendors() []string {
	site := a.Settings.Get()
	if site.CrispWebsiteID == "" {
		return []string{site.CaptchaProvider}
	}
	return []string{site.CaptchaProvider, "crisp"}
}

// Log configures the log of the process. Every record of a request has its id.
func (c Config) Log() {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(os.Stderr, opts)
	if c.LogFormat == "json" {
		h = slog.NewJSONHandler(os.Stderr, opts)
	}
	slog.SetDefault(slog.New(requestIDs{h}))
}

// requestIDs adds the request's id to each record made with its context.
type requestIDs struct{ slog.Handler }

func (h requestIDs) Handle(ctx context.Context, r slog.Record) error {
	if id := api.CallerOf(ctx).RequestID; id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h requestIDs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestIDs{h.Handler.WithAttrs(attrs)}
}

func (h requestIDs) WithGroup(name string) slog.Handler { return requestIDs{h.Handler.WithGroup(name)} }
