package setting

import (
	"context"
	"strings"
	"time"

	"airstrip/internal/fault"
)

// Trial tries what settings lead to, step by step, and ends with the first step that fails.
type Trial struct{ Steps []Step }

// Step is one step of a trial. Failure is what the other side or the network said; empty: it went well.
type Step struct {
	Title   fault.Text
	Failure string
}

// TrialWithin is how long a trial may take.
const TrialWithin = 30 * time.Second

// maxFailure bounds what is shown of a failure.
const maxFailure = 1000

// Do makes a step, unless one before it failed.
func (t *Trial) Do(zh, en string, fn func() error) {
	if !t.OK() {
		return
	}
	step := Step{Title: fault.Text{ZH: zh, EN: en}}
	if err := fn(); err != nil {
		step.Failure = strings.ToValidUTF8(err.Error(), "\ufffd")
		if len(step.Failure) > maxFailure {
			step.Failure = strings.ToValidUTF8(step.Failure[:maxFailure], "") + "…"
		}
	}
	t.Steps = append(t.Steps, step)
}

// OK reports whether all steps went well.
func (t *Trial) OK() bool {
	return len(t.Steps) == 0 || t.Steps[len(t.Steps)-1].Failure == ""
}

// Try makes the trial of one part: it ends after TrialWithin.
func Try(ctx context.Context, part func(ctx context.Context, t *Trial)) *Trial {
	ctx, cancel := context.WithTimeout(ctx, TrialWithin)
	defer cancel()
	t := new(Trial)
	part(ctx, t)
	return t
}
