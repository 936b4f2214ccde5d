// Package run is the life of the agent. It follows the server's list of users and settings, applies changes to the
// engine, the gate and the relay, and reports what users transferred. It keeps serving from its saved state while the
// server is away. It also answers the commands check and status. The invariant: every counted byte is reported exactly
// once, across restarts, crashes and lost answers.
package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/certificate"
	"airstrip/agent/internal/dnshost"
	"airstrip/agent/internal/engine"
	"airstrip/agent/internal/gate"
	"airstrip/agent/internal/meter"
	"airstrip/agent/internal/relay"
)

// Config configures one agent. Node is the ID that the secret must belong to. Drain is how long open connections may
// take to end when the agent stops.
type Config struct {
	Server  string
	Secret  string
	Node    int64
	Data    string
	Version string
	Drain   time.Duration
	Log     *slog.Logger
	// DNS changes records of the node's zone. It is nil if none is configured.
	DNS dnshost.Host
	// Engine starts the proxy core behind a gate.
	Engine func(*gate.Gate) (engine.Engine, error)
}

type agent struct {
	node    int64
	server  string
	version string
	started time.Time
	data    string
	client  *api.Client
	log     *slog.Logger
	meter   *meter.Meter
	gate    *gate.Gate
	engine  engine.Engine
	relay   *relay.Relay
	// certificate provides the node's certificate, which may change without a message from the server.
	certificate *certificate.Keeper

	// reportMu is held while a report is in flight and while a snapshot is fetched and applied, so that it is certain
	// which batches a snapshot's figures can include.
	reportMu sync.Mutex
	// saveMu prevents an older state from overwriting a newer one.
	saveMu   sync.Mutex
	problems problems

	// reportNow triggers a report.
	reportNow chan struct{}
	// leaseNow triggers a request for leases.
	leaseNow chan struct{}

	mu         sync.Mutex
	known      api.Snapshot // Without users and blocked addresses.
	etag       string
	users      map[int64]listedUser
	blocked    map[netip.Addr]bool
	have       bool // There is a list of users, from the server or the saved state.
	configured bool // The engine serves known.Node.
	relayReady bool // The relay serves the forwards of known.Node.
	dirty      bool // known has changes that are not saved.
	// stale means that only a snapshot can bring the list up to date. interrupt ends the stream of changes.
	stale     bool
	interrupt context.CancelCauseFunc
	fetched   time.Time
	// disputed holds users who are exhausted by local figures but not yet by an answer of the server.
	disputed map[int64]bool
}

// listedUser is a user with the time of the server's last message about them.
type listedUser struct {
	row       api.User
	updatedAt time.Time
}

// Run serves the node until ctx is done, then lets connections end and reports what remains, for at most 5 s. It fails
// at once if the folder is in use, if the secret belongs to another node, or if it cannot count. It returns
// meter.ErrRemoved if the folder was removed meanwhile, after reporting what was counted; it can be called again then.
func Run(ctx context.Context, c Config) error {
	folder, err := lockFolder(c.Data)
	if err != nil {
		return err
	}
	defer folder.Close()
	_ = os.Remove(filepath.Join(c.Data, failureFile)) // The failure that it describes is over.
	if err = run(ctx, c, folder); err != nil {
		writeFailure(c.Data, err)
	}
	return err
}

func run(ctx context.Context, c Config, folder *os.File) error {
	client, err := api.New(c.Server, c.Secret, c.Version)
	if err != nil {
		return err
	}
	a := &agent{
		node: c.Node, server: c.Server, version: c.Version, started: time.Now(), data: c.Data,
		client: client, log: c.Log, users: map[int64]listedUser{}, disputed: map[int64]bool{},
		reportNow: make(chan struct{}, 1), leaseNow: make(chan struct{}, 1), stale: true,
	}
	saved := a.loadState()
	if a.meter, err = meter.Open(c.Data, saved.hasUser(), c.Log); err != nil {
		return fmt.Errorf("opening the accounts in %s: %w", c.Data, err)
	}
	a.meter.SetClock(client.Now)
	a.gate = gate.New(a.meter, a.exhausted, a.admit, c.Log)
	a.gate.OnLeaseNeeded(a.triggerLeases)
	a.relay = relay.New(a.gate.Blocked, c.Log)
	a.certificate = certificate.New(filepath.Join(c.Data, "certificates"), c.DNS, c.Log)
	if a.engine, err = c.Engine(a.gate); err != nil {
		return errors.Join(err, a.meter.Close())
	}
	stop := a.serveStatus(folder)
	defer stop()
	c.Log.Info("agent started", "boot", a.meter.Boot(), "version", c.Version)
	err = a.serve(ctx, saved)
	a.drain(c.Drain)
	return errors.Join(err, a.shutdown())
}

func (a *agent) serve(ctx context.Context, saved *savedState) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error {
			return a.follow(ctx,
				saved)
		}, a.sendReports, a.requestLeases, a.sendHeartbeats, a.upkeep,
	} {
		group.Go(func() {
			if err := part(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// upkeep syncs the counters every second. Every 5 s it saves the state, maintains leases and repairs what is not served
// as it should be. It fails if the counters were removed.
func (a *agent) upkeep(ctx context.Context) error {
	for second := 1; sleep(ctx, time.Second); second++ {
		err := errors.Join(a.meter.VolatileReason(), a.meter.Sync())
		if a.problems.record(counters, err) {
			a.log.Error("the counters are not on the disk; counting goes on", "err", err)
		}
		if errors.Is(err, meter.ErrRemoved) {
			return fmt.Errorf("the data folder: %w", err)
		}
		if second%5 == 0 {
			a.gate.ExpireLeases(time.Now())
			a.save()
			a.repair()
		}
	}
	return nil
}
