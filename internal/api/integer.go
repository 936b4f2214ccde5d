package api

import (
	"errors"
	"strconv"
	"strings"
)

// Integer is an integer of a node agent's report. One beyond 64 bits is read as the largest or smallest of them, so
// that only its row is refused and the other rows count.
type Integer int64

// UnmarshalJSON reads a number; older agents in Python send some as 12.0.
func (n *Integer) UnmarshalJSON(b []byte) error {
	text := strings.TrimSuffix(string(b), ".0")
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	*n = Integer(v)
	return nil
}
