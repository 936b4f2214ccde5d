package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"airstrip/internal/db"
)

// stride is what is added to a number in each copy, more than any number of the demo.
const stride = 1_000_000

// copies is a table whose rows are copied until it has as many as are wanted.
type copies struct {
	table string
	like  string // the table of which this one has as many copies, where both belong together
	only  string // SQL: which rows are copied; empty: all
	// numbers are the columns whose values are moved by a stride: the table's own, and those that lead to a row that
	// was copied as well. changed are the others that are not copied as they are, as SQL in which k is the copy's
	// number.
	numbers []string
	changed map[string]string
}

const newUUID = "new_uuid"

var ofUsers = "account_id IN (SELECT id FROM ledger_account WHERE user_id IS NOT NULL)"

// tables are in the order in which they are copied. Accounts have the most copies, so that each row has its user.
var tables = []copies{
	{table: "account", numbers: []string{"id", "invited_by"}, changed: map[string]string{
		"uuid": newUUID, "email": "'copy' || k || '.' || email", "invite_code": "invite_code || '.' || k",
		"telegram_id": "NULL", "role": "''",
	}},
	{table: "user_facts", like: "account", numbers: []string{"user_id", "inviter_id"}, changed: map[string]string{
		"email": "'copy' || k || '.' || email", "role": "''",
	}},
	{
		table: "shop_order", numbers: []string{"id", "user_id", "service_id", "replaces_id", "recharge_id"},
		changed: map[string]string{"uuid": newUUID},
	},
	{table: "recharge", numbers: []string{"id", "user_id"}, changed: map[string]string{
		"uuid": newUUID, "trade_no": "trade_no || '.' || k", "transaction_id": "transaction_id || '.' || k",
	}},
	{table: "service", numbers: []string{"id", "user_id"}},
	{table: "invoice", numbers: []string{"id", "user_id", "reference_id"}, changed: map[string]string{"uuid": newUUID}},
	{table: "ledger_transaction", numbers: []string{"id", "reference_id"}},
	{table: "posting", like: "ledger_transaction", numbers: []string{"id", "transaction_id"}, changed: map[string]string{
		"account_id": fmt.Sprintf("CASE WHEN %s THEN account_id + k * %d ELSE account_id END", ofUsers, stride),
	}},
	{table: "ledger_account", like: "account", only: "user_id IS NOT NULL", numbers: []string{"id", "user_id"}},
}

// fetches are rows of the log of link fetches, which the demo has none of: one for each user, of the last 25 days.
const fetches = `INSERT INTO link_fetch (user_id, fetched_at, token, ip, network, area, client, version, user_agent,
		format, status, nodes, left_out, bytes)
	SELECT user_id, ` + someTimeAgo + `, 'abcdef12', '198.51.' || (user_id % 97) || '.' || (user_id % 251),
		'198.51.' || (user_id % 97) || '.0/24', CASE WHEN user_id % 7 = 0 THEN 'DE' ELSE 'CN' END,
		CASE WHEN user_id % 3 = 0 THEN 'mihomo' ELSE 'sing-box' END, '1.0', 'bench/1.0',
		CASE WHEN user_id % 3 = 0 THEN 'clash' ELSE 'singbox' END,
		CASE WHEN user_id % 11 = 0 THEN 429 ELSE 200 END, 9, 0, 9000
	FROM user_facts ORDER BY user_id`

// someTimeAgo stands for a time within the last 25 days that depends on user_id.
const someTimeAgo = "some_time_ago"

// notices are those of services that end soon, so that the server does not send mails while lists are measured.
const notices = `INSERT INTO service_notice (service_id, of_time, about, created_at)
	SELECT id, ends_at, about, started_at FROM service,
		(SELECT '1d' AS about UNION ALL SELECT '3d' UNION ALL SELECT '7d') AS levels
	WHERE ended_at IS NULL ON CONFLICT DO NOTHING`

