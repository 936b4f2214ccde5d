package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"airstrip/internal/app"
	"airstrip/internal/audit"
)

// Whoever forgets the server's environment gets a message that says so, and gets no second site.
func TestACommandWithoutASiteMakesNone(t *testing.T) {
	s := testSite{t, app.Config{Data: t.TempDir()}}
	for _, args := range [][]string{
		{"user", "add", "--email", "me@example.com", "--role", "owner"},
		{"setting", "list"},
		{"doctor"},
	} {
		if err := s.run(nil, args...); err == nil || !strings.Contains(err.Error(), s.config.Data) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if files, err := os.ReadDir(s.config.Data); err != nil || len(files) > 0 {
		t.Errorf("there are %v, %v", files, err)
	}
	s.mustRun(nil, "migrate")
	s.mustRun(nil, "setting", "list")
}

// Nodes and users name some of what commands print, and a terminal obeys U+009B as it does ESC [.
func TestNothingPrintedIsACommandToTheTerminal(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		const name = "a\u009b31m\u007f中é\u0085"
		a, err := app.Open(s.Context(), s.config, "test") // A command refuses such a name.
		if err != nil {
			s.Fatal(err)
		}
		_, err = a.Nodes.Rules.Add(a.Audit.As(s.Context(), audit.Actor{Kind: audit.Operator}), name, "", ":25$")
		a.Close()
		if err != nil {
			s.Fatal(err)
		}
		var listed json.RawMessage
		s.mustRun(&listed, "rule", "list")
		for _, r := range string(listed) {
			if unicode.IsControl(r) && r != '\n' {
				s.Errorf("%U is in %q", r, listed)
			}
		}
		var rules []struct{ Name string }
		if err := json.Unmarshal(listed, &rules); err != nil || len(rules) != 1 ||
			rules[0].Name != strings.TrimSpace(name) {
			s.Errorf("read back as %+v, %v", rules, err)
		}
	})
}
