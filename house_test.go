package main_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The floors of the house, lowest first: a package may import those on lower floors only. Packages of one floor do not
// know each other.
var floors = [][]string{
	{"fault", "money", "clock", "text", "detached"},
	{"dberr", "seal", "permission"},
	{"db"},
	{"job", "limit", "idempotency", "geo", "backup"},
	{"audit"},
	{"setting", "ipban"},
	{"secret", "approval"},
	{"captcha", "mail", "loki"},
	{"token", "wallet", "service"},
	{"invite"},
	{"account"},
	{"node"},
	{"traffic", "shop"},
	{"payment", "link", "renewal", "cdkey"},
	{"ticket", "notice", "share", "emby"},
	{"telegram"},
	{"api"},
	{"app"},
}

// Who may speak HTTP; fault only names its statuses.
var speaksHTTP = []string{"payment", "mail", "captcha", "telegram", "emby", "loki", "app", "api", "fault"}

// Who is there for tests only, and may import whom it likes.
var forTests = []string{"db/dbtest", "payment/paymenttest", "api/nodetest"}

const internal = "airstrip/internal/"

func TestEveryPackageImportsOnlyWhatStandsBelowIt(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		path, ok := strings.CutPrefix(words[0], internal)
		if !ok || slices.Contains(forTests, path) {
			continue
		}
		own, _, _ := strings.Cut(path, "/")
		floor := floorOf(own)
		if floor < 0 {
			t.Errorf("%s stands on no floor; give it one in this test", path)
			continue
		}
		for _, imported := range words[1:] {
			if imported == "net/http" && !slices.Contains(speaksHTTP, own) {
				t.Errorf("%s imports net/http", path)
			}
			if own == "api" && strings.HasPrefix(imported, "github.com/uptrace/bun") {
				t.Errorf("%s imports %s: SQL belongs to the domains", path, imported)
			}
			rest, ours := strings.CutPrefix(imported, internal)
			if !ours {
				continue
			}
			other, _, _ := strings.Cut(rest, "/")
			switch {
			case own == other && own != "api":
			case own == "api" && other == "api" && rest != "api":
				t.Errorf("%s imports %s: generations of the API do not know each other", path, rest)
			case own == "api" && other == "db":
				t.Errorf("%s imports db: SQL belongs to the domains", path)
			case own != other && floorOf(other) >= floor:
				t.Errorf("%s imports %s, which does not stand below it", path, rest)
			}
		}
	}
}

func floorOf(name string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, name) })
}

func TestOnlyTheAppAndMainKnowEverything(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if words[0] != "airstrip" && slices.Contains(words[1:], "airstrip/internal/app") {
			t.Errorf("%s imports app", words[0])
		}
	}
}

func TestTheServerAddressesPeopleAsThePagesDo(t *testing.T) {
	const formal = "\u60a8" // the pages say \u4f60
	for _, folder := range []string{"internal", "web/src/locales/zh-CN"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path == "internal/link/format/mihomo/schema.json" { // not our words
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), formal) {
				t.Errorf("%s says %s", path, formal)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
