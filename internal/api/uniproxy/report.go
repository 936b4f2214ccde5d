package uniproxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/api"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// member is one name and value of an object.
type member struct {
	name  string
	value json.RawMessage
}

// identityMembers are the members of a post by which Xboard-node identifies itself.
var identityMembers = []string{"token", "node_id", "node_type", "machine_id"}

// members returns the members of an object; a repeated name is returned twice. null and an empty list, which some
// languages write for an empty object, are an empty object. A missing object is nil.
func members(body []byte) ([]member, error) {
	if text := string(bytes.TrimSpace(body)); body == nil || text == "null" || text == "[]" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, api.ErrUnreadable.Because(err)
	}
	var out []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, api.ErrUnreadable.Because(err)
		}
		m := member{name: t.(string)} // Names of an object are strings.
		if err := d.Decode(&m.value); err != nil {
			return nil, api.ErrUnreadable.Because(err)
		}
		if !slices.Contains(identityMembers, m.name) {
			out = append(out, m)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, api.ErrUnreadable.Because(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, api.ErrUnreadable
	}
	return out, nil
}

type refusalJSON struct {
	UserID string `json:"user_id"` // As reported.
	Code   string `json:"code"`    // unreadable, or a code of traffic.Refusal.
}

type receiptJSON struct {
	Data    bool          `json:"data"`
	Refused []refusalJSON `json:"refused,omitempty"` // An extension for operators; agents read data at most.
}

// push counts [up, down] by user.
func (s *server) push(w http.ResponseWriter, c call) error {
	rows, err := members(c.body)
	if err != nil {
		return err
	}
	return s.count(w, c, sha256.Sum256(append([]byte("UniProxy/push\n"), c.body...)), rows)
}

// count counts rows and answers with a receipt. hash covers what is the same when the rows are sent again. These agents
// repeat a post whose answer was lost without an ID, and some have lost it by then, so a row that cannot be read must
// not affect the others.
func (s *server) count(w http.ResponseWriter, c call, hash [32]byte, rows []member) error {
	if len(rows) > traffic.MaxRows {
		return traffic.ErrTooMany
	}
	out := receiptJSON{Data: true}
	report := traffic.Report{Node: c.node, Hash: hash}
	for _, m := range rows {
		var bytes []api.Integer
		id, err := strconv.ParseInt(m.name, 10, 64)
		if err != nil || json.Unmarshal(m.value, &bytes) != nil || len(bytes) != 2 {
			out.Refused = append(out.Refused, refusalJSON{m.name, "unreadable"})
			continue
		}
		report.Rows = append(report.Rows, traffic.Row{UserID: id, Up: int64(bytes[0]), Down: int64(bytes[1])})
	}
	if len(report.Rows) > 0 {
		receipt, err := s.traffic.Record(c.Context(), report)
		if err != nil {
			return err
		}
		for _, r := range receipt.Refused {
			out.Refused = append(out.Refused, refusalJSON{strconv.FormatInt(r.UserID, 10), r.Code})
		}
	}
	api.WriteJSON(w, http.StatusOK, out)
	return nil
}

// alive stores the addresses of users who are connected to the node.
func (s *server) alive(w http.ResponseWriter, c call) error {
	rows, err := members(c.body)
	if err != nil {
		return err
	}
	s.traffic.WentOn(c.node.ID)
	if _, err := s.nodes.Presence.SetOnline(c.Context(), c.node, addresses(rows)); err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, receiptJSON{Data: true})
	return nil
}

// addresses reads lists of addresses by user and ignores what is not an address.
func addresses(rows []member) []node.OnlineIP {
	var online []node.OnlineIP
	for _, m := range rows {
		var texts []string
		id, err := strconv.ParseInt(m.name, 10, 64)
		if err != nil || json.Unmarshal(m.value, &texts) != nil {
			continue
		}
		for _, text := range texts {
			online = append(online, node.OnlineIP{UserID: id, IP: address(text)})
		}
	}
	return online
}

// address returns the address of an entry. Some agents add a port, or "_" and the node's ID.
func address(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "_")
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().String()
	}
	return text
}

// aliveList returns how many addresses of each user are connected on all nodes, by which agents apply the device limit.
// It is an object even if it is empty.
func (s *server) aliveList(w http.ResponseWriter, c call) error {
	alive, err := s.nodes.Presence.DeviceCounts(c.Context(), c.node)
	if err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, map[string]any{"alive": alive})
	return nil
}

// status stores the load that the agent reports.
func (s *server) status(w http.ResponseWriter, c call) error {
	v, err := readVitals(c.body)
	if err != nil {
		return err
	}
	if err := s.nodes.Monitor.SetVitals(c.Context(), c.node.ID, v); err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, map[string]any{"data": true, "code": 0, "message": "success"})
	return nil
}

// report accepts in one post what push, alive and status accept in three. Each part may be missing. Traffic is handled
// last: the agent repeats a failed post, and the other parts may be stored twice. A part that cannot be read does not
// affect the others.
func (s *server) report(w http.ResponseWriter, c call) error {
	var in struct {
		Traffic, Alive, Online, Status, Metrics json.RawMessage
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return api.ErrUnreadable.Because(err)
	}
	rows, err := members(in.Traffic)
	if err != nil {
		return err
	}
	if err := s.keepOnline(c, in.Alive, in.Online); err != nil {
		return err
	}
	if in.Status != nil || in.Metrics != nil {
		if err := s.keepVitals(c.Context(), c.node.ID, in.Status, in.Metrics); err != nil {
			return err
		}
	}
	// The load in the same post differs each time.
	hash := sha256.Sum256(append([]byte("server/report\n"), in.Traffic...))
	return s.count(w, c, hash, rows)
}

// keepVitals stores what an agent reports about its machine, if it can be read.
func (s *server) keepVitals(ctx context.Context, nodeID int64, parts ...json.RawMessage) error {
	v, err := readVitals(parts...)
	if err != nil {
		slog.WarnContext(ctx, "a node's status was left out", "node", nodeID, "error", err)
		return nil
	}
	return s.nodes.Monitor.SetVitals(ctx, nodeID, v)
}

// keepOnline stores who is connected. An agent that counts connections in online lists all addresses in alive, and
// omits it while it is unchanged. From other agents alive lists recent connections.
func (s *server) keepOnline(c call, alive, online json.RawMessage) error {
	rows, err := members(alive)
	switch {
	case err != nil:
		slog.WarnContext(c.Context(), "a node's list of addresses was left out", "node", c.node.ID, "error", err)
		return nil
	case alive != nil && online != nil:
		err = s.nodes.Presence.SetAllOnline(c.Context(), c.node, addresses(rows))
	case alive != nil:
		_, err = s.nodes.Presence.SetOnline(c.Context(), c.node, addresses(rows))
	case online != nil:
		return s.keepUsers(c, online)
	}
	return err
}

func (s *server) keepUsers(c call, online json.RawMessage) error {
	rows, err := members(online)
	if err != nil {
		slog.WarnContext(c.Context(), "a node's list of users was left out", "node", c.node.ID, "error", err)
		return nil
	}
	var users []int64
	for _, m := range rows {
		if id, err := strconv.ParseInt(m.name, 10, 64); err == nil {
			users = append(users, id)
		}
	}
	return s.nodes.Presence.KeepOnline(c.Context(), c.node, users)
}
