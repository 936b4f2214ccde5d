package main

import (
	"os"
	"strings"
	"testing"

	"airstrip/internal/app"
)

// Who forgets the server's environment is told so, and gets no second site.
func TestACommandWithoutASiteMakesNone(t *testing.T) {
	d := desk{t, app.Config{Data: t.TempDir()}}
	for _, args := range [][]string{{"user", "add", "--email", "me@example.com", "--role", "owner"}, {"setting", "list"}, {"doctor"}} {
		if err := d.run(nil, args...); err == nil || !strings.Contains(err.Error(), d.config.Data) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if files, err := os.ReadDir(d.config.Data); err != nil || len(files) > 0 {
		t.Errorf("there are %v, %v", files, err)
	}
	d.prints(nil, "migrate")
	d.prints(nil, "setting", "list")
}
