package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/api/agent"
	v1 "airstrip/internal/api/v1"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/api/v2/public"
	"airstrip/internal/api/v2/staff"
	"airstrip/internal/api/v2/user"
	"airstrip/internal/clickhouse"
	"airstrip/internal/console"
	"airstrip/internal/idempotency"
	"airstrip/internal/job"
)

func (a *App) siteNow() public.SiteNow {
	return public.NewSiteNow(a.Settings, a.Accounts, a.Telegram, a.Announcements, a.cfg.site, a.version,
		a.cfg.Demo, a.picture)
}

// api serves both generations of the API on mux and returns the contract of /api/v2. Its operations are listed by
// resource; the route lines are in the files of the resources.
func (a *App) api(mux *http.ServeMux) *huma.OpenAPI {
	a.legacy(mux)
	return v2.New(mux, a.version, a.Accounts.Sessions.Authenticate,
		func(r *v2.Router) { r.UseKeys(idempotency.NewKeys(a.DB)) },
		// Anybody.
		public.Site(a.siteNow(), a.Settings),
		public.Auth(a.Accounts),
		public.Captcha(a.Captchas),
		public.Cookies(a.Accounts),
		public.EmailCodes(a.Accounts),
		public.Passkeys(a.Accounts),
		public.Push(a.Push),
		public.Setup(a.Accounts, a.Audit),
		public.Telegram(a.Telegram),
		public.Traffic(a.Accounts, a.Traffic, a.Nodes),
		public.TrafficCopy(a.Accounts, a.ClickHouse, a.Nodes, func() time.Time { return a.DB.Now() }),

		// Who is signed in.
		user.SignOut(a.Accounts),
		user.Email(a.Accounts),
		user.Account(a.Accounts),
		user.Chat(a.Accounts, a.Wallets, a.Services),
		user.Security(a.Accounts),
		user.StepUp(a.Accounts),
		user.Passkeys(a.Accounts),
		user.CloseAccount(a.Accounts),
		user.Activity(a.Accounts),
		user.APITokens(a.Accounts),
		user.Telegram(a.Telegram),
		user.Wallet(a.Wallets, a.Shop, a.Renewals, a.Payments, a.Settings),
		user.CDKeys(a.CDKeys),
		user.Invites(a.Invites, a.Settings, a.cfg.site),
		user.CheckIns(a.CheckIns, a.Settings),
		user.Recharges(a.Wallets, a.Shop, a.Payments, a.Settings),
		user.Plans(a.Shop, a.Settings),
		user.Shop(a.Shop, a.Payments, a.Settings),
		user.LinkToken(a.Links, a.Services),
		user.Clients(a.Links, a.Guides),
		user.Emby(a.Emby, a.cfg.site),
		user.ShareAccounts(a.Shares),
		user.Dashboard(a.Accounts, a.Wallets, a.Services, a.Nodes, a.Traffic, a.Settings, a.linkURLs),
		user.Services(a.Services),
		user.Bills(a.Shop),
		user.Renewals(a.Renewals, a.Settings),
		user.Invoices(a.Wallets, a.Shop, a.Payments, a.Settings),
		user.Refunds(a.Shop),
		user.Nodes(a.Nodes, a.Services, a.Settings),
		user.Traffic(a.Traffic, a.Nodes),
		user.AuditRules(a.Nodes),
		user.Announcements(a.Announcements, func() time.Time { return a.DB.Now() }),
		user.Tickets(a.Tickets),
		user.Guides(a.Guides),
		user.Notices(a.Users, a.Accounts),
		user.Push(a.Push, a.Accounts),

		// Members of staff whose role has the permission that the operation names.
		staff.Mails(a.Mails, a.Accounts),
		staff.MailTemplates(a.Mails, a.Accounts),
		staff.SitePictures(a.Pictures),
		staff.CDKeys(a.CDKeys, a.Accounts),
		staff.Coupons(a.Shop, a.Accounts),
		staff.Adjustments(a.Wallets),
		staff.Invites(a.Invites, a.Wallets, a.Accounts),
		staff.InviteFigures(a.Invites, a.CheckIns, a.Console),
		staff.Gateways(a.Gateways, a.Payments),
		staff.Plans(a.Shop, a.Settings),
		staff.Clients(a.Links),
		staff.LinkTemplates(a.Links, a.Accounts),
		staff.LinkFetches(a.Console, a.Accounts, a.Links),
		staff.Anomalies(a.Accounts, a.Nodes, a.Traffic, a.Links),
		staff.Emby(a.Emby, a.Console, a.Accounts),
		staff.APIKeys(a.Accounts),
		staff.Webhooks(a.Webhooks),
		staff.ShareAccounts(a.Shares, a.Accounts),
		staff.Refunds(a.Shop, a.Accounts),
		staff.RechargeRefunds(a.Wallets, a.Payments),
		staff.PaymentCases(a.Payments, a.Wallets, a.Accounts),
		staff.Approvals(a.Approvals, a.Accounts),
		staff.Audit(a.Console, a.Audit, a.Accounts, a.auditCheck),
		staff.Nodes(a.Nodes, a.Agents.Line),
		staff.NodeActions(a.Nodes, a.Links, a.agentConfig),
		staff.NodeGroups(a.Nodes),
		staff.NodeStats(a.Nodes, a.Traffic),
		staff.Statistics(a.Accounts, a.Services, a.Shop, a.Nodes, a.Traffic),
		staff.NodeMigration(a.Nodes),
		staff.HeldBatches(a.Nodes, a.Traffic),
		staff.BlockedIPs(a.Nodes),
		staff.Users(a.Accounts),
		staff.UserList(a.Console, a.Accounts, a.Shop),
		staff.Orders(a.Console, a.Accounts, a.Shop, a.Wallets),
		staff.OrderMaking(a.Accounts, a.Shop, a.Payments),
		staff.Recharges(a.Console, a.Accounts, a.Wallets, a.Payments),
		staff.User(a.Console, a.Accounts, a.Wallets, a.Services, a.Shop, a.Merges),
		staff.UserActions(a.Accounts, a.Links),
		staff.UserGifts(a.Shop),
		staff.UserImport(a.Accounts),
		staff.UserMerge(a.Merges),
		staff.UserConnection(a.Accounts, a.Services, a.Nodes, a.Links, a.IPBans, a.Traffic),
		staff.Ledger(a.Console, a.Wallets),
		staff.Reconciliation(a.Wallets, a.Reconciliation),
		staff.Invoices(a.Console, a.Accounts, a.Wallets),
		staff.ServiceList(a.Console, a.Accounts, a.Services),
		staff.UserNotes(a.Console, a.Accounts),
		staff.BulkJobs(a.Bulks, a.Accounts),
		staff.Overview(a.overview()),
		staff.UserHistory(a.Accounts, a.Links),
		staff.AuditRules(a.Console, a.Accounts, a.Nodes),
		staff.IPBans(a.IPBans, a.Accounts),
		staff.Announcements(a.Announcements),
		staff.Tickets(a.Tickets, a.Accounts),
		staff.Guides(a.Guides),
		staff.Broadcasts(a.Broadcasts),
		staff.Role(),
		staff.Views(a.Console, a.Accounts),
		staff.Roles(a.Roles, a.Accounts),
		staff.Members(a.Accounts, a.Approvals, a.Settings),
		staff.Settings(a.Settings, a.Secrets, a.Audit, a.Accounts),
		staff.Jobs(a.Queue, a.Outbox, a.Bulk, a.Media, a.Notices, a.Copies),
		staff.System(a.system, a.trials(), a.Accounts),
		staff.SigningKey(a.Tokens),
	)
}

