package public

import (
	"context"
	"encoding/json"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
)

type setupCodeBody struct {
	Code string `json:"code" maxLength:"64" doc:"What the server printed when it started"`
}

type setupBody struct {
	Code     string     `json:"code" maxLength:"64" doc:"What the server printed when it started"`
	Email    string     `json:"email" format:"email" maxLength:"320"`
	Password string     `json:"password" maxLength:"1024" doc:"8 to 128 characters, not among the most common"`
	SiteName string     `json:"site_name" maxLength:"100"`
	Language fault.Lang `json:"language" enum:"zh-CN,en" doc:"Of readers whose browser asks for no language that the pages have"`
	TimeZone string     `json:"time_zone" maxLength:"100" doc:"IANA name of the zone in which the site counts days"`
}

// Setup adds the first steps of a site that has no owner: its owner is made, named and signed in by who has the code
// that the server printed.
func Setup(a *account.Accounts, log *audit.Log) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.PublicOp("POST /setup/check-code").
			Named("setup_check_code", "Ask whether this is the code that the server printed for its first owner"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[setupCodeBody]) (v2.Empty, error) {
				return v2.Empty{}, a.Setup.CheckCode(ctx, in.Body.Code, v2.ClientOf(ctx))
			})
		v2.Handle(r, v2.PublicOp("POST /setup/owner").
			Named("setup_owner", "Make the first owner of the site and sign them in; only once, and only with the code").
			Answering(fault.Text{ZH: "站点已设置", EN: "The site is yours"}),
			func(ctx context.Context, _ account.Identity, in *v2.Body[setupBody]) (out v2.TokensResult, err error) {
				b, from := in.Body, v2.ClientOf(ctx)
				site := map[string]json.RawMessage{}
				for name, value := range map[string]any{
					"site_name": b.SiteName, "language": b.Language, "time_zone": b.TimeZone,
				} {
					if site[name], err = json.Marshal(value); err != nil {
						return out, err
					}
				}
				// Whoever has the code runs the server, as who gives commands does.
				ctx = log.As(ctx, audit.Actor{
					Kind: audit.Operator, Name: "setup", Address: from.IP.String(), RequestID: api.CallerOf(ctx).RequestID,
				})
				g, err := a.Setup.Make(ctx, account.FirstOwner{
					Code: b.Code, Email: b.Email, Password: b.Password, Site: site,
				}, from)
				return v2.TokensOf(g), err
			})
	}
}
