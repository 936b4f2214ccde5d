package api

import (
	"encoding/csv"
	"io"
	"strings"
)

// WriteCSV writes rows of cells. What a spreadsheet would take for a formula begins with a quotation mark.
func WriteCSV(w io.Writer, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, row := range rows {
		for i, text := range row {
			if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
				row[i] = "'" + text
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