// legacy serves v1 on mux.
func (a *App) legacy(mux *http.ServeMux) *v1.Router {
	old := v1.New(mux, a.Accounts.Sessions.Authenticate)
	old.Audited(a.Audit)
	old.Auth(a.Accounts)
	old.Security(a.Accounts)
	old.Code(a.Accounts)
	old.Ban(a.Accounts)
	old.IPBan(a.IPBans)
	old.SignInLinks(a.Accounts, a.Captchas, a.Settings, a.cfg.site)
	old.Jobs(a.Accounts, a.Nodes, a.jobs()...)
	old.LinkGroups(a.Accounts, a.Nodes)
	old.Users(a.Accounts, a.Links)
	old.Totals(a.Accounts, a.Traffic)
	old.Credentials(a.Links, a.Services)
	old.Shop(a.Shop)
	old.Invite(a.Invites)
	old.CheckIn(a.CheckIns, a.Settings)
	old.Payment(a.Wallets, a.Payments, a.Accounts)
	old.Telegram(a.Telegram)
	old.Partner(a.Accounts, a.Services, a.Shop, a.Emby)
	old.Detect(a.Nodes)
	old.Announcement(a.Announcements)
	old.Ticket(a.Tickets)
	old.Site(a.Settings, a.cfg.site, a.version, func(r *http.Request) (int64,
		error,
	) {
		return a.DB.SchemaVersion(r.Context())
	})
	return old
}

// overview are the parts that the overview adds up.
func (a *App) overview() staff.OverviewParts {
	return staff.OverviewParts{
		Console: a.Console, Settings: a.Settings, Shop: a.Shop, Payments: a.Payments, Nodes: a.Nodes,
		Traffic: a.Traffic, Tickets: a.Tickets,
		Queues: []*job.Queue{a.Queue, a.Outbox, a.Bulk, a.Media, a.Notices, a.Copies},
		Now:    func() time.Time { return a.DB.Now() },
	}
}

func (a *App) linkURLs(ctx context.Context, userID int64) ([]string, error) {
	token, err := a.Links.Token(ctx, userID)
	return token.URLs, err
}

// linkURLsIn is linkURLs as part of tx.
func (a *App) linkURLsIn(ctx context.Context, tx bun.Tx, userID int64) ([]string, error) {
	token, err := a.Links.TokenIn(ctx, tx, userID)
	return token.URLs, err
}

// agentConfig returns what the agent of a node is told.
func (a *App) agentConfig(ctx context.Context, id int64) (any, error) {
	return agent.Describe(ctx, a.Nodes, a.Settings, id)
}

// typesOnly returns an App that has no parts: its operations can be registered, and none called.
func typesOnly() *App {
	return &App{
		version: "1", Accounts: new(account.Accounts), ClickHouse: new(clickhouse.ClickHouse),
		Console: new(console.Console),
	}
}

// Contract returns openapi.json. It needs no database, only the types.
func Contract() ([]byte, error) {
	flat, err := typesOnly().api(http.NewServeMux()).MarshalJSON()
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	err = json.Indent(&lines, flat, "", "  ")
	lines.WriteByte('\n')
	return lines.Bytes(), err
}
