package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/engine/engines"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/meter"
	"airstrip/agent/internal/run"
)

type runCommand struct {
	nodes
	Drain    time.Duration `default:"5s" env:"AIRSTRIP_NODE_DRAIN" help:"How long open connections may take to end at a stop."`
	LogLevel string        `default:"info" enum:"debug,info,warn,error" env:"AIRSTRIP_NODE_LOG_LEVEL" help:"What to log: debug, info, warn or error. SIGUSR1 changes it to debug, SIGUSR2 back."`
}

// Run serves until SIGTERM or SIGINT; a second signal ends the process at once. A node that cannot be served does not
// affect the others.
func (c *runCommand) Run() error {
	configs, err := c.configs()
	if err != nil {
		return err
	}
	var configured slog.Level
	if err := configured.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	level := new(slog.LevelVar)
	level.Set(configured)
	changeLevelOnSignal(level, configured)
	go releaseMemory()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	var failed error
	var group sync.WaitGroup
	for _, config := range configs {
		config.Drain, config.Log = c.Drain, log.With("node", config.Node)
		config.Engine = func(g *gate.Gate) (engine.Engine, error) { return engines.New(g, config.Log), nil }
		group.Go(func() {
			if err := serve(ctx, len(configs) == 1, func() error { return runNode(ctx, config) }); err != nil {
				failed = err // Only a single node returns an error.
			}
		})
	}
	group.Wait()
	return failed
}

func runNode(ctx context.Context, config run.Config) error {
	err := run.Run(ctx, config)
	if err != nil {
		config.Log.Error("a node is not served", "err", err)
	}
	return err
}

// serve runs a node until ctx is done. The failure of a single node ends the process; one of several is retried. If
// only its folder was removed, it continues in a new one at once.
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
		case <-time.After(retryInterval):
		}
	}
}

const retryInterval = 30 * time.Second

// releaseMemory returns unused memory to the system once a minute. Opening many connections needs more memory than
// holding them idle.
func releaseMemory() {
	for range time.Tick(time.Minute) {
		debug.FreeOSMemory()
	}
}

// changeLevelOnSignal lets SIGUSR1 and SIGUSR2 change the log level while the agent runs.
func changeLevelOnSignal(level *slog.LevelVar, configured slog.Level) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			level.Set(map[os.Signal]slog.Level{syscall.SIGUSR1: slog.LevelDebug, syscall.SIGUSR2: configured}[s])
		}
	}()
}
