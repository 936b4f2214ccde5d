package service_test

import (
	"context"
	"sync"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/fault"
)

func TestChooseCredentials_OfOnePasswordByTwoAtOnce_GivesItToOne(t *testing.T) {
	each(t, func(w *world) {
		const wanted = "kJ3-9x_pQ2v~Lm8.Zt"
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { errs[i] = w.services.ChooseCredentials(w.Context(), int64(i+1), wanted) })
		}
		wg.Wait()
		holders := 0
		for i, err := range errs {
			a, readErr := w.services.Access(w.Context(), int64(i+1))
			if readErr != nil {
				w.Fatal(readErr)
			}
			f, refused := fault.As(err)
			switch {
			case err == nil && a.Password == wanted:
				holders++
			case !refused || f.Fields[0].Name != "password" || a.Password == wanted:
				w.Errorf("user %d has %q, %v", i+1, a.Password, err)
			}
		}
		if holders != 1 {
			w.Fatalf("%d users hold the password, want 1", holders)
		}
		for _, id := range []int64{1, 2} { // a made one frees it again
			w.do(func(ctx context.Context, tx bun.Tx) error { return w.services.ResetCredentials(ctx, tx, id) })
		}
		if err := w.services.ChooseCredentials(w.Context(), 2, wanted); err != nil {
			w.Error(err)
		}
	})
}
