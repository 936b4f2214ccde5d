package run

import (
	"fmt"
	"sync"
	"time"
)

// part of an agent's work that may go wrong by itself.
type part int

const (
	listener part = iota
	relays
	counters
	spool
	state
	sending
	identity
)

// troubles are what goes wrong at present.
type troubles struct {
	mu sync.Mutex
	at map[part]trouble
}

type trouble struct {
	since time.Time
	err   error
}

// note says how a part of the work went; nil: well. It answers whether that is worth a line in the log: it goes wrong, in
// another way than before.
func (t *troubles) note(p part, err error) (news bool) {
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
		t.at = map[part]trouble{}
	}
	t.at[p] = trouble{before.since, err}
	return !failing || before.err.Error() != err.Error()
}

// why a part of the work goes wrong, and since when; nil where all is well.
func (t *troubles) why(p part) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, failing := t.at[p]
	if !failing {
		return nil
	}
	return fmt.Errorf("%w (since %s)", at.err, clock(at.since))
}
