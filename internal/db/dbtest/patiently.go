package dbtest

import "airstrip/internal/fault"

// Patiently does something again while the database says that it is too busy, as it asks to: of a crowd that comes at
// once some wait longer on a slow machine than a server has them wait.
func Patiently(do func() error) error {
	for {
		err := do()
		if f, ok := fault.As(err); !ok || f.Code != "database_busy" {
			return err
		}
	}
}
