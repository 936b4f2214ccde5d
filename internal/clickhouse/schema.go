package clickhouse

import (
	"context"
	"fmt"
	"time"
)

// steps are the versions of the schema, each of which is statements that may be run again. They use what ClickHouse
// 18.16 and the releases of today both know: no codecs, no time to live, no 64-bit times, no parameters by name.
//
// A row of traffic is a total, so that sending it again replaces it: of the rows of one key the one with the highest
// ver counts, wherever it is read with FINAL. Rows of events are told apart by their id.
var steps = [][]string{{
	`CREATE TABLE IF NOT EXISTS traffic (
		user_id UInt64, at DateTime('UTC'), node_id UInt64, rate_permille UInt32,
		up UInt64, down UInt64, billed UInt64, ver UInt64
	) ENGINE = ReplacingMergeTree(ver) PARTITION BY toYYYYMM(at) ORDER BY (user_id, at, node_id, rate_permille)`,

	`CREATE TABLE IF NOT EXISTS node (
		node_id UInt64, name String, ver UInt64
	) ENGINE = ReplacingMergeTree(ver) ORDER BY node_id`,

	`CREATE TABLE IF NOT EXISTS sign_in (
		user_id UInt64, at DateTime('UTC'), id UInt64, ip String, user_agent String, wrong String
	) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) ORDER BY (user_id, at, id)`,

	`CREATE TABLE IF NOT EXISTS audit_hit (
		user_id UInt64, at DateTime('UTC'), id UInt64, node_id UInt64, rule_id UInt64, rule String, hits UInt64
	) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) ORDER BY (user_id, at, id)`,

	`CREATE TABLE IF NOT EXISTS link_fetch (
		user_id UInt64, at DateTime('UTC'), id UInt64, ip String, area String, client String, version String,
		user_agent String, format String, status UInt16, nodes UInt32, bytes UInt64
	) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) ORDER BY (user_id, at, id)`,
}, {
	`CREATE TABLE IF NOT EXISTS user_state (
		user_id UInt64, at DateTime('UTC'), up UInt64, down UInt64, quota UInt64, balance Int64,
		expires DateTime('UTC'), ver UInt64
	) ENGINE = ReplacingMergeTree(ver) PARTITION BY toYYYYMM(at) ORDER BY (user_id, at)`,
}}

// schemaTable has a row for each version that was applied, and by that says which site the database is of.
const schemaTable = `CREATE TABLE IF NOT EXISTS airstrip_schema (
	version UInt32, site String, at DateTime('UTC')
) ENGINE = ReplacingMergeTree ORDER BY (version, site)`

// migrate brings the tables to the version of this program, and reports whether the database had none of them. It
// refuses a database of another site: each would take the other's rows for differences.
func (c *ClickHouse) migrate(ctx context.Context, site string) (empty bool, err error) {
	if err := c.exec(ctx, schemaTable); err != nil {
		return false, err
	}
	var version, others uint64
	if err := c.row(ctx, `SELECT toUInt64(max(version)), toUInt64(countIf(site != ?)) FROM airstrip_schema`,
		[]any{site}, &version, &others); err != nil {
		return false, fmt.Errorf("read the version of the schema: %w", err)
	}
	if others > 0 {
		return false, ErrOtherSite
	}
	if version > uint64(len(steps)) {
		return false, ErrNewer
	}
	for i := version; i < uint64(len(steps)); i++ {
		for _, statement := range steps[i] {
			if err := c.exec(ctx, statement); err != nil {
				return false, fmt.Errorf("version %d of the schema: %w", i+1, err)
			}
		}
		if err := c.insert(ctx, "airstrip_schema (version, site, at)", []uint32{uint32(i + 1)}, []string{site},
			[]time.Time{c.DB.Now()}); err != nil {
			return false, fmt.Errorf("record version %d of the schema: %w", i+1, err)
		}
	}
	return version == 0, nil
}
