// Package clickhouse copies the log of traffic and the logs of events to the operator's ClickHouse, for analysis, and
// answers queries from it. The database stays the source: nothing of quotas or money reads ClickHouse or waits for it.
//
// Traffic is sent as totals per user, node, hour and rate, with a version that grows, so that sending again changes
// nothing. One server at a time sends, by a lease whose number is that version. Each day of UTC is sent whole once it
// is over, compared with the database from then on, and sent again where it differs.
package clickhouse

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/setting"
	"airstrip/internal/traffic"
)

// Faults of this package.
var (
	// ErrOff is the fault of everything that needs ClickHouse where no address of one is set.
	ErrOff = fault.NotFound("clickhouse_not_configured", "尚未配置 ClickHouse", "No ClickHouse is set up")
	// ErrAway is the fault of a ClickHouse that does not answer, or not in time.
	ErrAway = fault.Unavailable("clickhouse_unreachable", "ClickHouse 暂时没有响应，请稍后再试",
		"ClickHouse does not answer at the moment; please try again later").After(30 * time.Second)
	// ErrRefused is the fault of a ClickHouse that answers a query with an error, as for a lack of rights or memory.
	ErrRefused = fault.Unavailable("clickhouse_refused", "ClickHouse 拒绝了该查询，详情见服务器日志",
		"ClickHouse refused the query; the server's log says why").After(30 * time.Second)
	// ErrOtherSite is the fault of a database in ClickHouse that another site uses.
	ErrOtherSite = fault.Conflict("clickhouse_other_site", "这个 ClickHouse 数据库属于另一个站点",
		"This database of ClickHouse belongs to another site; give each site one of its own")
	// ErrNewer is the fault of a database in ClickHouse that a newer version of this program made.
	ErrNewer = fault.Conflict("clickhouse_newer", "这个 ClickHouse 数据库由更新的版本建立",
		"A newer version of this program made this database of ClickHouse")
)

// The bounds of what ClickHouse is asked.
const (
	dialTimeout  = 3 * time.Second
	writeTimeout = time.Minute
	queryTimeout = 5 * time.Second
	sumTimeout   = time.Minute
	queryMemory  = 256 << 20
	sumMemory    = 2 << 30
	awayPause    = 10 * time.Second // for which pages do not ask a ClickHouse that did not answer
)

// Config says where ClickHouse is.
type Config struct {
	URL      string // clickhouse://user@host:9000/database, with ?secure=true for TLS; empty: there is none
	Password string // in place of one in URL
	CAFile   string // PEM of the authorities that sign its certificate; empty: those of the system
}

// Options returns the configuration as the client takes it. Its error names what is wrong.
func (c Config) Options() (*clickhouse.Options, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, errors.New("must be an address such as clickhouse://user@host:9000/airstrip")
	}
	if u.Scheme != "clickhouse" && u.Scheme != "tcp" {
		return nil, errors.New("must begin with clickhouse://: the native protocol, by default on port 9000, with TLS " +
			"on 9440")
	}
	if u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, errors.New("must name a host and a database, as in clickhouse://user@host:9000/airstrip")
	}
	o, err := clickhouse.ParseDSN(c.URL)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if c.Password != "" {
		o.Auth.Password = c.Password
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", c.CAFile)
		}
		if o.TLS == nil {
			return nil, errors.New("needs ?secure=true where a file of authorities is given")
		}
		o.TLS.RootCAs = roots
	}
	if o.TLS != nil {
		o.TLS.MinVersion = tls.VersionTLS12
	}
	o.DialTimeout, o.ReadTimeout = dialTimeout, writeTimeout
	o.MaxOpenConns, o.MaxIdleConns, o.ConnMaxLifetime = 8, 4, 10*time.Minute
	o.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	return o, nil
}

// A Log is the log of traffic, as package traffic keeps it.
type Log interface {
	Totals(ctx context.Context, from, to int64, fn func(traffic.HourTotal) error) error
	Bounds(ctx context.Context) (first, last int64, ok bool, err error)
	Page(ctx context.Context, userID int64, q traffic.PageQuery) (traffic.LogPage, error)
}

// Parts are what a ClickHouse copies from.
type Parts struct {
	DB       *db.DB
	Settings *setting.Settings
	Traffic  Log
	// UserIDs returns the ids of the users with these emails.
	UserIDs func(ctx context.Context, emails []string) (map[string]int64, error)
	// NodeNames returns the names of all nodes by their ids.
	NodeNames func(ctx context.Context) (map[int64]string, error)
	// States returns what the next users after an id have now, in the order of their ids, without At.
	States func(ctx context.Context, after int64) ([]State, error)
}

// ClickHouse is the operator's. Without one most functions return ErrOff.
type ClickHouse struct {
	Parts
	conn      driver.Conn // nil: there is none
	blockRows int

	mu      sync.Mutex
	awayTil time.Time
	status  Status

	// Only the holder of the lease uses these.
	ready     bool             // the schema is that of this program
	sentNodes map[int64]string // the names that this process sent last
	// sentStates has digests of the states that this process sent last, statesAt the hour in which it had sent all.
	sentStates map[int64]uint64
	statesAt   time.Time
}

// New returns the ClickHouse of the configuration. It connects when it is first needed.
func New(config Config, parts Parts) (*ClickHouse, error) {
	c := &ClickHouse{Parts: parts, blockRows: blockRows}
	if config.URL == "" {
		return c, nil
	}
	o, err := config.Options()
	if err != nil {
		return nil, err
	}
	c.conn, err = clickhouse.Open(o)
	return c, err
}

// On reports whether there is a ClickHouse.
func (c *ClickHouse) On() bool { return c.conn != nil }

// Close ends the connections.
func (c *ClickHouse) Close() error {
	if c.conn == nil {
		return nil
	}
	return c.conn.Close()
}

// faultOf returns the fault that a caller sees of an error.
func faultOf(err error) error {
	var exception *clickhouse.Exception
	switch {
	case err == nil, errors.Is(err, errLost):
		return err
	case errors.As(err, &exception):
		return ErrRefused.Because(err)
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	return ErrAway.Because(err)
}

// bounded returns a context whose query ends in time and stays within memory.
func bounded(ctx context.Context, limit time.Duration, memory int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	return clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{
		"max_execution_time": int(limit / time.Second), "max_memory_usage": memory,
	})), cancel
}

// exec runs a statement that changes something.
func (c *ClickHouse) exec(ctx context.Context, statement string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return c.conn.Exec(ctx, statement, args...)
}

// row runs a query that answers one row, within the bounds of sums over days, and scans that row.
func (c *ClickHouse) row(ctx context.Context, query string, args []any, dest ...any) error {
	// The context ends after the answer was read to its end: the client closes a connection whose context ends before.
	ctx, cancel := bounded(ctx, sumTimeout, sumMemory)
	defer cancel()
	rows, err := c.conn.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
	}
	return errors.Join(rows.Close(), rows.Err())
}
