package db

import "strconv"

// AppendRow appends the i-th row of a VALUES list of whole numbers to an SQL text. Statements with thousands of rows are
// written this way: placeholders for each would cost more than the rows.
func AppendRow(query []byte, i int, numbers ...int64) []byte {
	if i > 0 {
		query = append(query, ',')
	}
	for j, n := range numbers {
		query = append(query, "(,"[min(j, 1)])
		query = strconv.AppendInt(query, n, 10)
	}
	return append(query, ')')
}
