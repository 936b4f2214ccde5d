package v1

import (
	"errors"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	"airstrip/internal/emby"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// Partner adds the routes of those who run a media server or a bot for the site's users, for API tokens of the scope
// partner; and the link by which a user comes to the media server. The names of their parameters are the original's: no
// table is meant by them, but one of a few questions.
func (r *Router) Partner(a *account.Accounts, services *service.Services, media *emby.Emby) {
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
	r.partner("GET /v1/emby_link_list", a, func(req *http.Request, _ Input, _ string) (Answer, error) {
		accounts, err := media.All(req.Context())
		list := []map[string]any{}
		for i := range accounts {
			list = append(list, showMedia(&accounts[i]))
		}
		return done(req, list), err
	})
	const embyFunction, casinoFunction = "GET /v1/emby_function", "GET /v1/casino_function"
	r.partner(embyFunction, a, func(req *http.Request, in Input, _ string) (Answer, error) {
		table, err := in.Need(embyFunction, "sql_table")
		if err != nil {
			return Answer{}, err
		}
		var right emby.Right
		switch table {
		case "version":
			version, err := media.Version(req.Context())
			return done(req, map[string]any{"version": version}), err
		case "user":
			id, err := in.number(embyFunction, "sql_table_user_id")
			if err != nil {
				return Answer{}, err
			}
			right, err = media.OfUser(req.Context(), id)
			if err != nil {
				return Answer{}, err
			}
		case "link":
			token, err := in.Need(embyFunction, "sql_table_link_token")
			if err != nil {
				return Answer{}, err
			}
			right, err = media.OfToken(req.Context(), token)
			if err != nil {
				return Answer{}, err
			}
		default:
			return Answer{}, fault.Invalid("sql_table", "choice", "sql_table 只能是 link、user 或 version", "The sql_table is link, user or version")
		}
		data := map[string]any{"user_id": right.UserID, "is_allowed": right.Allowed, "user_level": right.Class, "expires_at": right.ExpiresAt, "account": nil}
		if right.Account != nil {
			data["account"] = showMedia(right.Account)
		}
		return done(req, data), nil
	})
	r.partner(casinoFunction, a, func(req *http.Request, in Input, key string) (Answer, error) {
		table, err := in.Need(casinoFunction, "sql_table")
		if err != nil {
			return Answer{}, err
		}
		switch table {
		case "version":
			version, err := media.Version(req.Context())
			return done(req, map[string]any{"version": version}), err
		case "user":
		default:
			return Answer{}, fault.Invalid("sql_table", "choice", "sql_table 只能是 user 或 version", "The sql_table is user or version")
		}
		telegramID, err := in.number(casinoFunction, "sql_table_telegram_id")
		if err != nil {
			return Answer{}, err
		}
		user, err := a.ByTelegram(req.Context(), telegramID)
		if err != nil {
			return Answer{}, err
		}
		switch in.Get("type_mode") {
		case "", "get":
		case "add":
			if _, err := a.AuthenticateToken(req.Context(), key, account.ScopeGrant); errors.Is(err, account.ErrTokenScope) {
				return Answer{}, fault.Invalid("type_mode", "scope", "增加流量需要权限含 grant 的密钥", "To add traffic the key needs the scope grant")
			} else if err != nil {
				return Answer{}, err
			}
			bytes, err := in.number(casinoFunction, "sql_table_add_transfer_enable")
			if err != nil {
				return Answer{}, err
			}
			if _, err := services.GrantTraffic(req.Context(), user.ID, "Telegram", bytes); err != nil {
				return Answer{}, called(err, "bytes", "sql_table_add_transfer_enable")
			}
		default:
			return Answer{}, fault.Invalid("type_mode", "choice", "type_mode 只能是 get 或 add", "The type_mode is get or add")
		}
		access, err := services.Access(req.Context(), user.ID)
		if err != nil {
			return Answer{}, err
		}
		return done(req, map[string]any{
			"id": user.ID, "telegram_id": telegramID, "user_name": user.Name, "state": access.State, "is_enabled": access.Allowed, "user_level": access.Class,
			"ss_upload_size": access.UpBytes, "ss_download_size": access.DownBytes, "ss_bandwidth_total_size": access.QuotaBytes, "ss_bandwidth_remaining_size": access.RemainingBytes, "expires_at": access.ExpiresAt,
		}), nil
	})
}

// partner registers a route for API tokens of the scope partner, as api_key or as the bearer; fn is given the token.
func (r *Router) partner(pattern string, a *account.Accounts, fn func(req *http.Request, in Input, key string) (Answer, error)) {
	r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		key := apiKey(req)
		if key == "" {
			fail(w, req, api.ErrSignIn)
			return
		}
		if _, err := a.AuthenticateToken(req.Context(), key, account.ScopePartner); err != nil {
			fail(w, req, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		serve(w, req, func(req *http.Request, in Input) (Answer, error) { return fn(req, in, key) })
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
		"user_id": a.UserID, "token": a.Token, "name": a.Name, "emby_id": a.EmbyID, "state": a.State, "wanted": a.Wanted,
		"is_allowed": a.Allowed, "expires_at": a.ExpiresAt, "updated_at": a.UpdatedAt,
	}
}
