package idempotency_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
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

func TestOnce_RepeatOfAKey_IsRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var done atomic.Int64
		do := func(user int64, key, hash string) error {
			r := idempotency.Request{UserID: user, Key: key, Hash: []byte(hash)}
			ctx, _ := idempotency.NewKeys(d).Once(t.Context(), r)
			for range 2 { // A request may have several transactions.
				if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
					_, err := db.Bump(ctx, tx, "effects")
					return err
				}); err != nil {
					return err
				}
			}
			done.Add(1)
			return nil
		}
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := do(1, "k", "body"); err != nil && !errors.Is(err, idempotency.ErrReceived) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if done.Load() != 1 {
			t.Errorf("20 requests with one key were done %d times", done.Load())
		}
		if err := do(1, "k", "another body"); !errors.Is(err, idempotency.ErrOtherRequest) {
			t.Errorf("the same key for another body: %v", err)
		}
		if err := do(2, "k", "body"); err != nil {
			t.Errorf("another user's key: %v", err)
		}
	})
}

func TestOnce_RefusedRequest_MayBeSentAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		refused := errors.New("refused")
		r := idempotency.Request{UserID: 1, Key: "k", Hash: []byte("body")}
		try := func(fails int) error {
			caller, leave := context.WithCancel(t.Context())
			defer leave()
			ctx, receipt := idempotency.NewKeys(d).Once(caller, r)
			for i := 1; i <= 2; i++ {
				if err := d.Tx(ctx, func(context.Context, bun.Tx) error {
					if i == fails {
						return refused
					}
					return nil
				}); err != nil {
					leave() // The key of a refused request is forgotten for a caller who has gone, too.
					return receipt.Settle(ctx, err, true)
				}
			}
			return nil
		}
		for _, fails := range []int{1, 2} {
			if err := try(fails); !errors.Is(err, refused) {
				t.Fatalf("refused in transaction %d: %v", fails, err)
			}
		}
		if err := try(0); err != nil {
			t.Fatal("the third try: ", err)
		}
		for _, fails := range []int{0, 1} {
			if err := try(fails); !errors.Is(err, idempotency.ErrReceived) {
				t.Fatalf("a repeat that fails in transaction %d: %v", fails, err)
			}
		}
	})
}

func TestOnce_RequestThatFailsAfterATransaction_IsNotDoneAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := idempotency.Request{UserID: 1, Key: "k", Hash: []byte("body")}
		effects := 0
		try := func(r idempotency.Request) error {
			ctx, receipt := idempotency.NewKeys(d).Once(t.Context(), r)
			if err := d.Tx(ctx, func(context.Context, bun.Tx) error { return nil }); err != nil {
				return receipt.Settle(ctx, err, true)
			}
			effects++
			return receipt.Settle(ctx, errors.New("the answer cannot be read"), false)
		}
		if err := try(r); err == nil || errors.Is(err, idempotency.ErrReceived) {
			t.Fatal("the first request: ", err)
		}
		if err := try(r); !errors.Is(err, idempotency.ErrReceived) || effects != 1 {
			t.Errorf("a repeat: %v, and %d effects", err, effects)
		}
		r.Hash = []byte("another body")
		if err := try(r); !errors.Is(err, idempotency.ErrOtherRequest) {
			t.Error("another body: ", err)
		}
	})
}
