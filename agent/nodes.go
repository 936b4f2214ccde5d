package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"airstrip/agent/internal/dnshost"
	"airstrip/agent/internal/run"
)

// nodes selects what the agent serves: one node, by flags, or the nodes of a file.
type nodes struct {
	Config     string `type:"existingfile" env:"AIRSTRIP_NODE_CONFIG" help:"JSON file with several nodes, instead of the flags for one: a list of {server, node, secret_file, dns_file}."`
	Server     string `env:"AIRSTRIP_NODE_SERVER" help:"Address of the service, such as https://panel.example."`
	Node       int64  `env:"AIRSTRIP_NODE_ID" help:"Id of the node."`
	SecretFile string `type:"path" env:"AIRSTRIP_NODE_SECRET_FILE" help:"File with the node's secret."`
	DNSFile    string `type:"path" env:"AIRSTRIP_NODE_DNS_FILE" help:"JSON file with who hosts the zone of the node's name, and the credentials there; needed only for certificates by dns-01."`
	Data       string `default:"/var/lib/airstrip-node" type:"path" env:"AIRSTRIP_NODE_DATA" help:"Folder for counters and unsent reports."`
}

// entry is one node of the file. Relative paths are relative to the file.
type entry struct {
	Server     string `json:"server"`
	Node       int64  `json:"node"`
	SecretFile string `json:"secret_file"`
	DNSFile    string `json:"dns_file"`
}

// configs returns the configuration of each node, without the settings that all share. With several nodes each has a
// folder of its own in Data.
func (n nodes) configs() ([]run.Config, error) {
	if n.Config == "" {
		config, err := entry{n.Server, n.Node, n.SecretFile, n.DNSFile}.config(n.Data)
		return []run.Config{config}, err
	}
	entries, err := n.entries()
	if err != nil {
		return nil, err
	}
	var configs []run.Config
	folders, secrets := map[string]bool{}, map[string]int{}
	for i, e := range entries {
		config, err := e.config(n.dataFolder(e))
		switch first := secrets[config.Secret]; {
		case err != nil:
		case folders[config.Data]:
			err = errors.New("the same node is there before")
		case first > 0:
			err = fmt.Errorf("secret_file: it holds the secret of entry %d, and each node has its own", first)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", n.Config, i+1, err)
		}
		folders[config.Data], secrets[config.Secret] = true, i+1
		configs = append(configs, config)
	}
	return configs, nil
}

// entries reads the nodes of the file.
func (n nodes) entries() ([]entry, error) {
	text, err := os.ReadFile(n.Config)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		if syntaxErr := new(json.SyntaxError); errors.As(err, &syntaxErr) {
			return nil, fmt.Errorf("%s, line %d: %w", n.Config, 1+bytes.Count(text[:syntaxErr.Offset], []byte("\n")),
				err)
		}
		return nil, fmt.Errorf("%s: it has to be a list, [{…}, {…}]: %w", n.Config, err)
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("%s lists no node", n.Config)
	}
	entries := make([]entry, len(raw))
	for i := range raw {
		e := &entries[i]
		reader := json.NewDecoder(bytes.NewReader(raw[i]))
		reader.DisallowUnknownFields()
		if err := reader.Decode(e); err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", n.Config, i+1, err)
		}
		for _, path := range []*string{&e.SecretFile, &e.DNSFile} {
			if *path != "" && !filepath.IsAbs(*path) {
				*path = filepath.Join(filepath.Dir(n.Config), *path)
			}
		}
	}
	return entries, nil
}

// dataFolder returns the folder of one of several nodes.
func (n nodes) dataFolder(e entry) string {
	host := ""
	if u, err := url.Parse(e.Server); err == nil {
		host = strings.ReplaceAll(u.Host, ":", "_")
	}
	return filepath.Join(n.Data, fmt.Sprintf("%s-%d", host, e.Node))
}

// dataFolders returns the folders that agents work on or did: those of the file or, without a file, those found in
// Data.
func (n nodes) dataFolders() ([]string, error) {
	if n.Config != "" {
		entries, err := n.entries()
		var folders []string
		for _, e := range entries {
			folders = append(folders, n.dataFolder(e))
		}
		return folders, err
	}
	var folders []string
	for _, pattern := range []string{n.Data, filepath.Join(n.Data, "*-*")} {
		found, err := filepath.Glob(filepath.Join(pattern, "counters"))
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			folders = append(folders, filepath.Dir(path))
		}
	}
	if len(folders) == 0 {
		return []string{n.Data}, nil
	}
	return folders, nil
}

func (e entry) config(data string) (c run.Config, err error) {
	for _, needed := range []struct {
		field string
		there bool
	}{{"server", e.Server != ""}, {"node", e.Node > 0}, {"secret_file", e.SecretFile != ""}} {
		if !needed.there {
			return c, fmt.Errorf("%s is missing; a node needs server, node and secret_file", needed.field)
		}
	}
	c = run.Config{Server: e.Server, Node: e.Node, Data: data, Version: version}
	if c.Secret, err = secret(e.SecretFile); err != nil {
		return c, fmt.Errorf("secret_file: %w", err)
	}
	if e.DNSFile != "" {
		if c.DNS, err = dnshost.Load(e.DNSFile); err != nil {
			return c, fmt.Errorf("dns_file: %w", err)
		}
	}
	return c, nil
}

// secret reads a secret from a file. Its errors never contain the secret.
func secret(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	word := strings.TrimSpace(string(text))
	if word == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	for _, r := range word {
		if unicode.IsSpace(r) || r == '\'' || r == '"' || r == '=' || r < ' ' || r > '~' {
			return "", fmt.Errorf("%s holds more than the secret, which is one word without quotes", path)
		}
	}
	return word, nil
}
