package v1

import (
	"net"
	"net/http"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/link"
	"airstrip/internal/node"
	"airstrip/internal/permission"
)

// Users adds what staff does with users by the older routes.
func (r *Router) Users(a *account.Accounts, links *link.Links) {
	r.staff("GET /v1/admin/replace_user_email", needs(permission.UserEmailReplace), params{
		need("user_id").as(integer), need("user_old_email"), need("user_new_email"),
	}, func(req *http.Request, who account.Identity, in Input) (Answer, error) {
		userID, present, email := in.Int("user_id"), in.Get("user_old_email"), in.Get("user_new_email")
		former, err := a.Credentials.ReplaceEmail(req.Context(), who, userID, present, email, "", clientOf(req))
		return done(req, map[string]any{
			"user_id": userID, "old_email": former, "new_email": account.NormalEmail(email),
			"updated_at": time.Now().UTC(),
		}), err
	})
	// Whoever has these has everybody's links, so only owners do.
	r.staff("GET /v1/admin/gen_user_link_v1", needs(permission.LinkExport), params{
		may("a1_host"), may("a1_port").within(1, 65535), may("a2_host"), may("a2_port").within(1, 65535),
		may("a3_host"), may("a3_port").within(1, 65535),
	}, func(req *http.Request, _ account.Identity, in Input) (Answer, error) {
		entries := map[string]string{}
		for _, name := range []string{"a1", "a2", "a3"} {
			entry, err := in.endpoint(name)
			if err != nil {
				return Answer{}, err
			}
			if entry != "" {
				entries[name] = entry
			}
		}
		if len(entries) == 0 {
			return Answer{}, fault.Required("GET /v1/admin/gen_user_link_v1", "a1_host")
		}
		if err := audit.Note(req.Context(), "link.export", audit.Object{Kind: "link"}, entries, ""); err != nil {
			return Answer{}, err
		}
		tokens, err := links.All(req.Context())
		rows := make([]map[string]any, len(tokens))
		for i, t := range tokens {
			rows[i] = map[string]any{"user_id": t.UserID}
			for name, entry := range entries {
				rows[i][name] = "https://" + entry + "/link/" + t.Token
			}
		}
		return Answer{Data: rows, More: map[string]any{"total": len(rows)}}, err
	})
}

// endpoint returns host:port of name_host and name_port, the host alone without a port; empty where the host is absent.
func (in Input) endpoint(name string) (string, error) {
	host, port := in.Get(name+"_host"), in.Get(name+"_port")
	if host == "" && port == "" {
		return "", nil
	}
	if !node.IsHost(host) {
		return "", fault.Invalid(name+"_host", "format", "请填写域名或 IP", "This is neither a host name nor an IP address")
	}
	if port == "" {
		return host, nil
	}
	return net.JoinHostPort(host, port), nil
}
