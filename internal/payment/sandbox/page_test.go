package sandbox_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/seal"
)

func TestPages_CallerThatWentAway_IsNoErrorInTheLog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var log bytes.Buffer
		before := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		defer slog.SetDefault(before)
		pages := sandbox.New(d, seal.Key{1}, "http://shop.example").Pages(http.NotFoundHandler())
		get := func(ctx context.Context) {
			pages.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet,
				"/sandbox/pay/1", nil))
		}

		gone, leave := context.WithCancel(t.Context())
		leave()
		get(gone)
		if log.Len() > 0 {
			t.Errorf("a caller that went away is logged: %s", &log)
		}

		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		get(t.Context())
		if !strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("want an error for a closed database, got %q", log.String())
		}
	})
}
