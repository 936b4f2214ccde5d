package modmu

import (
	"crypto/sha256"
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

// postTraffic counts. These agents repeat a post whose answer was lost, with the same body and no id.
func (s *server) postTraffic(r *http.Request, n node.Node) (any, error) {
	rows, body, err := read[struct {
		UserID api.Whole `json:"user_id"`
		U      api.Whole `json:"u"`
		D      api.Whole `json:"d"`
	}](r)
	if err != nil {
		return nil, err
	}
	s.seen(r.Context(), n)
	if len(rows) == 0 {
		return "ok", nil
	}
	report := traffic.Report{Node: n, Hash: sha256.Sum256(append([]byte("users/traffic\n"), body...)), Rows: make([]traffic.Row, len(rows))}
	for i, row := range rows {
		report.Rows[i] = traffic.Row{UserID: int64(row.UserID), Up: int64(row.U), Down: int64(row.D)}
	}
	if _, err := s.traffic.Record(r.Context(), report); err != nil {
		return nil, err
	}
	return "ok", nil
}

func (s *server) postAliveIP(r *http.Request, n node.Node) (any, error) {
	rows, _, err := read[struct {
		UserID api.Whole `json:"user_id"`
		IP     string    `json:"ip"`
	}](r)
	if err != nil {
		return nil, err
	}
	online := make([]node.OnlineIP, len(rows))
	for i, row := range rows {
		online[i] = node.OnlineIP{UserID: int64(row.UserID), IP: row.IP}
	}
	return "ok", s.nodes.SetOnline(r.Context(), n, online)
}

func (s *server) postDetectLog(r *http.Request, n node.Node) (any, error) {
	rows, _, err := read[struct {
		ListID api.Whole `json:"list_id"`
		UserID api.Whole `json:"user_id"`
	}](r)
	if err != nil {
		return nil, err
	}
	hits := make([]node.Hit, len(rows))
	for i, row := range rows {
		hits[i] = node.Hit{UserID: int64(row.UserID), RuleID: int64(row.ListID), Count: 1}
	}
	return "ok", s.nodes.Hits(r.Context(), n.ID, hits)
}

// postNodeInfo keeps the load: three numbers, which are loads of 1, 5 and 15 minutes from the Python agent and shares of
// processor, memory and disk from XrayR. XrayR's uptime is whole, the Python agent's is not.
func (s *server) postNodeInfo(r *http.Request, n node.Node) (any, error) {
	if r.PathValue("id") != strconv.FormatInt(n.ID, 10) {
		return nil, errOtherNode
	}
	in, err := readInfo(r)
	if err != nil {
		return nil, err
	}
	uptime, err := strconv.ParseFloat(strings.TrimSpace(in.Uptime), 64)
	if err != nil || uptime < 0 || uptime > math.MaxInt32 {
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
	if strings.HasPrefix(r.UserAgent(), "python-requests") {
		return "ok", s.nodes.Load(r.Context(), n.ID, int64(uptime), load, 0, 0)
	}
	return "ok", s.nodes.Load(r.Context(), n.ID, int64(uptime), []float64{0, 0, 0}, permille(load[0]), permille(load[1]))
}

func permille(share float64) int64 { return int64(math.Round(min(share, 1) * 1000)) }

func (s *server) blockIPs(r *http.Request, n node.Node) (any, error) {
	rows, _, err := read[struct {
		IP string `json:"ip"`
	}](r)
	if err != nil {
		return nil, err
	}
	var ips []string
	for _, row := range rows {
		ips = append(ips, row.IP)
	}
	return "ok", s.nodes.BlockIPs(r.Context(), n.ID, ips)
}

func (s *server) blockedIPs(r *http.Request, _ node.Node) (any, error) {
	rows, err := s.nodes.BlockedIPs(r.Context())
	type row struct {
		ID       int64  `json:"id"`
		NodeID   int64  `json:"nodeid"`
		IP       string `json:"ip"`
		Datetime int64  `json:"datetime"`
	}
	out := make([]row, len(rows))
	for i, b := range rows {
		out[i] = row{b.ID, b.NodeID, b.IP, b.At.Unix()}
	}
	return out, err
}
