package v1

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/approval"
	"airstrip/internal/emby"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

// Partner adds the routes of those who run a media server or a bot for the site's users, for API tokens of the scope
// partner; and the link by which a user comes to the media server. The names of their parameters are the original's: no
// table is meant by them, but one of a few questions.
func (r *Router) Partner(a *account.Accounts, services *service.Services, s *shop.Shop, media *emby.Emby) {
	r.mux.HandleFunc("GET /v1/emby_link/{token}", func(w http.ResponseWriter, req *http.Request) {
		token, err := uuid.Parse(req.PathValue("token"))
		if err != nil || len(req.PathValue("token")) != 36 {
			fail(w, req, emby.ErrNoLink)
			return
		}
		address, err := media.Open(req.Context(), token)
		if err != nil {
			fail(w, req, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, req, address, http.StatusFound)
	})
	r.partner("GET /v1/emby_link_list", a, needs(permission.PartnerRead), nil, func(req *http.Request, _ Input,
		_ string,
	) (Answer, error) {
		accounts, err := media.All(req.Context())
		list := []map[string]any{}
		for i := range accounts {
			list = append(list, showMedia(&accounts[i]))
		}
		return done(req, list), err
	})
	r.partner("GET /v1/emby_function", a, needs(permission.PartnerRead), params{
		need("sql_table").oneOf("link", "user", "version"), may("sql_table_user_id").as(integer),
		may("sql_table_link_token"),
	}, func(req *http.Request, in Input, _ string) (Answer, error) {
		var right emby.Right
		var err error
		switch in.Get("sql_table") {
		case "version":
			version, err := media.Version(req.Context())
			return done(req, map[string]any{"version": version}), err
		case "user":
			if err := in.Need("GET /v1/emby_function", "sql_table_user_id"); err != nil {
				return Answer{}, err
			}
			right, err = media.OfUser(req.Context(), in.Int("sql_table_user_id"))
		default:
			if err := in.Need("GET /v1/emby_function", "sql_table_link_token"); err != nil {
				return Answer{}, err
			}
			right, err = media.OfToken(req.Context(), in.Get("sql_table_link_token"))
		}
		if err != nil {
			return Answer{}, err
		}
		data := map[string]any{
			"user_id": right.UserID, "is_allowed": right.Allowed, "user_level": right.Class,
			"expires_at": right.ExpiresAt, "account": nil,
		}
		if right.Account != nil {
			data["account"] = showMedia(right.Account)
		}
		return done(req, data), nil
	})
	const casinoFunction = "GET /v1/casino_function"
	// To add traffic takes a key of the scope grant, too: permission.TrafficGrant.
	r.partner(casinoFunction, a, rule{permission.PartnerRead, []approval.Kind{approval.Traffic}}, params{
		need("sql_table").oneOf("user", "version"), may("sql_table_telegram_id").as(integer), may("type_mode").
			oneOf("get", "add"),
		param{name: "sql_table_add_transfer_enable", kind: integer, inner: []string{"bytes"}},
	}, func(req *http.Request, in Input, key string) (Answer, error) {
		if in.Get("sql_table") == "version" {
			version, err := media.Version(req.Context())
			return done(req, map[string]any{"version": version}), err
		}
		if err := in.Need(casinoFunction, "sql_table_telegram_id"); err != nil {
			return Answer{}, err
		}
		user, err := a.ByTelegram(req.Context(), in.Int("sql_table_telegram_id"))
		if err != nil {
			return Answer{}, err
		}
		if in.Get("type_mode") == "add" {
			giver, err := a.APITokens.Authenticate(req.Context(), key, account.ScopeGrant)
			if errors.Is(err, account.ErrTokenScope) {
				return Answer{}, fault.Invalid("type_mode", "scope", "增加流量需要权限含 grant 的密钥",
					"To add traffic the key needs the scope grant")
			} else if err != nil {
				return Answer{}, err
			}
			if err := in.Need(casinoFunction, "sql_table_add_transfer_enable"); err != nil {
				return Answer{}, err
			}
			req, err := keyed(req, giver.UserID, in)
			if err != nil {
				return Answer{}, err
			}
			req = req.WithContext(r.acting(req.Context(), tokenActor(giver, req)))
			if err := s.GrantTraffic(req.Context(), user.ID, "Telegram", in.Int("sql_table_add_transfer_enable"),
				"",
				&giver.UserID); err != nil {
				return Answer{}, err
			}
		}
		access, err := services.Access(req.Context(), user.ID)
		if err != nil {
			return Answer{}, err
		}
		return done(req, map[string]any{
			"id": user.ID, "telegram_id": in.Int("sql_table_telegram_id"), "user_name": user.Name,
			"state": access.State, "is_enabled": access.Allowed, "user_level": access.Class,
			"ss_upload_size": access.UpBytes, "ss_download_size": access.DownBytes,
			"ss_bandwidth_total_size": access.QuotaBytes, "ss_bandwidth_remaining_size": access.RemainingBytes,
			"expires_at": access.ExpiresAt,
		}), nil
	})
}

// partner registers a route for API tokens of the scope partner, as api_key or as the bearer; fn is given the token.
func (r *Router) partner(
	pattern string, a *account.Accounts, needs rule, ps params, fn func(req *http.Request, in Input,
		key string) (Answer, error),
) {
	ps = ps.and(params{may("api_key")})
	r.staffRule(pattern, needs)
	r.handle(pattern, ps, func(w http.ResponseWriter, req *http.Request) {
		key := apiKey(req)
		if key == "" {
			fail(w, req, api.ErrSignIn)
			return
		}
		if _, err := a.APITokens.Authenticate(req.Context(), key, account.ScopePartner); err != nil {
			fail(w, req, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		serve(w, req, pattern, ps, func(req *http.Request, in Input) (Answer, error) {
			return fn(req.WithContext(approval.Watch(req.Context(), needs.gives...)), in, key)
		})
	})
}

func apiKey(req *http.Request) string {
	if key := req.URL.Query().Get("api_key"); key != "" {
		return key
	}
	bearer, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	return bearer
}

func showMedia(a *emby.Account) map[string]any {
	return map[string]any{
		"user_id": a.UserID, "token": a.Token, "name": a.Name, "emby_id": a.EmbyID, "state": a.State,
		"wanted":     a.Wanted,
		"is_allowed": a.Allowed, "expires_at": a.ExpiresAt, "updated_at": a.UpdatedAt,
	}
}
