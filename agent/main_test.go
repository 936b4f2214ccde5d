package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"airstrip/agent/internal/meter"
	"airstrip/agent/internal/run"
)

func TestServe_OneOfSeveralFails_IsRetried(t *testing.T) {
	broken, removed := errors.New("broken"), fmt.Errorf("the data folder: %w", meter.ErrRemoved)
	for name, c := range map[string]struct {
		alone   bool
		results []error
		after   time.Duration
		ends    error
	}{
		"regular stop":             {alone: true, results: []error{nil}},
		"alone":                    {alone: true, results: []error{broken}, ends: broken},
		"one of several":           {results: []error{broken, broken, nil}, after: time.Minute},
		"its folder gone":          {results: []error{removed, removed, nil}},
		"its folder gone, alone":   {alone: true, results: []error{removed, nil}},
		"nor is there another one": {alone: true, results: []error{removed, broken}, ends: broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, tries := time.Now(), 0
				err := serve(t.Context(), c.alone, func() error { tries++; return c.results[tries-1] })
				if err != c.ends || tries != len(c.results) || time.Since(began) != c.after {
					t.Errorf("%d tries, %v after %s", tries, err, time.Since(began))
				}
			})
		})
	}
}

func TestServe_StoppedWhileWaitingToRetry_Returns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, stop)
		if err := serve(ctx, false, func() error { return errors.New("broken") }); err != nil ||
			time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// Names and messages come from the server, and this is printed to root's terminal.
func TestFormatFinding_ControlCharacters_AreRemoved(t *testing.T) {
	for want, f := range map[string]run.Finding{
		"ok   node 1: 香港, 7 users":           {What: "node 1: 香港, 7 users"},
		"bad  node 1: x; ok   clock: closed": {What: "node 1: x\nok   clock", Wrong: "closed"},
		"bad  server: one; two]0;title[2J":   {What: "server", Wrong: "one\r\ntwo\x1b]0;title\a\u009b[2J"},
		"note server: http":                  {What: "server", Note: "http"},
	} {
		if got := formatFinding(f); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
