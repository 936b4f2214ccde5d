package app

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"airstrip/internal/api"
	"airstrip/internal/dberr"
)

// health answers /health while the process runs, and /ready while the schema is complete and the last write probe
// succeeded.
func (a *App) health(mux *http.ServeMux) {
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		api.WriteJSON(w, http.StatusOK, map[string]any{"status": "ok", "version": a.version})
	})
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		err := a.DB.WriteProblem()
		if err == nil {
			var migrated bool
			if migrated, err = a.DB.Migrated(ctx); err == nil && !migrated {
				err = api.ErrUnavailable
			}
		}
		if errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil { // before the write probe finds it
			err = dberr.ErrUnreachable.Because(err)
		}
		if err != nil {
			api.NewFailure(r.Context(), err).Write(w)
			return
		}
		api.WriteJSON(w, http.StatusOK, map[string]any{"status": "ready"})
	})
	mux.HandleFunc("GET /ip", func(w http.ResponseWriter, r *http.Request) {
		api.WriteJSON(w, http.StatusOK, map[string]any{"ip": api.CallerOf(r.Context()).IP.String()})
	})
}

// writableMetric reports whether the database accepts writes.
func (a *App) writableMetric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "airstrip_database_writable",
		Help: "1 while the write probe can write into the database, 0 while nothing can be written.",
	}, func() float64 {
		if a.DB.WriteProblem() != nil {
			return 0
		}
		return 1
	})
}

// metricsHandler serves the registry; if a token is configured, only to requests with it.
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
