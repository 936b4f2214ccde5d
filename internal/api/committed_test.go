package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/uptrace/bun"

	"airstrip/internal/api"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/dberr"
	"airstrip/internal/fault"
)

// What a request saved stays saved where its answer cannot be read any more. A caller who hears that nothing was saved
// would do it once more.
func TestFaultOf_AfterACommit_DoesNotSayThatNothingWasSaved(t *testing.T) {
	lost := &dberr.LostConnection{Err: errors.New("reset by peer")}
	refused := errors.New("refused")
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, c := range map[string]struct {
			tracked bool
			write   error // what the transaction ends with
			err     error
			want    *fault.Error
		}{
			"a read after the commit":             {true, nil, lost, dberr.ErrOutcomeUnknown},
			"a second transaction":                {true, nil, dberr.ErrBusy, dberr.ErrOutcomeUnknown},
			"a read after what was rolled back":   {true, refused, lost, dberr.ErrUnreachable},
			"a request that only reads":           {false, nil, lost, dberr.ErrUnreachable},
			"another fault after the commit":      {true, nil, api.ErrTooLarge, api.ErrTooLarge},
			"something unexpected after a commit": {true, nil, refused, fault.ErrInternal},
		} {
			ctx := t.Context()
			if c.tracked {
				ctx = dberr.TrackCommits(ctx)
			}
			err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				if _, err := db.Bump(ctx, tx, "here"); err != nil {
					return err
				}
				return c.write
			})
			if !errors.Is(err, c.write) {
				t.Fatal(err)
			}
			if got := api.FaultOf(ctx, c.err); got.Code != c.want.Code {
				t.Errorf("%s: %s, want %s", name, got.Code, c.want.Code)
			}
		}
	})
}

// Some routes of /v1 confirm payments and reset links by GET.
func TestMiddleware_RequestOfAnyMethod_RemembersItsCommit(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/write", func(w http.ResponseWriter, r *http.Request) {
		dberr.NoteCommit(r.Context())
		api.NewFailure(r.Context(), dberr.ErrUnreachable).Write(w)
	})
	mux.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		api.NewFailure(r.Context(), dberr.ErrUnreachable).Write(w)
	})
	h := api.NewMiddleware(mux, nil, prometheus.NewRegistry()).Handler()
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		for path, code := range map[string]string{"/write": "outcome_unknown", "/read": "database_unreachable"} {
			w := ask(h, method, path, "203.0.113.9:1", nil)
			if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"`+code+`"`) {
				t.Errorf("%s %s answers %d %s, want %s", method, path, w.Code, w.Body, code)
			}
		}
	}
}
