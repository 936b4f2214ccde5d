package run

import (
	"fmt"
	"sync"
	"time"
)

// component of an agent's work that may go wrong by itself.
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

// problems are what goes wrong at present.
type problems struct {
	mu sync.Mutex
	at map[component]problem
}

type problem struct {
	since time.Time
	err   error
}

// record says how a part of the work went; nil: well. It answers whether that is worth a line in the log: it goes wrong, in
// another way than before.
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

// current a part of the work goes wrong, and since when; nil where all is well.
func (t *problems) current(p component) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, failing := t.at[p]
	if !failing {
		return nil
	}
	return fmt.Errorf("%w (since %s)", at.err, formatTime(at.since))
}
