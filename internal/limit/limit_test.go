package limit_test

import (
	"errors"
	"testing"
	"time"

	"airstrip/internal/fault"
	"airstrip/internal/limit"
)

func TestAKeyIsStoppedAtItsLimitAndOthersAreNot(t *testing.T) {
	l := limit.Per(time.Hour, 3)
	for i := range 3 {
		if err := l.Allow("a"); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	err := l.Allow("a")
	if f, ok := fault.As(err); !errors.Is(err, limit.ErrTooMany) || !ok || f.RetryAfter < time.Minute ||
		f.RetryAfter > time.Hour {
		t.Fatalf("the fourth call: %v", err)
	}
	if err := l.Allow("b"); err != nil {
		t.Fatalf("another key: %v", err)
	}
}
