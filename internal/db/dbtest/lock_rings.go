package dbtest

// waiter is a transaction that waits for one of its locks and has those before it.
type waiter struct {
	transaction
	at int
}

func (w waiter) wanted() rowLock { return w.locks[w.at] }

// conflict returns the first lock that w has and that keeps another transaction from l, or -1.
func (w waiter) conflict(l rowLock) int {
	for i, has := range w.locks[:w.at] {
		if has.row == l.row && has.strength+l.strength >= forUpdate {
			return i
		}
	}
	return -1
}

// first returns the first of the locks that what w has keeps another transaction from, or how many there are.
func (w waiter) first(locks []rowLock) int {
	for i, l := range locks {
		if w.conflict(l) >= 0 {
			return i
		}
	}
	return len(locks)
}

// isWaiting reports whether there is a lock that w waits for.
func (w waiter) isWaiting() bool { return w.at < len(w.locks) && w.wanted().waits }

// maxRing is how many transactions a ring has at most.
const maxRing = 3

// rings finds transactions that could wait for each other: each has a row that the one before it in the ring wants,
// and none has a row that keeps another one from what that one has.
type rings struct {
	holders map[string][]transaction // by row
	found   func(ring []waiter)
}

// add finds the rings of t and of transactions that were added before. A transaction can be in one twice, since two
// callers may do the same.
func (r rings) add(t transaction) {
	rows := map[string]bool{}
	for _, l := range t.locks {
		if !rows[l.row] {
			rows[l.row] = true
			r.holders[l.row] = append(r.holders[l.row], t)
		}
	}
	for at := range t.locks {
		if first := (waiter{t, at}); first.isWaiting() {
			r.extend([]waiter{first})
		}
	}
}

// extend finds the rings that begin with chain, in which each waits for the next one and the last one for one to find.
func (r rings) extend(chain []waiter) {
	wanted := chain[len(chain)-1].wanted()
	for _, t := range r.holders[wanted.row] {
		reach := len(t.locks) // how far t comes beside the others
		for _, w := range chain {
			reach = w.first(t.locks[:reach])
		}
		next := waiter{t, reach}
		has := next.conflict(wanted)
		if has < 0 {
			continue
		}
		if next.isWaiting() && chain[0].conflict(next.wanted()) >= 0 {
			r.found(append(chain, next))
		}
		if len(chain)+1 == maxRing {
			continue
		}
		for at := has + 1; at < reach; at++ {
			if next := (waiter{t, at}); next.isWaiting() {
				r.extend(append(chain, next))
			}
		}
	}
}
