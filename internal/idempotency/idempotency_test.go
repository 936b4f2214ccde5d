package idempotency_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/idempotency"
)

func TestAKeyActsOnceAndAnswersTheSame(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		do := func(user int64, key, hash string) (int64, error) {
			ctx := idempotency.With(t.Context(), idempotency.Request{UserID: user, Key: key, Hash: []byte(hash)})
			return idempotency.Tx(ctx, d, func(ctx context.Context, tx bun.Tx) (int64, error) {
				return db.Bump(ctx, tx, "effects")
			})
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if n, err := do(1, "k", "body"); err != nil || n != 1 {
					t.Errorf("answer %d, %v", n, err)
				}
			})
		}
		wg.Wait()
		if _, err := do(1, "k", "another body"); !errors.Is(err, idempotency.ErrOtherRequest) {
			t.Errorf("the same key for another body: %v", err)
		}
		if n, err := do(2, "k", "body"); n != 2 || err != nil {
			t.Errorf("another user's key: %d, %v", n, err)
		}
	})
}

func TestAFailureStoresNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := idempotency.With(t.Context(), idempotency.Request{UserID: 1, Key: "k", Hash: []byte("body")})
		refused := errors.New("refused")
		fail := true
		try := func() (string, error) {
			return idempotency.Tx(ctx, d, func(context.Context, bun.Tx) (string, error) {
				if fail {
					return "", refused
				}
				return "done", nil
			})
		}
		if _, err := try(); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		fail = false
		if s, err := try(); s != "done" || err != nil {
			t.Fatalf("the second try: %q, %v", s, err)
		}
		d.SetClock(func() time.Time { return time.Now().Add(idempotency.Kept + time.Hour) })
		if err := idempotency.Forget(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		fail = true
		if _, err := try(); !errors.Is(err, refused) {
			t.Fatal("a forgotten key still answers")
		}
	})
}
