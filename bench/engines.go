package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// onEngines measures on SQLite and then on PostgreSQL, or on only one of them, each in a folder of its own within in;
// without that the folders are removed at the end. It prints the table.
func onEngines(only, in string, measure func(engine, dir string, t *table) error) error {
	if in == "" {
		made, err := os.MkdirTemp("", "airstrip-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		in = made
	}
	t := &table{}
	for _, engine := range []string{"sqlite", "postgres"} {
		if only != "" && only != engine {
			continue
		}
		if err := measure(engine, filepath.Join(in, engine), t); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
	}
	return t.done()
}
