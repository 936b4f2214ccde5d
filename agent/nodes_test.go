package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileListsSeveralNodes(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("one", "first\n")
	put("two", "second\n")
	put("none", "\n")
	put("dns", `{"provider": "cloudflare", "token": "x"}`)
	put("unfinished", `{"provider": "cloudflare"}`)
	n := nodes{Data: "/data", Config: put("nodes.json", `[
		{"server": "https://panel.example", "node": 1, "secret_file": "one"},
		{"server": "https://panel.example:8443", "node": 1, "secret_file": "two", "dns_file": "dns"}
	]`)}
	configs, err := n.configs()
	if err != nil || len(configs) != 2 {
		t.Fatal(configs, err)
	}
	if c := configs[0]; c.Secret != "first" || c.Data != "/data/panel.example-1" || c.DNS != nil {
		t.Errorf("%+v", c)
	}
	if c := configs[1]; c.Secret != "second" || c.Data != "/data/panel.example_8443-1" || c.DNS == nil {
		t.Errorf("%+v", c)
	}
	one := `{"server": "https://panel.example", "node": 1, "secret_file": "one"}`
	for text, word := range map[string]string{
		`[]`:                          "no node",
		`[` + one + `,` + one + `]`:   "before",
		`[{"node": 1, "sever": "x"}]`: "sever",
		`[{"node": 1}]`:               "needs",
		strings.Replace(`[`+one+`]`, `"one"`, `"none"`, 1):                  "empty",
		strings.Replace(`[`+one+`]`, `}`, `, "dns_file": "unfinished"}`, 1): "needs token",
	} {
		n.Config = put("nodes.json", text)
		if _, err := n.configs(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
