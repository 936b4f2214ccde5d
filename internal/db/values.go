package db

import (
	"iter"
	"slices"
	"strconv"

	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// Numbers holds rows of integers as a value of a statement, where it takes the place of a table: FROM ? AS v has the
// columns v.column1, v.column2 and so on. It must not be empty. Statements on thousands of rows are written this way,
// since a placeholder for each number would cost more than the rows.
type Numbers struct {
	width int
	cells []int64
}

// NumbersOf returns a table without rows, with so many columns, and room for so many rows.
func NumbersOf(columns, rows int) *Numbers {
	return &Numbers{columns, make([]int64, 0, columns*rows)}
}

// Add adds a row.
func (n *Numbers) Add(row ...int64) { n.cells = append(n.cells, row...) }

// Parts returns the rows in tables of a size that one statement handles well.
func (n *Numbers) Parts() iter.Seq[*Numbers] {
	return func(yield func(*Numbers) bool) {
		for part := range slices.Chunk(n.cells, 2000*n.width) {
			if !yield(&Numbers{n.width, part}) {
				return
			}
		}
	}
}

// AppendQuery implements schema.QueryAppender.
func (n *Numbers) AppendQuery(gen schema.QueryGen, q []byte) ([]byte, error) {
	q = slices.Grow(q, 12*len(n.cells))
	if gen.Dialect().Name() == dialect.SQLite {
		return n.values(q), nil
	}
	return n.arrays(q), nil
}

func (n *Numbers) values(q []byte) []byte {
	q = append(q, "(VALUES "...)
	for i, cell := range n.cells {
		switch {
		case i == 0:
			q = append(q, '(')
		case i%n.width == 0:
			q = append(q, "),("...)
		default:
			q = append(q, ',')
		}
		q = strconv.AppendInt(q, cell, 10)
	}
	return append(q, "))"...)
}

// arrays writes one text for each column, which PostgreSQL reads far faster than a constant for each number.
func (n *Numbers) arrays(q []byte) []byte {
	q = append(q, "(SELECT * FROM unnest("...)
	for column := range n.width {
		if column > 0 {
			q = append(q, ',')
		}
		q = append(q, "'{"...)
		for i := column; i < len(n.cells); i += n.width {
			if i > column {
				q = append(q, ',')
			}
			q = strconv.AppendInt(q, n.cells[i], 10)
		}
		q = append(q, "}'::bigint[]"...)
	}
	q = append(q, ") AS u ("...)
	for column := range n.width {
		if column > 0 {
			q = append(q, ',')
		}
		q = strconv.AppendInt(append(q, "column"...), int64(column+1), 10)
	}
	return append(q, "))"...)
}
