package cli

import "airstrip/internal/audit"

// reason is why a command does what it does. One that says nothing is refused before anything is opened.
type reason string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *reason) UnmarshalText(text []byte) error {
	s := string(text)
	err := audit.CheckReason(&s)
	*r = reason(s)
	return err
}
