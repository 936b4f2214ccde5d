// Command airstrip-node serves one node of an Airstrip service.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/run"
)

// version is set by the linker.
var version = "dev"

type commands struct {
	Run     runCommand     `cmd:"" help:"Serve a node until stopped."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

type runCommand struct {
	Server     string `required:"" env:"AIRSTRIP_NODE_SERVER" help:"Address of the service, such as https://panel.example."`
	Node       int64  `required:"" env:"AIRSTRIP_NODE_ID" help:"Id of the node."`
	SecretFile string `required:"" type:"existingfile" env:"AIRSTRIP_NODE_SECRET_FILE" help:"File with the node's secret."`
	Data       string `default:"/var/lib/airstrip-node" type:"path" env:"AIRSTRIP_NODE_DATA" help:"Folder for counters and unsent reports."`
	LogLevel   string `default:"info" enum:"debug,info,warn,error" env:"AIRSTRIP_NODE_LOG_LEVEL" help:"What to log: debug, info, warn or error."`
}

// Run serves until SIGTERM or SIGINT; a second signal ends the process at once.
func (c *runCommand) Run() error {
	secret, err := os.ReadFile(c.SecretFile)
	if err != nil {
		return err
	}
	if len(strings.TrimSpace(string(secret))) == 0 {
		return fmt.Errorf("the secret file %s is empty", c.SecretFile)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return run.Run(ctx, run.Config{
		Server: c.Server, Secret: strings.TrimSpace(string(secret)), Node: c.Node,
		Data: c.Data, Version: version, Log: log,
		Engine: func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, log), nil },
	})
}

type versionCommand struct{}

// Run prints the version and what of it is known about the build.
func (versionCommand) Run() error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	_, err := fmt.Println("airstrip-node " + version + revision)
	return err
}

func main() {
	ctx := kong.Parse(new(commands), kong.Name("airstrip-node"), kong.UsageOnError(),
		kong.Description("The agent that runs on a node: it proxies for the users of the service and reports what they used."))
	ctx.FatalIfErrorf(ctx.Run())
}
