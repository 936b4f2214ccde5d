package api

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSVWriter writes a file of rows, a few at a time.
type CSVWriter struct{ out *csv.Writer }

// NewCSVWriter returns a writer of rows to w.
func NewCSVWriter(w io.Writer) CSVWriter { return CSVWriter{csv.NewWriter(w)} }

// Row writes one row, in which it changes cells: what a spreadsheet would take for a formula begins with a quotation
// mark.
func (c CSVWriter) Row(cells ...string) error {
	for i, text := range cells {
		if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
			cells[i] = "'" + text
		}
	}
	return c.out.Write(cells)
}

// Close writes what is still buffered.
func (c CSVWriter) Close() error {
	c.out.Flush()
	return c.out.Error()
}

// WriteCSV writes rows of cells, as a CSVWriter does.
func WriteCSV(w io.Writer, rows [][]string) error {
	out := NewCSVWriter(w)
	for _, row := range rows {
		if err := out.Row(row...); err != nil {
			return err
		}
	}
	return out.Close()
}
