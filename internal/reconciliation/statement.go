package reconciliation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/text"
)

// Statement is a file of a gateway that a member of staff imported.
type Statement struct {
	bun.BaseModel `bun:"table:gateway_statement"`
	ID            int64 `bun:",pk,autoincrement"`
	Gateway       string
	Name          string // of the file
	Digest        string `bun:"digest"`
	Currency      string // ISO 4217
	Lines         int64
	FirstAt       time.Time
	LastAt        time.Time
	ImportedBy    *int64
	CreatedAt     time.Time
}

// Line is one movement of a statement.
type Line struct {
	bun.BaseModel `bun:"table:gateway_statement_line"`
	ID            int64 `bun:",pk,autoincrement"`
	StatementID   int64
	Position      int64 // its line in the file, from 1
	Gateway       string
	Kind          Kind
	TransactionID string       // the gateway's number
	TradeNo       string       // the merchant's number
	Amount        money.Amount // never negative; the kind says the direction
	Fee           money.Amount
	HappenedAt    time.Time
}

// Faults of statements.
var (
	ErrNoStatement    = fault.NotFound("statement_not_found", "没有这份对账单", "There is no such statement")
	ErrStatementTwice = fault.Conflict("statement_imported_before", "这份对账单已经导入过",
		"This statement was imported before")
)

// Import is a statement to be kept.
type Import struct {
	Gateway, Name, Text string
	Columns             Columns // the zero value: found by their names
	By                  *int64  // member of staff
}

// linesAtOnce is how many lines are inserted by one statement.
const linesAtOnce = 500

// Parse reads a statement without keeping it, with times in the site's zone. What was found of its head is returned
// beside a fault, so that the columns can be chosen by hand.
func (r *Reconciliation) Parse(text string, columns Columns) (*Parsed, error) {
	return Parse(text, columns, r.settings.Get().Zone())
}

// Import reads and keeps a statement. One of the gateway with the same text is ErrStatementTwice.
func (r *Reconciliation) Import(ctx context.Context, in Import) (*Statement, error) {
	in.Name = strings.TrimSpace(in.Name)
	if text.Folded(in.Name) == "" || utf8.RuneCountInString(in.Name) > 200 {
		return nil, fault.Invalid("name", "length", "请填写 1 到 200 个字符的名称",
			"Please give a name of 1 to 200 characters")
	}
	method, err := r.payments.Method(in.Gateway)
	if err != nil {
		return nil, fault.Invalid("gateway", "unknown", "没有这个支付方式", "There is no such payment gateway")
	}
	parsed, err := r.Parse(in.Text, in.Columns)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(in.Text))
	s := &Statement{
		Gateway: in.Gateway, Name: in.Name, Digest: hex.EncodeToString(digest[:]),
		Currency: cmp.Or(method.Currency, r.settings.Get().Currency),
		Lines:    int64(len(parsed.Lines)), ImportedBy: in.By,
	}
	s.FirstAt, s.LastAt = span(parsed.Lines)
	err = r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		s.ID, s.CreatedAt = 0, r.db.Now()
		if _, err := tx.NewInsert().Model(s).Exec(ctx); err != nil {
			if err = db.Error(err); errors.Is(err, db.ErrUnique) {
				err = ErrStatementTwice
			}
			return err
		}
		lines := slices.Clone(parsed.Lines)
		for i := range lines {
			lines[i].StatementID, lines[i].Gateway = s.ID, s.Gateway
		}
		for some := range slices.Chunk(lines, linesAtOnce) {
			if _, err := tx.NewInsert().Model(&some).Exec(ctx); err != nil {
				return db.Error(err)
			}
		}
		return audit.Record(ctx, tx, "ledger.statement.import", audit.ID("gateway_statement", s.ID), nil,
			map[string]any{"gateway": s.Gateway, "name": s.Name, "lines": s.Lines, "digest": s.Digest}, "")
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func span(lines []Line) (first, last time.Time) {
	first, last = lines[0].HappenedAt, lines[0].HappenedAt
	for _, l := range lines {
		if l.HappenedAt.Before(first) {
			first = l.HappenedAt
		}
		if l.HappenedAt.After(last) {
			last = l.HappenedAt
		}
	}
	return first, last
}

// Remove takes away a statement that was imported by mistake. It was evidence only, so nothing else changes.
func (r *Reconciliation) Remove(ctx context.Context, id int64, reason string) error {
	return r.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		s, err := statement(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, model := range []any{(*Line)(nil), (*Statement)(nil)} {
			column := "id"
			if _, isLine := model.(*Line); isLine {
				column = "statement_id"
			}
			if _, err := tx.NewDelete().Model(model).Where("? = ?", bun.Ident(column), id).Exec(ctx); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, "ledger.statement.remove", audit.ID("gateway_statement", id),
			map[string]any{"gateway": s.Gateway, "name": s.Name, "lines": s.Lines, "digest": s.Digest}, nil, reason)
	})
}

// Statement returns one statement.
func (r *Reconciliation) Statement(ctx context.Context, id int64) (*Statement, error) {
	return statement(ctx, r.db, id)
}

func statement(ctx context.Context, idb bun.IDB, id int64) (*Statement, error) {
	var found []Statement
	err := idb.NewSelect().Model(&found).Where("id = ?", id).Scan(ctx)
	if err == nil && len(found) == 0 {
		err = ErrNoStatement
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// Statements returns a part of the statements, newest first, and how many there are in all; of one gateway where that
// is given.
func (r *Reconciliation) Statements(ctx context.Context, gateway string, limit, offset int64) (statements []Statement,
	total int64, err error,
) {
	q := r.db.NewSelect().Model(&statements).OrderExpr("id DESC").Limit(limit).Offset(offset)
	if gateway != "" {
		q.Where("gateway = ?", gateway)
	}
	total, err = q.ScanAndCount(ctx)
	return statements, total, err
}

// Last returns the newest time up to which statements of each gateway reach.
func (r *Reconciliation) Last(ctx context.Context) (map[string]time.Time, error) {
	var found []struct {
		Gateway string
		LastAt  time.Time
	}
	err := r.db.NewRaw(`SELECT s.gateway, s.last_at FROM gateway_statement s WHERE NOT EXISTS (SELECT 1
		FROM gateway_statement n WHERE n.gateway = s.gateway AND (n.last_at > s.last_at
		OR (n.last_at = s.last_at AND n.id > s.id)))`).Scan(ctx, &found)
	last := make(map[string]time.Time, len(found))
	for _, f := range found {
		last[f.Gateway] = f.LastAt
	}
	return last, err
}
