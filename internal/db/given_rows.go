package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"modernc.org/sqlite"
	"modernc.org/sqlite/vtab"
)

// SQLite parses a text of thousands of numbers four times as long as it works with them. On its connection that writes,
// statements read them from a virtual table instead, whose rows are slices of Go.

// givenRows is the name of the virtual table and of its module.
const givenRows = "given_rows"

// makeGivenRows makes the virtual table on a connection.
const makeGivenRows = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.` + givenRows + ` USING ` + givenRows

// givenColumns is how many columns of numbers the virtual table has. The handle comes after them.
const givenColumns = 8

// given holds the rows that statements read now, by handle.
var given struct {
	last atomic.Int64
	rows sync.Map
}

// Each runs fn with what stands for the rows in a statement of tx, which writes: on SQLite once, with a handle, and on
// PostgreSQL once for each part of them. fn runs the statement to its end. Without rows it does not run.
func (n *Numbers) Each(tx bun.Tx, fn func(rows any) error) error {
	if tx.Dialect().Name() != dialect.SQLite {
		for part := range n.Parts() {
			if err := fn(part); err != nil {
				return err
			}
		}
		return nil
	}
	if len(n.cells) == 0 {
		return nil
	}
	handle := given.last.Add(1)
	given.rows.Store(handle, n)
	defer given.rows.Delete(handle)
	return fn(bun.Safe(fmt.Sprintf("(SELECT * FROM temp.%s WHERE handle = %d)", givenRows, handle)))
}

func init() {
	if err := vtab.RegisterModule(nil, givenRows, givenModule{}); err != nil {
		panic(err) // no other module has this name
	}
}

// writeConnector opens connections that have the virtual table. A connection that is opened later, since the one before
// failed, has it too.
type writeConnector struct{ driver.Connector }

func newWriteConnector(dsn string) (writeConnector, error) {
	c, err := sqlite.NewConnector(dsn)
	return writeConnector{c}, err
}

func (c writeConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	run, ok := conn.(driver.ExecerContext)
	if !ok {
		return nil, errors.Join(errors.New("db: the driver of SQLite runs no statement"), conn.Close())
	}
	if _, err := run.ExecContext(ctx, makeGivenRows, nil); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// givenModule and givenTable implement the virtual table.
type (
	givenModule struct{}
	givenTable  struct{}
)

func (givenModule) Create(c vtab.Context, _ []string) (vtab.Table, error) {
	columns := ""
	for i := range givenColumns {
		columns += fmt.Sprintf("column%d INTEGER, ", i+1)
	}
	return givenTable{}, c.Declare(`CREATE TABLE x (` + columns + `handle INTEGER HIDDEN)`)
}

func (m givenModule) Connect(c vtab.Context, args []string) (vtab.Table, error) {
	return m.Create(c, args)
}

// BestIndex makes the handle a condition, and the table the one that a join begins with.
func (givenTable) BestIndex(info *vtab.IndexInfo) error {
	info.EstimatedCost, info.EstimatedRows = math.MaxFloat32, math.MaxInt32
	for i := range info.Constraints {
		c := &info.Constraints[i]
		if c.Column == givenColumns && c.Op == vtab.OpEQ && c.Usable {
			c.ArgIndex, c.Omit, info.IdxNum = 0, true, 1
			info.EstimatedCost, info.EstimatedRows = 1000, 1000
		}
	}
	return nil
}

func (givenTable) Open() (vtab.Cursor, error) { return &givenCursor{}, nil }
func (givenTable) Disconnect() error          { return nil }
func (givenTable) Destroy() error             { return nil }

// givenCursor reads rows in their order.
type givenCursor struct {
	of  *Numbers
	row int
}

func (c *givenCursor) Filter(index int, _ string, values []vtab.Value) error {
	c.of, c.row = nil, 0
	if index != 1 || len(values) != 1 {
		return errors.New("db: a statement reads the table of rows without a handle")
	}
	rows, ok := given.rows.Load(values[0])
	if !ok {
		return errors.New("db: a statement reads rows whose time is over")
	}
	c.of = rows.(*Numbers)
	return nil
}

func (c *givenCursor) Next() error { c.row++; return nil }

func (c *givenCursor) Eof() bool { return c.of == nil || c.row*c.of.width >= len(c.of.cells) }

func (c *givenCursor) Column(i int) (vtab.Value, error) {
	if i >= c.of.width {
		return nil, nil
	}
	return c.of.cells[c.row*c.of.width+i], nil
}

func (c *givenCursor) Rowid() (int64, error) { return int64(c.row), nil }
func (c *givenCursor) Close() error          { return nil }
