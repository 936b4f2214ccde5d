// Command airstrip-node serves one or more nodes of Airstrip services.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/run"
)

// version is set by the linker.
var version = "dev"

type commands struct {
	Run     runCommand     `cmd:"" help:"Serve until stopped."`
	Check   checkCommand   `cmd:"" help:"Try the server, the secret, the clock, the certificate and the port, without serving."`
	Status  statusCommand  `cmd:"" help:"Say how the agent stands: whether it runs, its users, reports that wait."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

type runCommand struct {
	nodes
	Drain    time.Duration `default:"5s" env:"AIRSTRIP_NODE_DRAIN" help:"How long open connections may take to end at a stop."`
	LogLevel string        `default:"info" enum:"debug,info,warn,error" env:"AIRSTRIP_NODE_LOG_LEVEL" help:"What to log: debug, info, warn or error. SIGUSR1 changes it to debug, SIGUSR2 back."`
}

// Run serves until SIGTERM or SIGINT; a second signal ends the process at once. A node that cannot be served does not
// keep the others from it.
func (c *runCommand) Run() error {
	configs, err := c.configs()
	if err != nil {
		return err
	}
	var told slog.Level
	if err := told.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	level := new(slog.LevelVar)
	level.Set(told)
	changeLevel(level, told)
	go giveBack()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	failed := make([]error, len(configs))
	var group sync.WaitGroup
	for i, config := range configs {
		config.Drain, config.Log = c.Drain, log
		if len(configs) > 1 {
			config.Log = log.With("node", config.Node)
		}
		config.Engine = func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, config.Log), nil }
		group.Go(func() {
			if failed[i] = run.Run(ctx, config); failed[i] != nil {
				failed[i] = fmt.Errorf("node %d: %w", config.Node, failed[i])
				log.Error("a node is not served", "err", failed[i])
			}
		})
	}
	group.Wait()
	return errors.Join(failed...)
}

// giveBack returns to the system each minute what is not used: what many connections left behind when they began is
// more than they take while they are idle, as most are.
func giveBack() {
	for range time.Tick(time.Minute) {
		debug.FreeOSMemory()
	}
}

// changeLevel lets signals change what is logged while the agent runs.
func changeLevel(level *slog.LevelVar, told slog.Level) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			level.Set(map[os.Signal]slog.Level{syscall.SIGUSR1: slog.LevelDebug, syscall.SIGUSR2: told}[s])
		}
	}()
}

type checkCommand struct{ nodes }

// Run prints what it finds and fails if anything is not as it must be.
func (c *checkCommand) Run() error {
	configs, err := c.configs()
	if err != nil {
		return err
	}
	bad := 0
	for _, config := range configs {
		for _, f := range run.Check(context.Background(), config) {
			if f.Err != nil {
				bad++
				fmt.Printf("bad  %s: %v\n", f.What, f.Err)
				continue
			}
			fmt.Printf("ok   %s\n", f.What)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of these will keep the agent from serving", bad)
	}
	return nil
}

type statusCommand struct{ nodes }

// Run prints a JSON object for each node.
func (c *statusCommand) Run() error {
	configs, err := c.configs()
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, config := range configs {
		s, err := run.Summarize(config.Data)
		if err != nil {
			return err
		}
		if err := out.Encode(s); err != nil {
			return err
		}
	}
	return nil
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
