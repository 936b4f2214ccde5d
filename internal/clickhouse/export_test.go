package clickhouse

// SetBlockRows has inserts into traffic have so many rows, so that a day of a test is several of them.
func (c *ClickHouse) SetBlockRows(n int) { c.blockRows = n }
