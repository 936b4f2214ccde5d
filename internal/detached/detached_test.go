package detached_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"airstrip/internal/detached"
)

type key struct{}

func TestWithTimeout_OutlivesItsParent_AndEndsAfterTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, end := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		begin := time.Now()
		ctx, cancel := detached.WithTimeout(parent, time.Minute)
		defer cancel()
		end()
		if ctx.Err() != nil || ctx.Value(key{}) != "value" {
			t.Fatalf("after the parent's end: %v, value %v", ctx.Err(), ctx.Value(key{}))
		}
		<-ctx.Done()
		if took := time.Since(begin); took != time.Minute || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Fatalf("ended after %s with %v, want 1m and its deadline", took, ctx.Err())
		}
	})
}

func TestWithGrace_EndsSoLongAfterItsParent_OrWhenItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, end := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		ctx, cancel := detached.WithGrace(parent, time.Minute)
		defer cancel()
		ended, endAtOnce := detached.WithGrace(parent, time.Minute)
		time.Sleep(time.Hour)
		if ctx.Err() != nil || ctx.Value(key{}) != "value" {
			t.Fatalf("while the parent lasts: %v, value %v", ctx.Err(), ctx.Value(key{}))
		}
		begin := time.Now()
		end()
		endAtOnce()
		if ended.Err() == nil {
			t.Error("a cancelled context goes on")
		}
		<-ctx.Done()
		if took := time.Since(begin); took != time.Minute {
			t.Fatalf("ended %s after its parent, want 1m", took)
		}
	})
}
