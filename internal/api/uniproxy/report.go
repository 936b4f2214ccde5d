package uniproxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// member is one name and value of an object.
type member struct {
	name  string
	value json.RawMessage
}

// ofAgent are the members of a post of Xboard-node that say who it is.
var ofAgent = []string{"token", "node_id", "node_type", "machine_id"}

// members gives what an object reports, a name that comes twice twice. Null is an empty object, and so is an empty list,
// which some languages make of one.
func members(body []byte) ([]member, error) {
	if text := string(bytes.TrimSpace(body)); text == "null" || text == "[]" {
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
		m := member{name: t.(string)} // names of an object are text
		if err := d.Decode(&m.value); err != nil {
			return nil, api.ErrUnreadable.Because(err)
		}
		if !slices.Contains(ofAgent, m.name) {
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
	UserID string `json:"user_id"` // as it was reported
	Code   string `json:"code"`    // unreadable, or as in traffic.Refusal
}

type receiptJSON struct {
	Data    bool          `json:"data"`
	Refused []refusalJSON `json:"refused,omitempty"` // ours, for people who look; agents read data at most
}

// push counts [up, down] by user. These agents repeat a post whose answer was lost, with the same body and no id; some
// have forgotten it by then, so one row that cannot be read must not cost the others.
func (s *server) push(w http.ResponseWriter, c call) error {
	rows, err := members(c.body)
	if err != nil {
		return err
	}
	out := receiptJSON{Data: true}
	report := traffic.Report{Node: c.node, Hash: sha256.Sum256(append([]byte("UniProxy/push\n"), c.body...))}
	for _, m := range rows {
		var bytes []api.Whole
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

// alive keeps the addresses at which users are connected to the node.
func (s *server) alive(w http.ResponseWriter, c call) error {
	rows, err := members(c.body)
	if err != nil {
		return err
	}
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
	if err := s.nodes.SetOnline(c.Context(), c.node, online); err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, receiptJSON{Data: true})
	return nil
}

// address gives the address of an entry, which some agents write with a port or with "_" and the node's id behind it.
func address(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "_")
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().String()
	}
	return text
}

// aliveList answers at how many addresses each user is connected, over all nodes, by which agents hold the limit of
// devices. It is an object even where it is empty.
func (s *server) aliveList(w http.ResponseWriter, c call) error {
	alive, err := s.nodes.Alive(c.Context(), c.node)
	if err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, map[string]any{"alive": alive})
	return nil
}

// status keeps the load: the processor in percent, the memory as two numbers of one unit.
func (s *server) status(w http.ResponseWriter, c call) error {
	var in struct {
		CPU float64 `json:"cpu"`
		Mem struct {
			Total float64 `json:"total"`
			Used  float64 `json:"used"`
		} `json:"mem"`
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return api.ErrUnreadable.Because(err)
	}
	if in.CPU < 0 {
		return fault.Invalid("cpu", "range", "cpu 不能为负", "The load of the processor must not be negative")
	}
	if in.Mem.Total < 0 || in.Mem.Used < 0 {
		return fault.Invalid("mem", "range", "mem 不能为负", "The memory must not be negative")
	}
	memory := 0.0
	if in.Mem.Total > 0 {
		memory = in.Mem.Used / in.Mem.Total
	}
	if err := s.nodes.Load(c.Context(), c.node.ID, 0, []float64{0, 0, 0}, permille(in.CPU/100), permille(memory)); err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, map[string]any{"data": true, "code": 0, "message": "success"})
	return nil
}

func permille(share float64) int64 { return int64(math.Round(min(share, 1) * 1000)) }
