package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"airstrip/internal/dberr"
)

// Rule is an invariant of every committed state. Its query returns one column of text that names what breaks it.
type Rule struct {
	Name  string // the invariant's short name, such as "I1"
	Says  string // what holds
	Query string
}

// Violation is one broken rule.
type Violation struct {
	Rule string // its name and what it says
	What string // where it is broken
}

const shownPerRule = 20

// CanBeChecked is what a check says that cannot be finished, such as one that cannot read a row. What it would have
// found is unknown.
const CanBeChecked = "what this checks can be read"

// Check runs the query of each rule, however long it takes, and returns what breaks it, with some examples of each. A
// rule whose query fails is broken; the others are checked.
func Check(ctx context.Context, d *DB, rules ...Rule) ([]Violation, error) {
	var broken []Violation
	err := d.readWhole(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, r := range rules {
			var found []string
			err := tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
				return tx.NewRaw(fmt.Sprintf("SELECT * FROM (%s) AS broken LIMIT %d", r.Query, shownPerRule)).
					Scan(ctx, &found)
			})
			switch {
			case err == nil:
			case ctx.Err() != nil, dberr.Fault(err) != nil:
				return fmt.Errorf("check %s: %w", r.Name, err)
			default:
				broken = append(broken, Violation{r.Name + ": " + CanBeChecked, err.Error()})
			}
			for _, what := range found {
				broken = append(broken, Violation{r.Name + ": " + r.Says, what})
			}
		}
		return nil
	})
	return broken, err
}

// ReadWhole scans into dest what a query on whole tables returns, however long it takes.
func (d *DB) ReadWhole(ctx context.Context, query string, dest any) error {
	return d.readWhole(ctx, func(ctx context.Context, tx bun.Tx) error { return tx.NewRaw(query).Scan(ctx, dest) })
}

func (d *DB) readWhole(ctx context.Context, read func(context.Context, bun.Tx) error) error {
	return d.unlimited().RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if !d.sqlite {
			// Right after a restore there are no statistics, and nested loops would take hours.
			if _, err := tx.ExecContext(ctx,
				`SET LOCAL statement_timeout = 0; SET LOCAL enable_nestloop = off`); err != nil {
				return err
			}
		}
		return read(ctx, tx)
	})
}

// schemaRules inspect the tables themselves, by the catalogue of each engine; the key is whether it is SQLite.
var schemaRules = map[bool]Rule{
	true: {Name: "I12", Says: "every column holds whole numbers, text or bytes, and refuses what does not fit", Query: `
		SELECT 'table ' || name AS what FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict
		AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'
		UNION ALL SELECT 'column ' || t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'goose_%'
		AND c.type NOT IN ('INTEGER', 'TEXT', 'BLOB')`},
	false: {Name: "I12", Says: "no column is a fraction or narrower than 64 bits", Query: `
		SELECT 'column ' || table_name || '.' || column_name AS what FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose_%'
		AND data_type IN ('real', 'double precision', 'numeric', 'money', 'smallint', 'integer')`},
}

// Check returns every table and column that could store a sum or a count wrongly, and what CheckTriggers finds.
func (d *DB) Check(ctx context.Context) ([]Violation, error) {
	broken, err := Check(ctx, d, schemaRules[d.sqlite])
	if err != nil {
		return nil, err
	}
	unprotected, err := d.CheckTriggers(ctx)
	return append(broken, unprotected...), err
}
