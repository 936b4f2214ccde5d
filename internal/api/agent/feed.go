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
	"airstrip/internal/traffic"
)

// heartbeat is how often a stream that has nothing to say says so.
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
	Closed        bool           `json:"closed"` // nobody may use it, nor once it has Spent its quota
	Spent         bool           `json:"spent"`
	Hidden        bool           `json:"hidden"`   // in lists and links
	Forwards      []node.Forward `json:"forwards"` // ports at which it is the relay of other nodes
}

type userJSON struct {
	ID          int64     `json:"id"`
	UUID        uuid.UUID `json:"uuid"`
	Password    string    `json:"password"`
	SpeedMbps   *int      `json:"speed_mbps"`
	DeviceLimit *int      `json:"device_limit"`
	Remaining   *int64    `json:"remaining"` // raw bytes on this node; null: unlimited
	// Idle is for agents that lease, of users with a quota: the raw bytes beyond reported ones that need no lease.
	Idle *int64 `json:"idle,omitempty"`
}

type ruleJSON struct {
	ID      int64   `json:"id"`
	Pattern string  `json:"pattern"`
	Exempt  []int64 `json:"exempt,omitempty"` // users whom it does not stop
}

type snapshotJSON struct {
	Revision int64      `json:"revision"`
	Node     *nodeJSON  `json:"node"`
	Users    []userJSON `json:"users"`
	Rules    []ruleJSON `json:"rules"`
	Blocked  []string   `json:"blocked"` // addresses from which nobody is to be let in
}

// changeJSON is one line of the stream; what is absent did not change.
type changeJSON struct {
	Revision  int64       `json:"revision,omitempty"`
	Node      *nodeJSON   `json:"node,omitempty"`
	Users     []userJSON  `json:"users,omitempty"`
	Removed   []int64     `json:"removed,omitempty"`
	Rules     *[]ruleJSON `json:"rules,omitempty"`
	Blocked   []string    `json:"blocked,omitempty"`
	Unblocked []string    `json:"unblocked,omitempty"`
	Drop      []dropJSON  `json:"drop,omitempty"` // addresses to cut; said again until the agent says that they are gone
	Heartbeat bool        `json:"heartbeat,omitempty"`
	Reset     bool        `json:"reset,omitempty"`
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

// usersJSON describes users with their Usage. An agent that does not lease is told of a share of what is left.
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
	rate := n.Rate(s.nodes.Local())
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

// leases tells whether the agent says of itself that it leases.
func leases(r *http.Request) bool { return r.URL.Query().Get("leases") == "1" }

// rawBytes turns what is left of a quota into the bytes that may still be moved on a node with this rate.
func rawBytes(remaining *int64, ratePermille int64) *int64 {
	if remaining == nil || ratePermille == 0 {
		return nil
	}
	left := int64(math.MaxInt64)
	if *remaining < math.MaxInt64/1000-ratePermille {
		left = (*remaining*1000 + ratePermille - 1) / ratePermille // rounded up, or the last byte could not be used
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
	f, err := s.nodes.Snapshot(r.Context(), n.ID)
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

// changes answers what changed after a revision, line by line: with poll what is there now, else until the agent goes.
func (s *server) changes(w http.ResponseWriter, r *http.Request, n node.Node) error {
	since, err := strconv.ParseInt(r.URL.Query().Get("since"), 10, 64)
	if err != nil {
		return fault.Invalid("since", "type", "since 必须是整数", "since must be the revision of a snapshot or change")
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep the lines back
	st := &stream{
		server: s, w: w, control: http.NewResponseController(w), secret: secretOf(r), node: n, since: since, leases: leases(r),
	}
	if r.URL.Query().Get("poll") == "1" {
		_, err := st.sendChanges(r.Context(), false)
		return st.ended(err)
	}
	ctx, done := s.nodes.Stream(r.Context(), n)
	defer done()
	return st.ended(st.follow(ctx))
}

// stream is one agent's stream of changes.
type stream struct {
	*server
	w        http.ResponseWriter
	control  *http.ResponseController
	secret   string
	node     node.Node
	since    int64  // what the agent knows
	leases   bool   // whether it leases
	sentNode []byte // the node as this stream told it last
	begun    bool
}

// ended gives an error that can still be answered; of one in the middle of a stream the agent sees that it breaks off.
func (st *stream) ended(err error) error {
	if err != nil && st.begun {
		panic(http.ErrAbortHandler)
	}
	return err
}

func (st *stream) follow(ctx context.Context) error {
	changes, stop := st.nodes.Watch()
	defer stop()
	settings, stopSettings := st.settings.Watch()
	defer stopSettings()
	devices, stopDevices := st.nodes.WatchDevices()
	defer stopDevices()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	defer st.control.SetWriteDeadline(time.Time{})
	for tellNode := true; ; { // the first line always has the node: settings may have changed while the agent was away
		if _, _, err := st.nodes.BySecret(ctx, st.secret); err != nil { // it was replaced, or its time is over
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
				return nil // the agent is gone
			}
		}
	}
}

// sendChanges writes one line with everything that the agent does not know, if there is any. With tellNode the node counts as
// changed where this stream has not told it as it is. reset: the agent has to begin anew.
func (st *stream) sendChanges(ctx context.Context, includeNode bool) (reset bool, err error) {
	f, err := st.nodes.Changes(ctx, st.node.ID, st.since)
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
	line := changeJSON{Revision: f.Revision, Users: users, Removed: f.Removed, Blocked: f.Blocked, Unblocked: f.Unblocked}
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
