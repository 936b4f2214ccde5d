package api_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"airstrip/internal/api"
)

func TestSeen_CallerThatWentAway_IsNotLoggedAsAWarning(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	gone, leave := context.WithCancel(t.Context())
	leave()
	err := fmt.Errorf("listing orders: %w", context.Canceled)
	if f := api.FaultOf(gone, err); f != api.ErrUnavailable || log.Len() > 0 {
		t.Errorf("the caller went away: got %v and the log %q, want %v and no log", f, &log, api.ErrUnavailable)
	}
	// Something else than the caller ended the request.
	if f := api.FaultOf(t.Context(), err); f != api.ErrUnavailable || log.Len() == 0 {
		t.Errorf("the caller waits: got %v and the log %q, want %v and a warning", f, &log, api.ErrUnavailable)
	}
}
