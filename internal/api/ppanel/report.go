package ppanel

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"net/http"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

var done = answer{Code: http.StatusOK, Msg: "success"}

// refusalJSON identifies a row that was not counted by its user or, if that cannot be read, by its position.
type refusalJSON struct {
	Row  int    `json:"row,omitempty"` // Position in the report, from 1.
	UID  *int64 `json:"uid,omitempty"`
	Code string `json:"code"` // unreadable, or a code of traffic.Refusal.
}

// push counts traffic. The agent deletes its report before it knows the answer and never repeats it, so a row that
// cannot be read must not affect the others.
func (s *server) push(w http.ResponseWriter, c call) error {
	body, rows, err := read[struct {
		UID, Upload, Download *api.Integer
	}](c, "traffic")
	if err != nil {
		return err
	}
	report := traffic.Report{Node: c.node, Once: true, Hash: sha256.Sum256(append([]byte("server/push\n"), body...))}
	refused := []refusalJSON{}
	for i, r := range rows {
		if r == nil || r.UID == nil || r.Upload == nil || r.Download == nil {
			refused = append(refused, refusalJSON{Row: i + 1, Code: "unreadable"})
			continue
		}
		report.Rows = append(report.Rows, traffic.Row{
			UserID: int64(*r.UID), Up: int64(*r.Upload),
			Down: int64(*r.Download),
		})
	}
	if len(report.Rows) > 0 {
		receipt, err := s.traffic.Record(c.Context(), report)
		if err != nil {
			return err
		}
		for _, r := range receipt.Refused {
			refused = append(refused, refusalJSON{UID: &r.UserID, Code: r.Code})
		}
	}
	out := done
	if len(refused) > 0 {
		out.Data = map[string]any{"refused": refused} // For operators; the agent reads only the status.
	}
	api.WriteJSON(w, http.StatusOK, out)
	return nil
}

// online stores the addresses of users who are connected to the node.
func (s *server) online(w http.ResponseWriter, c call) error {
	_, rows, err := read[struct {
		UID api.Integer
		IP  string
	}](c, "users")
	if err != nil {
		return err
	}
	var online []node.OnlineIP
	for _, r := range rows {
		if r != nil {
			online = append(online, node.OnlineIP{UserID: int64(r.UID), IP: r.IP})
		}
	}
	if _, err := s.nodes.Presence.SetOnline(c.Context(), c.node, online); err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, done)
	return nil
}

// status stores the load that the agent reports, in percent.
func (s *server) status(w http.ResponseWriter, c call) error {
	body, err := api.ReadNodeBody(c.Body)
	if err != nil {
		return err
	}
	var in struct{ CPU, Mem float64 }
	if err := json.Unmarshal(body, &in); err != nil {
		return api.ErrUnreadable.Because(err)
	}
	if in.CPU < 0 || in.Mem < 0 {
		return fault.Invalid("cpu", "range", "负载不能为负", "The load must not be negative")
	}
	if err := s.nodes.Monitor.SetVitals(c.Context(), c.node.ID,
		node.Vitals{CPUPermille: permille(in.CPU), MemoryPermille: permille(in.Mem)}); err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, done)
	return nil
}

func permille(percent float64) *int64 { return new(int64(math.Round(min(percent, 100) * 10))) }

// read decodes the rows of a post, which are in the field name. Rows that cannot be read are nil, and null is an empty
// list. Field names match in any case, because the agent capitalises some.
func read[T any](c call, name string) (body []byte, rows []*T, err error) {
	if body, err = api.ReadNodeBody(c.Body); err != nil {
		return nil, nil, err
	}
	var post map[string]json.RawMessage
	if err := json.Unmarshal(body, &post); err != nil {
		return nil, nil, api.ErrUnreadable.Because(err)
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(post[name], &texts); err != nil { // The list may also be missing.
		return nil, nil, api.ErrUnreadable.Because(err)
	}
	if len(texts) > traffic.MaxRows {
		return nil, nil, traffic.ErrTooMany
	}
	rows = make([]*T, len(texts))
	for i, text := range texts {
		var row *T
		if json.Unmarshal(text, &row) == nil {
			rows[i] = row
		}
	}
	return body, rows, nil
}
