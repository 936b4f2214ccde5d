package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// heartbeat is the interval of heartbeats on a stream without changes.
const heartbeat = 15 * time.Second

type nodeJSON struct {
	ID            int64          `json:"id"`
	Name          string         `json:"name"`
	Protocol      node.Protocol  `json:"protocol"`
	Listen        string         `json:"listen"`
	Port          int            `json:"port"`
	Settings      node.Settings  `json:"settings"`
	SpeedMbps     *int           `json:"speed_mbps"`
	ReportSeconds int            `json:"report_seconds"`
	AllowPrivate  bool           `json:"allow_private"`
	Closed        bool           `json:"closed"` // Nobody may use it, as when it has Spent its quota.
	Spent         bool           `json:"spent"`
	Hidden        bool           `json:"hidden"`   // Not in lists and links.
	Forwards      []node.Forward `json:"forwards"` // Ports at which it relays to other nodes.
}

type userJSON struct {
	ID          int64     `json:"id"`
	UUID        uuid.UUID `json:"uuid"`
	Password    string    `json:"password"`
	SpeedMbps   *int      `json:"speed_mbps"`
	DeviceLimit *int      `json:"device_limit"`
	Remaining   *int64    `json:"remaining"` // Bytes before the rate on this node; null for unlimited.
	// Idle is for agents with leases and users with a quota: the bytes beyond reported ones that need no lease.
	Idle *int64 `json:"idle,omitempty"`
}

type ruleJSON struct {
	ID      int64   `json:"id"`
	Pattern string  `json:"pattern"`
	Exempt  []int64 `json:"exempt,omitempty"` // Users to whom it does not apply.
}

type snapshotJSON struct {
	Revision int64      `json:"revision"`
	Node     *nodeJSON  `json:"node"`
	Users    []userJSON `json:"users"`
	Rules    []ruleJSON `json:"rules"`
	Blocked  []string   `json:"blocked"` // Addresses from which nobody may connect.
}

// changeJSON is one line of the stream. Absent fields did not change.
type changeJSON struct {
	Revision  int64       `json:"revision,omitempty"`
	Node      *nodeJSON   `json:"node,omitempty"`
	Users     []userJSON  `json:"users,omitempty"`
	Removed   []int64     `json:"removed,omitempty"`
	Rules     *[]ruleJSON `json:"rules,omitempty"`
	Blocked   []string    `json:"blocked,omitempty"`
	Unblocked []string    `json:"unblocked,omitempty"`
	Drop      []dropJSON  `json:"drop,omitempty"` // Addresses to cut, repeated until the agent confirms them.
	Heartbeat bool        `json:"heartbeat,omitempty"`
	Reset     bool        `json:"reset,omitempty"`
}

// describedJSON is what an agent receives apart from its users.
type describedJSON struct {
	Node    *nodeJSON  `json:"node"`
	Rules   []ruleJSON `json:"rules"`
	Blocked []string   `json:"blocked"`
	Users   int        `json:"users"` // How many there are.
}

// Describe returns what the agent of a node receives, for staff: without secrets, and of its users the number alone.
func Describe(ctx context.Context, nodes *node.Nodes, settings *setting.Settings, id int64) (any, error) {
	f, err := nodes.Feeds.Snapshot(ctx, id)
	if err != nil {
		return nil, err
	}
	f.Node.Settings = f.Node.Settings.Shown()
	described, err := (&server{nodes: nodes, settings: settings}).nodeJSON(ctx, *f.Node)
	return describedJSON{described, rulesJSON(f.Rules), append([]string{}, f.Blocked...), len(f.Users)}, err
}

func (s *server) nodeJSON(ctx context.Context, n node.Node) (*nodeJSON, error) {
	forwards, err := s.nodes.Forwards(ctx, n.ID)
	site := s.settings.Get()
	return &nodeJSON{
		ID: n.ID, Name: n.Name, Protocol: n.Protocol, Listen: n.Listen, Port: n.ListenPort, Settings: n.Settings,
		SpeedMbps: n.SpeedMbps, ReportSeconds: site.NodeReportSeconds, AllowPrivate: site.NodeAllowPrivate,
		Closed: !n.Enabled, Spent: n.Spent, Hidden: !n.Visible, Forwards: forwards,
	}, err
}

// usersJSON describes users with their Usage. An agent without leases gets a share of what remains.
func (s *server) usersJSON(ctx context.Context, n node.Node, users []service.Access, leases bool) ([]userJSON, error) {
	out := make([]userJSON, len(users))
	if len(users) == 0 {
		return out, nil
	}
	nodes, err := s.traffic.NodeCount(ctx)
	if err == nil && !leases {
		err = s.traffic.Shares(ctx, n, users)
	}
	if err != nil {
		return nil, err
	}
	rate := n.Rate(s.nodes.Limits.LocalTime())
	for i, a := range users {
		out[i] = userJSON{
			ID: a.UserID, UUID: a.UUID, Password: a.Password, SpeedMbps: a.SpeedMbps, DeviceLimit: a.Devices,
			Remaining: rawBytes(a.RemainingBytes, rate),
		}
		if leases {
			out[i].Idle = traffic.Idle(n, a.Usage, nodes)
		}
	}
	return out, nil
}

// leases reports whether the agent supports leases.
func leases(r *http.Request) bool { return r.URL.Query().Get("leases") == "1" }

