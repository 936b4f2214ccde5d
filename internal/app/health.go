package app

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"airstrip/internal/api"
)

// health answers /health while the process lives and /ready while it can do its work.
func (a *App) health(mux *http.ServeMux) {
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		api.WriteJSON(w, http.StatusOK, map[string]any{"status": "ok", "version": a.version})
	})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if migrated, err := a.DB.Migrated(ctx); err != nil || !migrated {
			api.NewFailure(r.Context(), api.ErrUnavailable.Because(err)).Write(w)
			return
		}
		api.WriteJSON(w, http.StatusOK, map[string]any{"status": "ready"})
	})
	mux.HandleFunc("GET /ip", func(w http.ResponseWriter, r *http.Request) {
		api.WriteJSON(w, http.StatusOK, map[string]any{"ip": api.CallerOf(r.Context()).IP.String()})
	})
}

// metricsHandler serves the registry; with a token only to those who bear it.
func metricsHandler(reg *prometheus.Registry, token string) http.Handler {
	metrics := promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if token != "" && subtle.ConstantTimeCompare([]byte(bearer), []byte(token)) != 1 {
			api.NewFailure(r.Context(), api.ErrSignIn).Write(w)
			return
		}
		metrics.ServeHTTP(w, r)
	})
}
