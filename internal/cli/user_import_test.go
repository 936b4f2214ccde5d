package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestUserImport_AddsAllOfAFileOrNothing(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		const hash = "0cc175b9c0f1b6a831c399e269772661"
		file := func(lines ...string) string {
			path := filepath.Join(s.TempDir(), "users.csv")
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
				s.Fatal(err)
			}
			return path
		}
		s.mustRun(nil, "user", "add", "--email", "old@example.com")
		const head, good = "email,name,hash,kind", "new@example.com,New," + hash + ",md5"

		err := s.run(nil, "user", "import", file(head, good, "bad@example.com,Bad,12,md5"))
		if err == nil || !strings.Contains(err.Error(), "line 3: hash: ") ||
			!strings.Contains(err.Error(), "nothing was imported") {
			s.Errorf("a wrong line: %v", err)
		}
		var done struct {
			Imported int
			Present  []string `json:"present_already"`
		}
		s.mustRun(&done, "user", "import", file(head, good, "OLD@example.com,Old,"+hash+",md5"))
		if done.Imported != 1 || !slices.Equal(done.Present, []string{"old@example.com"}) {
			s.Errorf("the import prints %+v", done)
		}
	})
}
