package run

import (
	"fmt"
	"sync"
	"time"
)

// component is a part of the agent's work that may fail independently.
type component int

const (
	listenerComponent component = iota
	relays
	counters
	spool
	state
	sending
	identity
)

// problems holds the components that fail at present.
type problems struct {
	mu sync.Mutex
	at map[component]problem
}

type problem struct {
	since time.Time
	err   error
}

// record stores the result of a component's work; nil means success. It reports whether the result should be logged: a
// failure that differs from the last one.
func (t *problems) record(p component, err error) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, failing := t.at[p]
	switch {
	case err == nil:
		delete(t.at, p)
		return false
	case !failing:
		before.since = time.Now()
	}
	if t.at == nil {
		t.at = map[component]problem{}
	}
	t.at[p] = problem{before.since, err}
	return !failing || before.err.Error() != err.Error()
}

// current returns why a component fails and since when, or nil.
func (t *problems) current(p component) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, failing := t.at[p]
	if !failing {
		return nil
	}
	return fmt.Errorf("%w (since %s)", at.err, formatTime(at.since))
}