// multiply copies the demo's rows until each table has so many. The triggers and foreign keys, which would look at each
// row, do not run; no server may be running.
func multiply(ctx context.Context, url, data string, rows int64) error {
	d, err := openPlain(ctx, url, data)
	if err != nil {
		return err
	}
	defer d.Close()
	restore, err := d.withoutTriggers(ctx)
	if err != nil {
		return err
	}
	count := map[string]int64{}
	for _, c := range tables {
		if c.like == "" {
			var has int64
			if err := d.QueryRowContext(ctx, "SELECT count(*) FROM "+c.table).Scan(&has); err != nil {
				return err
			}
			count[c.table] = rows/has + 1
		}
		if err := d.copy(ctx, c, count[c.like+c.own()]); err != nil {
			return fmt.Errorf("copy %s: %w", c.table, err)
		}
	}
	statistics := "ANALYZE"
	ago := `strftime('%Y-%m-%d %H:%M:%S+00:00', 'now', '-' || (user_id % 2160000) || ' seconds')`
	if d.postgres {
		statistics = "VACUUM ANALYZE"
		ago = `now() - make_interval(secs => user_id % 2160000)`
	}
	made := []string{strings.ReplaceAll(fetches, someTimeAgo, ago), notices}
	for _, statement := range slices.Concat(made, restore, []string{statistics}) {
		if _, err := d.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// own is the table's name where it has a number of copies of its own.
func (c copies) own() string {
	if c.like != "" {
		return ""
	}
	return c.table
}

// plain is one connection to a database, without what package db, which has the drivers, puts around it.
type plain struct {
	*sql.DB
	postgres bool
}

func openPlain(ctx context.Context, url, data string) (plain, error) {
	if url != "" {
		d, err := sql.Open("pgx", url)
		if err != nil {
			return plain{}, err
		}
		d.SetMaxOpenConns(1)
		_, err = d.ExecContext(ctx, "SET session_replication_role = replica")
		return plain{d, true}, err
	}
	d, err := sql.Open("sqlite", "file:"+filepath.Join(data, db.SQLiteFile)+
		"?_pragma=synchronous(0)&_pragma=cache_size(-500000)&_pragma=foreign_keys(0)")
	if err == nil {
		d.SetMaxOpenConns(1)
	}
	return plain{d, false}, err
}

// withoutTriggers drops the triggers of SQLite and returns the statements that make them again.
func (d plain) withoutTriggers(ctx context.Context) (restore []string, err error) {
	if d.postgres {
		return nil, nil
	}
	rows, err := d.QueryContext(ctx, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var drops []string
	for rows.Next() {
		var name, made string
		if err := rows.Scan(&name, &made); err != nil {
			return nil, err
		}
		drops, restore = append(drops, fmt.Sprintf("DROP TRIGGER %q", name)), append(restore, made)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	for _, drop := range drops {
		if _, err := d.ExecContext(ctx, drop); err != nil {
			return nil, err
		}
	}
	return restore, nil
}

// columns returns the columns of a table that are not made of others.
func (d plain) columns(ctx context.Context, table string) (names []string, err error) {
	query := "SELECT name FROM pragma_table_xinfo($1) WHERE hidden = 0 ORDER BY cid"
	if d.postgres {
		query = `SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1
			AND is_generated = 'NEVER' ORDER BY ordinal_position`
	}
	rows, err := d.QueryContext(ctx, query, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (d plain) copy(ctx context.Context, c copies, times int64) error {
	columns, err := d.columns(ctx, c.table)
	if err != nil {
		return err
	}
	changed := maps.Clone(c.changed)
	if changed == nil {
		changed = map[string]string{}
	}
	for _, number := range c.numbers {
		changed[number] = fmt.Sprintf("%s + k * %d", number, stride)
	}
	uuid := `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-a' ||
		substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
	if d.postgres {
		uuid = "gen_random_uuid()"
	}
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = column
		if as, is := changed[column]; is {
			values[i] = strings.ReplaceAll(as, newUUID, uuid)
		}
	}
	where := c.only
	if where == "" {
		where = "true"
	}
	_, err = d.ExecContext(ctx, fmt.Sprintf(`WITH RECURSIVE copy (k) AS
			(SELECT CAST(1 AS BIGINT) UNION ALL SELECT k + 1 FROM copy WHERE k < %d)
		INSERT INTO %s (%s) SELECT %s FROM copy CROSS JOIN (SELECT * FROM %[2]s) AS one WHERE %[5]s`,
		times, c.table, strings.Join(columns, ", "), strings.Join(values, ", "), where))
	return err
}
