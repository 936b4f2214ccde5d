package modmu

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// maxNamedRows is how many refused rows an answer names.
const maxNamedRows = 20

// postTraffic counts traffic. These agents repeat a post whose answer was lost, with the same body and no ID, and some
// have lost it by then, so a row that cannot be read must not affect the others.
func (s *server) postTraffic(r *http.Request, n node.Node) (any, error) {
	in, err := read[struct {
		UserID api.Integer `json:"user_id"`
		U      api.Integer `json:"u"`
		D      api.Integer `json:"d"`
	}](r)
	if err != nil {
		return nil, err
	}
	s.recordContact(r.Context(), n)
	refused := in.refused
	if len(in.rows) > 0 {
		report := traffic.Report{
			Node: n, Hash: sha256.Sum256(append([]byte("users/traffic\n"), in.body...)),
			Rows: make([]traffic.Row, len(in.rows)),
		}
		for i, row := range in.rows {
			report.Rows[i] = traffic.Row{UserID: int64(row.UserID), Up: int64(row.U), Down: int64(row.D)}
		}
		receipt, err := s.traffic.Record(r.Context(), report)
		if err != nil {
			return nil, err
		}
		for _, row := range receipt.Refused {
			refused = append(refused, fmt.Sprintf("%d %s", row.UserID, row.Code))
		}
	}
	if len(refused) == 0 {
		return "ok", nil
	}
	more := ""
	if len(refused) > maxNamedRows {
		more = fmt.Sprintf(", and %d more", len(refused)-maxNamedRows)
	}
	return describeAccepted(in.total-len(refused), in.total) + "; refused: " +
		strings.Join(refused[:min(maxNamedRows, len(refused))], ", ") + more, nil
}

// describeAccepted is the data of an answer to a list. Agents check only that it exists; operators read it in their
// logs.
func describeAccepted(rows, of int) string {
	if rows == of {
		return "ok"
	}
	return fmt.Sprintf("took %d of %d rows", rows, of)
}

func (s *server) postAliveIP(r *http.Request, n node.Node) (any, error) {
	in, err := read[struct {
		UserID api.Integer `json:"user_id"`
		IP     string      `json:"ip"`
	}](r)
	if err != nil {
		return nil, err
	}
	s.traffic.WentOn(n.ID)
	online := make([]node.OnlineIP, len(in.rows))
	for i, row := range in.rows {
		online[i] = node.OnlineIP{UserID: int64(row.UserID), IP: row.IP}
	}
	kept, err := s.nodes.Presence.SetOnline(r.Context(), n, online)
	return describeAccepted(kept, in.total), err
}

func (s *server) postDetectLog(r *http.Request, n node.Node) (any, error) {
	in, err := read[struct {
		ListID api.Integer `json:"list_id"`
		UserID api.Integer `json:"user_id"`
	}](r)
	if err != nil {
		return nil, err
	}
	s.traffic.WentOn(n.ID)
	hits := make([]node.Hit, len(in.rows))
	for i, row := range in.rows {
		hits[i] = node.Hit{UserID: int64(row.UserID), RuleID: int64(row.ListID), Count: 1}
	}
	kept, err := s.nodes.Rules.RecordHits(r.Context(), n, hits)
	return describeAccepted(kept, in.total), err
}

// postNodeInfo stores the load: three numbers, which are loads of 1, 5 and 15 minutes from the Python agent, and
// fractions of processor, memory and disk from XrayR. XrayR's uptime is an integer, the Python agent's is not.
func (s *server) postNodeInfo(r *http.Request, n node.Node) (any, error) {
	if r.PathValue("id") != strconv.FormatInt(n.ID, 10) {
		return nil, api.ErrOtherNode
	}
	in, err := readInfo(r)
	if err != nil {
		return nil, err
	}
	s.traffic.WentOn(n.ID)
	uptime, err := strconv.ParseFloat(strings.TrimSpace(in.Uptime), 64)
	if err != nil || math.IsNaN(uptime) || uptime < 0 || uptime > math.MaxInt32 {
		return nil, fault.Invalid("uptime", "range", "uptime 无效", "The uptime is not a number of seconds")
	}
	load := make([]float64, 3)
	for i, text := range strings.FieldsFunc(in.Load, unicode.IsSpace) {
		v, err := strconv.ParseFloat(text, 64)
		if i > 2 || err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return nil, fault.Invalid("load", "format", "load 无效", "The load is not three numbers")
		}
		load[i] = v
	}
	v := node.Vitals{UptimeSeconds: new(int64(uptime))}
	if strings.HasPrefix(r.UserAgent(), "python-requests") {
		v.Load = load
	} else {
		v.CPUPermille, v.MemoryPermille = permille(load[0]), permille(load[1])
	}
	return "ok", s.nodes.Monitor.SetVitals(r.Context(), n.ID, v)
}

func permille(share float64) *int64 { return new(int64(math.Round(min(share, 1) * 1000))) }

func (s *server) postSpeedTest(r *http.Request, n node.Node) (any, error) {
	in, err := read[map[string]string](r)
	if err != nil {
		return nil, err
	}
	kept, err := s.nodes.Monitor.AddSpeedTests(r.Context(), n.ID, in.rows)
	return describeAccepted(kept, in.total), err
}

func (s *server) blockIPs(r *http.Request, n node.Node) (any, error) {
	in, err := read[struct {
		IP string `json:"ip"`
	}](r)
	if err != nil {
		return nil, err
	}
	var ips []string
	for _, row := range in.rows {
		ips = append(ips, row.IP)
	}
	kept, err := s.nodes.Blocklist.Block(r.Context(), n, ips)
	return describeAccepted(kept, in.total), err
}

type blockedJSON struct {
	ID       int64  `json:"id"`
	NodeID   int64  `json:"nodeid"`
	IP       string `json:"ip"`
	Datetime int64  `json:"datetime"`
}

func (s *server) blockedIPs(r *http.Request, _ node.Node) (any, error) {
	rows, err := s.nodes.Blocklist.BlockedRecently(r.Context())
	out := make([]blockedJSON, len(rows))
	for i, b := range rows {
		out[i] = blockedJSON{b.ID, b.NodeID, b.IP, b.At.Unix()}
	}
	return out, err
}

// unblockedIPs lists each address once, whichever nodes had it blocked.
func (s *server) unblockedIPs(r *http.Request, _ node.Node) (any, error) {
	rows, err := s.nodes.Blocklist.UnblockedRecently(r.Context())
	out, seen := []blockedJSON{}, map[string]bool{}
	for _, b := range rows {
		if !seen[b.IP] {
			seen[b.IP] = true
			out = append(out, blockedJSON{b.ID, b.NodeID, b.IP, b.UnblockedAt.Unix()})
		}
	}
	return out, err
}
