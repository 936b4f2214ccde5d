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

// rings finds transactions that could wait for each other: each has a row that the one before it in the ring wants,
// and none has a row that keeps another one from what that one has.
type rings struct{ all []transaction }

// each calls fn with each ring of two or three of the transactions. A transaction can be in it twice, since two callers
// may do the same.
func (r rings) each(fn func(ring []waiter)) {
	holders := map[string][]int{} // by row
	for i, t := range r.all {
		for _, l := range t.locks {
			holders[l.row] = append(holders[l.row], i)
		}
	}
	for i, t := range r.all {
		for at, l := range t.locks {
			if at == 0 || !l.waits {
				continue
			}
			first := waiter{t, at}
			// How far the others come beside it.
			reach := map[int]int{}
			reaches := func(n int) int {
				at, known := reach[n]
				if !known {
					at = first.first(r.all[n].locks)
					reach[n] = at
				}
				return at
			}
			for _, n := range holders[l.row] {
				if n < i {
					continue // The ring was found from there.
				}
				end := waiter{r.all[n], reaches(n)}
				if end.conflict(l) < 0 {
					continue
				}
				if end.isWaiting() {
					fn([]waiter{first, end})
				}
				for at := end.conflict(l) + 1; at < min(end.at, len(end.locks)); at++ {
					second := waiter{r.all[n], at}
					if !second.isWaiting() {
						continue
					}
					for _, n := range holders[second.wanted().row] {
						third := waiter{r.all[n], reaches(n)}
						if n >= i && third.isWaiting() && third.conflict(second.wanted()) >= 0 &&
							second.first(third.locks[:third.at]) == third.at {
							fn([]waiter{first, second, third})
						}
					}
				}
			}
		}
	}
}

// isWaiting reports whether there is a lock that w waits for.
func (w waiter) isWaiting() bool { return w.at < len(w.locks) && w.wanted().waits }
