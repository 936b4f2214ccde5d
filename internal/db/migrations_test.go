package db_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// firstStamp is the name that the first stamped migration begins with; those before it have five digits.
const firstStamp = "20261123000057"

var (
	numbered = regexp.MustCompile(`^000\d\d_[a-z0-9_]+\.sql$`)
	stamped  = regexp.MustCompile(`^(20\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d_[a-z0-9_]+\.sql$`)
)

// TestMigrations_AreNeverChanged holds the text of each migration against the checksum that was written down when it
// came. A database that ran a migration never runs it again, so a change of its text would leave it with another schema
// than a new one. What a migration did wrong is mended by a new one.
func TestMigrations_AreNeverChanged(t *testing.T) {
	file, err := os.Open("testdata/migrations.sha256")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	known, order := map[string]string{}, []string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if _, twice := known[name]; !ok || twice {
			t.Fatalf("testdata/migrations.sha256 has a line that is no checksum or has its migration twice: %q",
				lines.Text())
		}
		known[name] = sum
		order = append(order, name)
	}
	if !slices.IsSorted(order) {
		t.Error("testdata/migrations.sha256 is not sorted by the migrations' names")
	}

	paths, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		switch want, listed := known[name]; {
		case !listed && stamped.MatchString(name):
			t.Errorf("add this line to testdata/migrations.sha256:\n%s  %s", hex.EncodeToString(sum[:]), name)
		case !listed:
			t.Errorf("%s is new and its name does not begin with the time in UTC, as 20261231235959_name.sql", name)
		case want != hex.EncodeToString(sum[:]):
			t.Errorf("%s was changed; write a new migration instead", name)
		case !stamped.MatchString(name) && (!numbered.MatchString(name) || name >= firstStamp):
			t.Errorf("%s has no name of a migration", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("%s is gone; databases that ran it need it, and others would be left without it", name)
	}
}
