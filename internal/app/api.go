package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	v1 "airstrip/internal/api/v1"
	v2 "airstrip/internal/api/v2"
)

func (a *App) siteNow() v2.SiteNow {
	return v2.NewSiteNow(a.Settings, a.Accounts, a.Telegram, a.cfg.site, a.version, a.cfg.Demo)
}

// api serves the generations of the API on mux and gives the contract of v2.
func (a *App) api(mux *http.ServeMux) *huma.OpenAPI {
	a.older(mux)
	return v2.New(mux, a.version, a.Accounts.Sessions.Authenticate,
		v2.Site(a.siteNow()),
		v2.Auth(a.Accounts),
		v2.Captcha(a.Captchas),
		v2.Cookies(a.Accounts),
		v2.Code(a.Accounts),
		v2.Me(a.Accounts),
		v2.Chat(a.Accounts, a.Wallets, a.Services),
		v2.Security(a.Accounts),
		v2.Passkey(a.Accounts),
		v2.Close(a.Accounts),
		v2.History(a.Accounts),
		v2.Developer(a.Accounts),
		v2.Mails(a.Mails, a.Accounts),
		v2.Telegram(a.Telegram),
		v2.Wallet(a.Wallets, a.Shop, a.Renewals, a.Payments, a.Settings),
		v2.CDKeys(a.CDKeys),
		v2.Coupons(a.Shop),
		v2.Adjustments(a.Wallets),
		v2.Invites(a.Invites, a.Wallets, a.Settings, a.cfg.site),
		v2.Recharge(a.Wallets, a.Shop, a.Payments, a.Settings),
		v2.Gateways(a.Gateways),
		v2.Plans(a.Shop, a.Settings),
		v2.StaffPlans(a.Shop),
		v2.Shop(a.Shop, a.Payments, a.Settings),
		v2.LinkToken(a.Links, a.Services),
		v2.Clients(a.Links),
		v2.LinkTemplates(a.Links),
		v2.Emby(a.Emby, a.cfg.site),
		v2.Dashboard(a.Accounts, a.Wallets, a.Services, a.Nodes, a.Traffic, a.Settings, a.linkURLs),
		v2.Services(a.Services),
		v2.Bills(a.Shop),
		v2.Renewals(a.Renewals, a.Settings),
		v2.Invoices(a.Wallets, a.Shop, a.Payments, a.Settings),
		v2.Refunds(a.Shop),
		v2.GatewayRefunds(a.Wallets, a.Payments),
		v2.PaymentCases(a.Payments),
		v2.Approvals(a.Approvals),
		v2.Audited(a.Audit),
		v2.Nodes(a.Nodes, a.Services),
		v2.StaffNodes(a.Nodes, a.Agents.Line),
		v2.StaffNodeLooks(a.Nodes, a.Traffic),
		v2.StaffNodeMoves(a.Nodes),
		v2.KeptBatches(a.Nodes, a.Traffic),
		v2.BlockedIPs(a.Nodes),
		v2.Users(a.Accounts),
		v2.Traffic(a.Traffic, a.Nodes),
		v2.Audit(a.Nodes),
		v2.AuditRules(a.Nodes),
		v2.IPBans(a.IPBans),
		v2.StaffRole(),
	)
}

// older serves v1 on mux.
func (a *App) older(mux *http.ServeMux) *v1.Router {
	old := v1.New(mux, a.Accounts.Sessions.Authenticate)
	old.Audited(a.Audit)
	old.Auth(a.Accounts)
	old.Security(a.Accounts)
	old.Code(a.Accounts)
	old.Ban(a.Accounts)
	old.IPBan(a.IPBans)
	old.Door(a.Accounts, a.Captchas, a.Settings, a.cfg.site)
	old.Jobs(a.Accounts, a.Nodes, a.jobs()...)
	old.LinkGroups(a.Accounts, a.Nodes)
	old.Users(a.Accounts, a.Links)
	old.Totals(a.Accounts, a.Traffic)
	old.Credentials(a.Links, a.Services)
	old.Shop(a.Shop)
	old.Invite(a.Invites)
	old.Payment(a.Wallets, a.Payments, a.Accounts)
	old.Telegram(a.Telegram)
	old.Partner(a.Accounts, a.Services, a.Shop, a.Emby)
	old.Detect(a.Nodes)
	old.Site(a.Settings, a.cfg.site, a.version, func(r *http.Request) (int64, error) { return a.DB.SchemaVersion(r.Context()) })
	return old
}

func (a *App) linkURLs(ctx context.Context, userID int64) ([]string, error) {
	token, err := a.Links.Token(ctx, userID)
	return token.URLs, err
}

// Contract gives openapi.json. It needs no database, only the types.
func Contract() ([]byte, error) {
	a := &App{version: "1", Accounts: new(account.Accounts)}
	flat, err := a.api(http.NewServeMux()).MarshalJSON()
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	err = json.Indent(&lines, flat, "", "  ")
	lines.WriteByte('\n')
	return lines.Bytes(), err
}
