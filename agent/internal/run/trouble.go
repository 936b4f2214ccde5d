package run

import (
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

// note says how a part of the work went; nil: well.
func (t *troubles) note(p part, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		delete(t.at, p)
		return
	}
	if t.at == nil {
		t.at = map[part]trouble{}
	}
	since := time.Now()
	if before, ok := t.at[p]; ok {
		since = before.since
	}
	t.at[p] = trouble{since, err}
}

// of a part of the work; its err is nil where all is well.
func (t *troubles) of(p part) trouble {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at[p]
}
