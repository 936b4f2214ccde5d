package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigs_FileWithSeveralNodes(t *testing.T) {
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
	put("quoted", "'first'\n")
	put("line", "AIRSTRIP_NODE_SECRET=first sh -s")
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
		`[{"node": 1}]`:               "server is missing",
		`[` + one + `, {"server": "https://panel.example", "secret_file": "two"}]`:              "entry 2: node is missing",
		`[` + one + `, {"server": "https://panel.example", "node": 2, "secret_file": "one"}]`:   "entry 2: secret_file: it holds the secret of entry 1",
		`[` + one + `, {"server": "https://panel.example", "node": 2, "secret": "x"}]`:          "entry 2: json: unknown field \"secret\"",
		`[` + one + `, {"server": "https://panel.example", "node": "2", "secret_file": "two"}]`: "entry 2: json: cannot unmarshal string into Go struct field entry.node",
		one:                         "it has to be a list",
		`[` + one + `][]`:           "line 1",
		"[\n" + one + ",\n]":        "line 3",
		"[\n{\n\"server\": 'x'\n}]": "line 3",
		strings.Replace(`[`+one+`]`, `"one"`, `"quoted"`, 1):                "secret_file: ",
		strings.Replace(`[`+one+`]`, `"one"`, `"line"`, 1):                  "one word without quotes",
		strings.Replace(`[`+one+`]`, `"one"`, `"nowhere"`, 1):               "secret_file: open",
		strings.Replace(`[`+one+`]`, `"one"`, `"none"`, 1):                  "empty",
		strings.Replace(`[`+one+`]`, `}`, `, "dns_file": "unfinished"}`, 1): "needs token",
	} {
		n.Config = put("nodes.json", text)
		if _, err := n.configs(); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheck_WithoutFlags_ReadsInstalledSettings(t *testing.T) {
	dir := t.TempDir()
	env := filepath.Join(dir, "airstrip-node.env")
	for name, text := range map[string]string{
		env: "AIRSTRIP_NODE_SERVER=https://panel.example\nAIRSTRIP_NODE_ID=7\nAIRSTRIP_NODE_LOG_LEVEL=debug\n",
		filepath.Join(dir, "airstrip-node.secret"): "first",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n := nodes{Data: "/data"}
	if err := (installation{env}).apply(&n); err != nil {
		t.Fatal(err)
	}
	if configs, err := n.configs(); err != nil || configs[0].Server != "https://panel.example" ||
		configs[0].Node != 7 || configs[0].Secret != "first" {
		t.Error(configs, err)
	}
	named := nodes{Server: "https://other.example"}
	if err := (installation{env}).apply(&named); err != nil || named.Node != 0 {
		t.Errorf("a node that flags name is mixed with the installed one: %+v %v", named, err)
	}
}

func TestDataFolders_SeveralNodes_AreFound(t *testing.T) {
	dir := t.TempDir()
	n := nodes{Data: dir}
	if folders, err := n.dataFolders(); err != nil || len(folders) != 1 || folders[0] != dir {
		t.Error("of no node", folders, err)
	}
	for _, name := range []string{"panel.example-7", "panel.example_8443-8"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "counters"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if folders, err := n.dataFolders(); err != nil || len(folders) != 2 ||
		filepath.Base(folders[1]) != "panel.example_8443-8" {
		t.Error("of two", folders, err)
	}
}
