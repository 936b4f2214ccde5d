package api

import (
	"errors"
	"strconv"
	"strings"
)

// Whole is a whole number of an agent's report. One that has no place in 64 bits is read as the largest or smallest there
// is, so that its row is refused and the others count.
type Whole int64

// UnmarshalJSON reads a number; older agents in Python send some as 12.0.
func (n *Whole) UnmarshalJSON(b []byte) error {
	text := strings.TrimSuffix(string(b), ".0")
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	*n = Whole(v)
	return nil
}