// rawBytes converts the rest of a quota to the bytes that may still be transferred on a node with this rate.
func rawBytes(remaining *int64, ratePermille int64) *int64 {
	if remaining == nil || ratePermille == 0 {
		return nil
	}
	left := int64(math.MaxInt64)
	if *remaining < math.MaxInt64/1000-ratePermille {
		// Rounded up, otherwise the last byte could not be used.
		left = (*remaining*1000 + ratePermille - 1) / ratePermille
	}
	return &left
}

func rulesJSON(rules []node.Rule) []ruleJSON {
	out := make([]ruleJSON, len(rules))
	for i, r := range rules {
		out[i] = ruleJSON{r.ID, r.Pattern, r.Exempt}
	}
	return out
}

func (s *server) snapshot(w http.ResponseWriter, r *http.Request, n node.Node) error {
	f, err := s.nodes.Feeds.Snapshot(r.Context(), n.ID)
	if err != nil {
		return err
	}
	described, err := s.nodeJSON(r.Context(), *f.Node)
	if err != nil {
		return err
	}
	users, err := s.usersJSON(r.Context(), *f.Node, f.Users, leases(r))
	if err != nil {
		return err
	}
	body, err := json.Marshal(snapshotJSON{
		f.Revision, described, users, rulesJSON(f.Rules), append([]string{}, f.Blocked...),
	})
	if err != nil {
		return err
	}
	api.WriteTagged(w, r, body)
	return nil
}

// changes streams the changes after a revision, one per line: with poll those that exist now, otherwise until the agent
// disconnects.
func (s *server) changes(w http.ResponseWriter, r *http.Request, n node.Node) error {
	since, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		return fault.Invalid("since", "type", "since 必须是整数", "since must be the revision of a snapshot or change")
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // Otherwise nginx buffers the lines.
	st := &stream{
		server: s, w: w, control: http.NewResponseController(w), secret: secretOf(r), node: n, since: since,
		leases: leases(r),
	}
	if r.URL.Query().Get("poll") == "1" {
		_, err := st.sendChanges(r.Context(), false)
		return st.ended(err)
	}
	ctx, done := s.nodes.Limits.Stream(r.Context(), n)
	defer done()
	return st.ended(st.follow(ctx))
}

// stream is the stream of changes of one agent.
type stream struct {
	*server
	w        http.ResponseWriter
	control  *http.ResponseController
	secret   string
	node     node.Node
	since    int64  // The agent's revision.
	leases   bool   // The agent supports leases.
	sentNode []byte // The node as this stream sent it last.
	begun    bool
}

// ended returns an error that can still be answered. After the first line the agent only sees that the stream breaks
// off.
func (st *stream) ended(err error) error {
	if err != nil && st.begun {
		panic(http.ErrAbortHandler)
	}
	return err
}

func (st *stream) follow(ctx context.Context) error {
	changes, stop := st.nodes.Feeds.Watch()
	defer stop()
	settings, stopSettings := st.settings.Watch()
	defer stopSettings()
	devices, stopDevices := st.nodes.DeviceSlots.Watch()
	defer stopDevices()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	defer st.control.SetWriteDeadline(time.Time{})
	// The first line always contains the node: settings may have changed while the agent was away.
	for tellNode := true; ; {
		if _, _, err := st.nodes.Secrets.Node(ctx, st.secret); err != nil { // The secret was replaced or has expired.
			return err
		}
		reset, err := st.sendChanges(ctx, tellNode)
		if err != nil || reset {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
			tellNode = false
		case <-devices:
			tellNode = false
		case <-settings:
			tellNode = true
		case <-beat.C:
			tellNode = false
			if err := st.write(changeJSON{Revision: st.since, Heartbeat: true}); err != nil {
				return nil // The agent has disconnected.
			}
		}
	}
}

// sendChanges writes one line with everything that the agent does not know, if there is any. With includeNode the node
// is sent if it differs from what this stream sent last. reset means that the agent needs a new snapshot.
func (st *stream) sendChanges(ctx context.Context, includeNode bool) (reset bool, err error) {
	f, err := st.nodes.Feeds.Changes(ctx, st.node.ID, st.since)
	if err != nil {
		return false, err
	}
	if f.Reset {
		return true, st.write(changeJSON{Reset: true})
	}
	if f.Node != nil {
		st.node = *f.Node
	} else if includeNode {
		if st.node, err = st.nodes.Get(ctx, st.node.ID); err != nil {
			return false, err
		}
	}
	users, err := st.usersJSON(ctx, st.node, f.Users, st.leases)
	if err != nil {
		return false, err
	}
	line := changeJSON{
		Revision: f.Revision, Users: users, Removed: f.Removed, Blocked: f.Blocked,
		Unblocked: f.Unblocked,
	}
	if f.Node != nil || includeNode {
		described, err := st.nodeJSON(ctx, st.node)
		if err != nil {
			return false, err
		}
		encoded, err := json.Marshal(described)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(encoded, st.sentNode) {
			line.Node, st.sentNode = described, encoded
		}
	}
	if f.RulesSet {
		rules := rulesJSON(f.Rules)
		line.Rules = &rules
	}
	if line.Drop, err = st.devicesToCut(ctx, st.node); err != nil {
		return false, err
	}
	st.since = f.Revision
	if line.Node == nil && len(line.Drop) == 0 && f.Empty() {
		return false, nil
	}
	return false, st.write(line)
}

// write sends one line at once.
func (st *stream) write(line changeJSON) error {
	body, err := json.Marshal(line)
	if err != nil {
		return err
	}
	st.begun = true
	st.control.SetWriteDeadline(time.Now().Add(30 * time.Second))
	if _, err := st.w.Write(append(body, '\n')); err != nil {
		return err
	}
	return st.control.Flush()
}
