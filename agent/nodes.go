package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"airstrip/agent/internal/dnshost"
	"airstrip/agent/internal/run"
)

// nodes are what the agent serves: one, by flags, or those of a file.
type nodes struct {
	Config     string `type:"existingfile" env:"AIRSTRIP_NODE_CONFIG" help:"JSON file with several nodes, instead of the flags for one: a list of {server, node, secret_file, dns_file}."`
	Server     string `env:"AIRSTRIP_NODE_SERVER" help:"Address of the service, such as https://panel.example."`
	Node       int64  `env:"AIRSTRIP_NODE_ID" help:"Id of the node."`
	SecretFile string `type:"path" env:"AIRSTRIP_NODE_SECRET_FILE" help:"File with the node's secret."`
	DNSFile    string `type:"path" env:"AIRSTRIP_NODE_DNS_FILE" help:"JSON file with who hosts the zone of the node's name, and the credentials there; needed only for certificates by dns-01."`
	Data       string `default:"/var/lib/airstrip-node" type:"path" env:"AIRSTRIP_NODE_DATA" help:"Folder for counters and unsent reports."`
}

// entry of the file. Relative paths are the file's neighbours.
type entry struct {
	Server     string `json:"server"`
	Node       int64  `json:"node"`
	SecretFile string `json:"secret_file"`
	DNSFile    string `json:"dns_file"`
}

// configs of the agents, without what is the same for all. Each of several has a folder of its own in Data.
func (n nodes) configs() ([]run.Config, error) {
	if n.Config == "" {
		config, err := entry{n.Server, n.Node, n.SecretFile, n.DNSFile}.config(n.Data)
		return []run.Config{config}, err
	}
	file, err := os.Open(n.Config)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var entries []entry
	reader := json.NewDecoder(file)
	reader.DisallowUnknownFields()
	if err := reader.Decode(&entries); err != nil {
		return nil, fmt.Errorf("%s: %w", n.Config, err)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s lists no node", n.Config)
	}
	var configs []run.Config
	folders := map[string]bool{}
	for i, e := range entries {
		for _, path := range []*string{&e.SecretFile, &e.DNSFile} {
			if *path != "" && !filepath.IsAbs(*path) {
				*path = filepath.Join(filepath.Dir(n.Config), *path)
			}
		}
		host := ""
		if u, err := url.Parse(e.Server); err == nil {
			host = strings.ReplaceAll(u.Host, ":", "_")
		}
		config, err := e.config(filepath.Join(n.Data, fmt.Sprintf("%s-%d", host, e.Node)))
		if err == nil && folders[config.Data] {
			err = errors.New("the same node is there before")
		}
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", n.Config, i+1, err)
		}
		folders[config.Data] = true
		configs = append(configs, config)
	}
	return configs, nil
}

func (e entry) config(data string) (c run.Config, err error) {
	if e.Server == "" || e.Node < 1 || e.SecretFile == "" {
		return c, errors.New("a node needs server, node and secret_file")
	}
	secret, err := os.ReadFile(e.SecretFile)
	if err != nil {
		return c, err
	}
	c = run.Config{Server: e.Server, Node: e.Node, Secret: strings.TrimSpace(string(secret)), Data: data, Version: version}
	if c.Secret == "" {
		return c, fmt.Errorf("the secret file %s is empty", e.SecretFile)
	}
	if e.DNSFile != "" {
		if c.DNS, err = dnshost.Load(e.DNSFile); err != nil {
			return c, err
		}
	}
	return c, nil
}
