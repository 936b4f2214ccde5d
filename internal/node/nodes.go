package node

import (
	"context"
	"time"

	"airstrip/internal/cache"
	"airstrip/internal/db"
	"airstrip/internal/job"
	"airstrip/internal/seal"
	"airstrip/internal/service"
	"airstrip/internal/setting"
)

// Nodes is the registry of all nodes, with the parts that act on them, one for each concern.
type Nodes struct {
	*Registry
	Secrets     *Secrets
	Limits      *Limits
	Admission   *Admission
	Feeds       *Feeds
	Rules       *Rules
	Blocklist   *Blocklist
	Monitor     *Monitor
	Presence    *Presence
	DeviceSlots *DeviceSlots
	LinkGroups  *LinkGroups
	Silences    *Silences
}

// New returns the nodes stored in d. Secrets in their settings are sealed with key. Each part knows only those that are
// made before it.
func New(d *db.DB, key seal.Key, settings *setting.Settings, services *service.Services) *Nodes {
	limits := &Limits{db: d, settings: settings, streams: streams{of: map[int64][]*stream{}}}
	registry := &Registry{db: d, key: key, limits: limits}
	admission := &Admission{db: d, key: key, services: services}
	rules := &Rules{db: d, admission: admission}
	blocklist := &Blocklist{db: d, registry: registry}
	monitor := &Monitor{
		db: d, settings: settings, contacts: cache.New[int64](cache.Options[time.Time]{MaxEntries: 10_000}),
	}
	slots := &DeviceSlots{db: d, services: services, admission: admission}
	return &Nodes{
		Registry: registry, Limits: limits, Admission: admission, Rules: rules, Blocklist: blocklist, Monitor: monitor,
		DeviceSlots: slots,
		Secrets: &Secrets{
			db: d, registry: registry,
			found: cache.New[claim](cache.Options[known]{MaxEntries: 10_000, AfterSet: secretCached}),
		},
		Feeds: &Feeds{
			db: d, services: services, registry: registry, admission: admission, rules: rules, blocklist: blocklist,
		},
		Presence: &Presence{
			db: d, services: services, admission: admission, slots: slots, monitor: monitor,
			written: cache.New[int64](cache.Options[recentlyWritten]{AfterSet: writtenFor}),
			addressCount: d.Prepared(`SELECT count(DISTINCT ip) FROM online_ip
				WHERE user_id = ? AND last_at > ? AND place <> ?`),
		},
		LinkGroups: &LinkGroups{db: d}, Silences: &Silences{db: d},
	}
}

// Register adds the recurring work on nodes to the timetable.
func (ns *Nodes) Register(q *job.Queue) {
	q.Every("node.follow", func(ctx context.Context) error { return ns.ApplyLimits(ctx) })
	q.Every("node.watch", ns.Monitor.findOutages)
	q.Every("node.link_groups", func(ctx context.Context) error {
		_, err := ns.LinkGroups.Reassign(ctx, false)
		return err
	})
	q.Every("node.forget", ns.Monitor.forget)
	q.Every("node.unblock", ns.Blocklist.unblockOld)
}
