package v1

import (
	"net/http"

	"airstrip/internal/api"
	"airstrip/internal/setting"
)

// Site adds the routes about the site itself. Three of them have older shapes of their own.
func (r *Router) Site(settings *setting.Settings, siteURL, version string, schema func(*http.Request) (int64, error)) {
	r.open("GET /v1/app/config", nil, func(*http.Request, Input) (Answer, error) {
		s := settings.Get()
		return Answer{Data: map[string]any{
			"site_name": s.SiteName, "site_url": siteURL, "version": version, "currency": s.Currency,
			"sign_up_mode": s.SignUpMode, "test_pages": s.TestPages,
		}}, nil
	})
	r.open("GET /v1/version", nil, func(*http.Request, Input) (Answer, error) { return Answer{Data: version}, nil })
	r.open("GET /v1/version_db", nil, func(req *http.Request, _ Input) (Answer, error) {
		v, err := schema(req)
		return Answer{Data: v}, err
	})
	r.mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, req *http.Request) {
		api.WriteJSON(w, http.StatusOK, map[string]string{"version": version})
	})
}
