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

// layers are the packages of internal, lowest layer first. A package may import only packages of lower layers, not
// those of its own.
var layers = [][]string{
	{"fault", "money", "clock", "text", "detached", "markdown", "outbound", "cache"},
	{"dberr", "seal", "permission"},
	{"db"},
	{"job", "limit", "idempotency", "geo", "backup", "trafficlog", "eventlog", "listing"},
	{"audit", "storage"},
	{"setting", "ipban", "role"},
	{"secret", "approval", "webhook"},
	{"captcha", "mail", "loki", "attachment", "webpush", "assignment"},
	{"notify", "sitepicture"},
	{"token", "wallet", "service"},
	{"invite"},
	{"account"},
	{"node"},
	{"traffic", "shop"},
	{"payment", "link", "renewal", "cdkey"},
	{"ticket", "clickhouse", "shareaccount", "emby", "checkin", "announcement", "guide", "reconciliation"},
	{"telegram", "mailbox", "console"},
	{"bulk", "merge"},
	{"api"},
	{"app"},
	{"cli"},
}

// importsHTTP are the packages that may import net/http. Package fault uses only its status constants.
var importsHTTP = []string{"payment", "mail", "captcha", "telegram", "emby", "loki", "outbound", "webhook", "webpush", "app", "api", "fault"}

// forTests are the packages that only tests import. They may import any package.
var forTests = []string{
	"db/dbtest", "account/accounttest", "payment/paymenttest", "wallet/wallettest", "api/nodetest", "clickhouse/chtest",
	"webpush/webpushtest",
}

const internal = "airstrip/internal/"

func TestImports_GoToLowerLayersOnly(t *testing.T) {
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
		layer := layerOf(own)
		if layer < 0 {
			t.Errorf("%s has no layer; give it one in this test", path)
			continue
		}
		for _, imported := range words[1:] {
			if imported == "net/http" && !slices.Contains(importsHTTP, own) {
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
			case own == "api" && other == "api" && rest != "api" && !strings.HasPrefix(path, rest+"/"):
				t.Errorf("%s imports %s: generations of the API do not import each other", path, rest)
			case own == "api" && other == "db":
				t.Errorf("%s imports db: SQL belongs to the domains", path)
			case own != other && layerOf(other) >= layer:
				t.Errorf("%s imports %s, which is not in a lower layer", path, rest)
			}
		}
	}
}

func layerOf(name string) int {
	return slices.IndexFunc(layers, func(layer []string) bool { return slices.Contains(layer, name) })
}

func TestImports_OnlyCommandsImportApp(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if words[0] != "airstrip/internal/cli" && slices.Contains(words[1:], "airstrip/internal/app") {
			t.Errorf("%s imports app", words[0])
		}
	}
}

func TestTexts_AddressReadersAsThePagesDo(t *testing.T) {
	const formal = "\u60a8" // the pages say \u4f60
	for _, folder := range []string{"internal", "web/src/locales/zh-CN"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			// whose words are those of mihomo
			if err != nil || entry.IsDir() || path == "internal/link/format/mihomo/schema.json" {
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
