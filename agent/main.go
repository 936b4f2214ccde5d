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
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/alecthomas/kong"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/meter"
	"airstrip/agent/internal/run"
)

// version is set by the linker.
var version = "dev"

type commands struct {
	Run     runCommand     `cmd:"" help:"Serve until stopped."`
	Check   checkCommand   `cmd:"" help:"Try the server, the secret, the clock, the certificate and the port, without serving."`
	Status  statusCommand  `cmd:"" help:"Say how the agent stands, and what is wrong with it."`
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
	var failed error
	var group sync.WaitGroup
	for _, config := range configs {
		config.Drain, config.Log = c.Drain, log
		if len(configs) > 1 {
			config.Log = log.With("node", config.Node)
		}
		config.Engine = func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, config.Log), nil }
		group.Go(func() {
			if err := serve(ctx, len(configs) == 1, func() error {
				err := run.Run(ctx, config)
				if err != nil {
					err = fmt.Errorf("node %d: %w", config.Node, err)
					log.Error("a node is not served", "err", err)
				}
				return err
			}); err != nil {
				failed = err
			}
		})
	}
	group.Wait()
	return failed
}

// serve runs a node until ctx is done. One that fails alone ends the process, one of several is tried again; where only
// its folder was removed it begins in another at once.
func serve(ctx context.Context, alone bool, node func() error) error {
	for {
		err := node()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, meter.ErrRemoved):
			continue
		case alone:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

const again = 30 * time.Second

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

type checkCommand struct {
	nodes
	installation
}

// Run prints what it finds and fails if anything is not as it must be.
func (c *checkCommand) Run() error {
	if err := c.fill(&c.nodes); err != nil {
		return err
	}
	configs, err := c.configs()
	if err != nil {
		return err
	}
	bad := 0
	var ports run.Ports
	for _, config := range configs {
		bad += show(run.Check(context.Background(), config, &ports))
	}
	if bad > 0 {
		return fmt.Errorf("%d of these will keep the agent from serving", bad)
	}
	return nil
}

// show prints findings, each on a line, and answers how many of them are bad.
func show(findings []run.Finding) (bad int) {
	for _, f := range findings {
		fmt.Println(line(f))
		if f.Wrong != "" {
			bad++
		}
	}
	return bad
}

// line leaves out what a terminal takes for a command: names and messages are the server's.
func line(f run.Finding) string {
	text := "ok   " + f.What
	switch {
	case f.Wrong != "":
		text = "bad  " + f.What + ": " + f.Wrong
	case f.Note != "":
		text = "note " + f.What + ": " + f.Note
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\n", "; "))
}

type statusCommand struct {
	nodes
	JSON bool          `name:"json" help:"Print a JSON object for each node."`
	Wait time.Duration `help:"How long to wait for all to be well."`
}

// Run prints how each node's agent stands, and fails if anything is wrong.
func (c *statusCommand) Run() error {
	end := time.Now().Add(c.Wait)
	for {
		folders, err := c.folders()
		if err != nil {
			return err
		}
		var all []run.Summary
		for _, folder := range folders {
			all = append(all, run.Summarize(folder))
		}
		over := func(s run.Summary) bool { return s.Over() }
		if rest := slices.DeleteFunc(slices.Clone(all), over); c.Config == "" && len(rest) > 0 {
			all = rest // those that are over are what the machine was before
		}
		bad := 0
		for _, s := range all {
			for _, f := range s.Findings {
				if f.Wrong != "" {
					bad++
				}
			}
		}
		if bad > 0 && time.Now().Before(end) {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		if err := c.print(all); err != nil {
			return err
		}
		if bad > 0 {
			return fmt.Errorf("%d of these need somebody", bad)
		}
		return nil
	}
}

func (c *statusCommand) print(all []run.Summary) error {
	out := json.NewEncoder(os.Stdout)
	for i, s := range all {
		if c.JSON {
			if err := out.Encode(s); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Println()
		}
		show(s.Findings)
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
