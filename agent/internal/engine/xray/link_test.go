package xray_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"
)

// Users connect to nodes with xray too, so it must accept the link files of the server. This is the file that the
// server's tests compare their output with.
func TestLinkFiles_AreAcceptedByXray(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "internal", "link", "format", "testdata",
		"xray.json"))
	if err != nil {
		t.Fatal(err)
	}
	var files []json.RawMessage
	if err := json.Unmarshal(text, &files); err != nil {
		t.Fatal(err)
	}
	if len(files) < 40 {
		t.Errorf("only %d files", len(files))
	}
	for _, file := range files {
		var c conf.Config
		if err := json.Unmarshal(file, &c); err != nil {
			t.Errorf("%v\n%s", err, file)
			continue
		}
		built, err := c.Build()
		if err != nil {
			t.Errorf("%v\n%s", err, file)
			continue
		}
		server, err := core.New(built)
		if err != nil {
			t.Errorf("%v\n%s", err, file)
			continue
		}
		server.Close()
	}
}
