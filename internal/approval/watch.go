package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Decision marks an operation that decides acts of any kind, instead of making acts of one.
const Decision Kind = "decision"

type watchKey struct{}

// watch is the state of a call of a member of staff.
type watch struct {
	may     []Kind
	covered bool // by an act that takes effect
}

// Watch returns the context of a member's call that makes acts of these kinds, or none. Within it only such acts may
// give anything: Propose refuses any other, and Covered refuses what no act covers.
func Watch(ctx context.Context, may ...Kind) context.Context {
	return context.WithValue(ctx, watchKey{}, &watch{may: may})
}

// Vouched returns a context in which a payment platform, not the member, vouches for what is given.
func Vouched(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, (*watch)(nil))
}

var errUncovered = errors.New("approval: a member of staff gives something without an act that covers it")

// Covered returns an error if ctx belongs to a member's call that gives something without an act that takes effect.
// Code that puts money into a wallet, or time and traffic into an account, calls it first.
func Covered(ctx context.Context) error {
	if w, _ := ctx.Value(watchKey{}).(*watch); w != nil && !w.covered {
		return errUncovered
	}
	return nil
}

// cover records whether an act of this kind takes effect, in a call that may make one.
func cover(ctx context.Context, kind Kind, effective bool) error {
	w, _ := ctx.Value(watchKey{}).(*watch)
	if w == nil {
		return nil
	}
	if !slices.Contains(w.may, kind) && !slices.Contains(w.may, Decision) {
		return fmt.Errorf("%w: it is declared to give %v, not %s", errUncovered, w.may, kind)
	}
	w.covered = effective
	return nil
}
