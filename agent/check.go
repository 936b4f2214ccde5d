package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"airstrip/agent/internal/run"
)

type checkCommand struct {
	nodes
	installation
}

// Run prints the findings and fails if one of them keeps the agent from serving.
func (c *checkCommand) Run() error {
	if err := c.apply(&c.nodes); err != nil {
		return err
	}
	configs, err := c.configs()
	if err != nil {
		return err
	}
	bad := 0
	var ports run.Ports
	for _, config := range configs {
		bad += printFindings(run.Check(context.Background(), config, &ports))
	}
	if bad > 0 {
		return fmt.Errorf("%d of these will keep the agent from serving", bad)
	}
	return nil
}

// installation is what the install script wrote. Commands fall back to it when no flag names a node.
type installation struct {
	Installed string `default:"/etc/airstrip-node.env" type:"path" help:"File with the settings of the systemd unit, which count where no flag says which node is meant; the secret is in airstrip-node.secret beside it."`
}

// apply takes the settings of the installed unit, unless a flag already names a node.
func (i installation) apply(n *nodes) error {
	if n.Config != "" || n.Server != "" || n.Node != 0 || n.SecretFile != "" {
		return nil
	}
	text, err := os.ReadFile(i.Installed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	n.SecretFile = strings.TrimSuffix(i.Installed, ".env") + ".secret"
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch value = strings.Trim(value, `"'`); name {
		case "AIRSTRIP_NODE_SERVER":
			n.Server = value
		case "AIRSTRIP_NODE_ID":
			if n.Node, err = strconv.ParseInt(value, 10, 64); err != nil {
				return fmt.Errorf("%s: %s: %q is not a number", i.Installed, name, value)
			}
		case "AIRSTRIP_NODE_DNS_FILE":
			n.DNSFile = value
		}
	}
	return nil
}
