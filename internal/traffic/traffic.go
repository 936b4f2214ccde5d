// Package traffic counts what nodes report: once, against the quotas of services, into the log by hour and by day.
//
// A report is answered after the commit that counts it, and its key is written in that transaction, so that a report
// that is repeated counts once. What a node bills is bounded by the speed of its link. Reports from outside the
// accepted time are held as batches until staff decides. Leases give out what remains of a quota to nodes in advance.
package traffic

import (
	"context"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/trafficlog"
)

// The limits of a report.
const (
	MaxRows = 20_000
	maxAge  = 30 * 24 * time.Hour // keys of counted reports are kept as long
	maxLate = 7 * 24 * time.Hour  // after the end of its window a report still counts
)

// Faults of this package.
var (
	ErrConflict = fault.Conflict("batch_conflict", "该批次编号已用于另一份报告",
		"This boot and sequence were used for another report")
	ErrTooOld = &fault.Error{Status: 410, Code: "batch_too_old", Text: fault.Text{
		ZH: "报告超过 30 天，不再计入",
		EN: "The report is older than 30 days and is not counted",
	}}
	ErrTooMany    = fault.Unprocessable("too_many_rows", "一份报告最多 20000 行", "A report has at most 20,000 rows")
	ErrBeyondLink = fault.TooMany("beyond_link", "该节点上报的流量超出其带宽所能承载的，暂不计入；请保留并稍后重发",
		"The node reports more than its link can have carried; this report is not counted now: keep it and send it "+
			"again later")
	ErrWindow = fault.Unprocessable("bad_window", "报告的 from 和 to 有误：须为 2000 至 2199 年间的时间，且 to 不早于 from",
		"from and to of a report are times of the years 2000 to 2199, and to is not before from")
)

// Row is what one user moved, in bytes.
type Row struct{ UserID, Up, Down int64 }

// Report is what a node moved for its users in some time.
type Report struct {
	Node node.Node
	// ID names a report of our agent within the node; empty for third-party agents, whose reports are known by Hash for
	// as long as they may be repeated.
	ID   string
	Once bool     // the third-party agent never repeats a report
	Hash [32]byte // of the body
	From time.Time
	To   time.Time // like From zero for third-party agents, who do not say
	Rows []Row
	Hits []node.Hit // of its audit rules; those of users whose bytes on it would not count are left out
}

// Refusal is a row that was not counted.
type Refusal struct {
	UserID int64
	Code   string // not_on_list, negative, absurd, duplicate_user, counter_full
}

// Receipt is the result of a report.
type Receipt struct {
	Repeated bool // it had been counted before, and was not again
	Refused  []Refusal
	Stop     []int64    // users of the report with nothing left
	Kept     HoldReason // why its rows were not counted but wait for staff; empty: they were counted
}

// Traffic counts reports and reads the log.
type Traffic struct {
	db       *db.DB
	settings *setting.Settings
	services *service.Services
	nodes    *node.Nodes
	history  *trafficlog.Log
	recalls  recalls

	nodeCount nodeCount
	onAnomaly []func(ctx context.Context, tx bun.Tx, found []Anomaly) error

	habits sync.Map // of third-party agents, *habit by the node's id

	mu      sync.Mutex
	waiting []*batch // in the order in which they are written; the last one gathers
	writing bool
}

// Open prepares the log before the server takes requests.
func (t *Traffic) Open(ctx context.Context) error { return t.history.Open(ctx) }

// Close has the log forget a user within a day, as part of the closing of the account.
func (t *Traffic) Close(ctx context.Context, tx bun.Tx, userID int64) error {
	if _, err := tx.NewRaw(`DELETE FROM traffic_anomaly WHERE kind = ? AND object_id = ?`, OfUser, userID).
		Exec(ctx); err != nil {
		return err
	}
	return trafficlog.ForgetUser(ctx, tx, userID, t.db.Now())
}

// New returns the traffic in d.
func New(d *db.DB, settings *setting.Settings, services *service.Services, nodes *node.Nodes) *Traffic {
	return &Traffic{db: d, settings: settings, services: services, nodes: nodes, history: trafficlog.New(d)}
}
