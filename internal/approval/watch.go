package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Decision is what an operation may do that decides acts of whatever kind, instead of making acts of one.
const Decision Kind = "decision"

type watchKey struct{}

// watch is a call of a member of staff.
type watch struct {
	may     []Kind
	covered bool // by an act that takes effect
}

// Watch returns the context of a member's call that makes acts of these kinds, or none. Within it nobody gains but by
// such an act: Propose refuses any other, and Covered refuses what no act covers.
func Watch(ctx context.Context, may ...Kind) context.Context {
	return context.WithValue(ctx, watchKey{}, &watch{may: may})
}

// Vouched returns the context in which a platform's word, and not the member's, is what somebody gains by.
func Vouched(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, (*watch)(nil))
}

var errUncovered = errors.New("approval: a member of staff gives something without an act that covers it")

// Covered is an error where ctx belongs to a member's call that gives something without an act that takes effect. What
// puts money into a wallet, or time and traffic into an account, asks it first.
func Covered(ctx context.Context) error {
	if w, _ := ctx.Value(watchKey{}).(*watch); w != nil && !w.covered {
		return errUncovered
	}
	return nil
}

// cover notes that an act of this kind takes effect, or does not, in a call that may make one.
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
