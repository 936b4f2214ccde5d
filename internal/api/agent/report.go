package agent

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/api"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// Faults of reports. Of these only errUnreadable is final for the agent; a wrong digest means that the transfer was
// damaged.
var (
	errNoDigest = fault.BadRequest("digest_required", "缺少 Content-Digest", "A Content-Digest with sha-256 is needed")
	errDigest   = fault.BadRequest("digest_mismatch", "内容与 Content-Digest 不符",
		"The body is not the one of its Content-Digest")
	errUnreadable = fault.Unprocessable("report_unreadable", "无法读取报告", "The report could not be read")
)

// count is a number that may exceed 64 bits. It is then read as the maximum, so that its row is refused as absurd and
// the others count.
type count int64

// UnmarshalJSON reads an integer.
func (c *count) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return err
	}
	*c = count(n) // ParseInt returns the nearest number that fits.
	return nil
}

type reportJSON[N int64 | count] struct {
	Boot     uuid.UUID `json:"boot"`
	Sequence int64     `json:"sequence"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Rows     []struct {
		UserID N `json:"user_id"`
		Up     N `json:"up"`
		Down   N `json:"down"`
	} `json:"rows"`
	Hits []struct {
		UserID int64 `json:"user_id"`
		RuleID int64 `json:"rule_id"`
		Count  int64 `json:"count"`
	} `json:"hits"`
}

type refusalJSON struct {
	UserID int64  `json:"user_id"`
	Code   string `json:"code"`
}

type receiptJSON struct {
	Result  string        `json:"result"` // counted or already_counted
	Refused []refusalJSON `json:"refused"`
	Stop    []int64       `json:"stop,omitempty"`
	Kept    string        `json:"kept,omitempty"` // Why the batch is not counted but held for staff: too_old or future.
}

func (s *server) report(w http.ResponseWriter, r *http.Request, n node.Node) error {
	body, err := api.ReadNodeBody(r.Body)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(body)
	if err := digest(r.Header.Get("Content-Digest"), hash); err != nil {
		return err
	}
	report, err := read[int64](body)
	if err != nil { // One number may exceed 64 bits; reading each as count costs twice as much.
		report, err = read[count](body)
	}
	if err != nil {
		return err
	}
	report.Node, report.Hash = n, hash
	receipt, err := s.traffic.Record(r.Context(), report)
	if err != nil {
		return err
	}
	out := receiptJSON{Result: "counted", Refused: []refusalJSON{}, Stop: receipt.Stop, Kept: string(receipt.Kept)}
	if receipt.Repeated {
		out.Result = "already_counted"
	}
	for _, refused := range receipt.Refused {
		out.Refused = append(out.Refused, refusalJSON{refused.UserID, refused.Code})
	}
	api.WriteJSON(w, http.StatusOK, out)
	return nil
}

// read decodes a report whose rows have numbers of the type N.
func read[N int64 | count](body []byte) (traffic.Report, error) {
	var in reportJSON[N]
	if err := decode(body, &in); err != nil {
		return traffic.Report{}, err
	}
	if in.Boot == uuid.Nil || in.Sequence < 0 {
		return traffic.Report{}, errUnreadable
	}
	report := traffic.Report{ID: in.Boot.String() + ":" + strconv.FormatInt(in.Sequence, 10), From: in.From, To: in.To}
	report.Rows = make([]traffic.Row, len(in.Rows))
	for i, row := range in.Rows {
		report.Rows[i] = traffic.Row{UserID: int64(row.UserID), Up: int64(row.Up), Down: int64(row.Down)}
	}
	report.Hits = make([]node.Hit, len(in.Hits))
	for i, h := range in.Hits {
		report.Hits[i] = node.Hit{UserID: h.UserID, RuleID: h.RuleID, Count: h.Count}
	}
	return report, nil
}

// decode decodes a post and names fields with wrong types.
func decode(body []byte, v any) error {
	err := api.DecodeExactly(body, v)
	if _, named := fault.As(err); err != nil && !named {
		return errUnreadable.Because(err)
	}
	return err
}

// digest compares the hash with the sha-256 member of a Content-Digest header (RFC 9530).
func digest(header string, hash [32]byte) error {
	for member := range strings.SplitSeq(header, ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(member), "sha-256=:"); ok {
			if value != base64.StdEncoding.EncodeToString(hash[:])+":" {
				return errDigest
			}
			return nil
		}
	}
	return errNoDigest
}

type statusJSON struct {
	Boot          string     `json:"boot"`
	Version       string     `json:"version"`
	Revision      int64      `json:"revision"`
	UptimeSeconds int64      `json:"uptime_seconds"`
	Load          [3]float64 `json:"load"`
	CPU           float64    `json:"cpu"`
	Memory        float64    `json:"memory"`
	UpBPS         int64      `json:"up_bps"`
	DownBPS       int64      `json:"down_bps"`
	Connections   int64      `json:"connections"`
	Online        []struct {
		UserID int64    `json:"user_id"`
		IPs    []string `json:"ips"`
	} `json:"online"`
}

type statusAnswer struct {
	Double bool `json:"double,omitempty"` // Another agent uses the same secret.
}

func (s *server) status(w http.ResponseWriter, r *http.Request, n node.Node) error {
	body, err := api.ReadNodeBody(r.Body)
	if err != nil {
		return err
	}
	var in statusJSON
	if err := decode(body, &in); err != nil {
		return err
	}
	var online []node.OnlineIP
	for _, user := range in.Online {
		for _, ip := range user.IPs {
			online = append(online, node.OnlineIP{UserID: user.UserID, IP: ip})
		}
	}
	st := node.State{
		Boot: sanitize(in.Boot), Version: sanitize(in.Version), Revision: in.Revision, UptimeSeconds: in.UptimeSeconds,
		Load: in.Load[:], CPUPermille: permille(in.CPU), MemoryPermille: permille(in.Memory), UpBPS: in.UpBPS,
		DownBPS: in.DownBPS, Connections: in.Connections,
	}
	double, err := s.nodes.Presence.Heartbeat(r.Context(), n, st, online)
	if err != nil {
		return err
	}
	api.WriteJSON(w, http.StatusOK, statusAnswer{double})
	return nil
}

func permille(share float64) int64 { return int64(math.Round(min(max(share, 0), 1) * 1000)) }

// sanitize bounds a text that an agent sends, and removes what the databases do not accept as text.
func sanitize(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	return strings.ToValidUTF8(s[:min(len(s), 64)], "")
}
