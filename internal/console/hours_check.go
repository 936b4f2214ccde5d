package console

import (
	"strconv"

	"airstrip/internal/db"
)

// ofHour stands between a figure and its hour in what hoursRule finds.
const ofHour = ", hour "

// hoursRule compares each stored hour with the rows that it counts, and what nothing is stored of, up to the last
// stored hour, with nothing. It leaves out the hours that the next run of StoreHours adds up again. Each table is read
// once: right after a restore PostgreSQL has no statistics, and a query for each day would read all of it each time.
func hoursRule(d *db.DB) db.Rule {
	hour := func(column string) string {
		if d.SQLite() {
			return `unixepoch(` + column + `) / 3600`
		}
		return `CAST(floor(extract(epoch FROM ` + column + `)) AS BIGINT) / 3600`
	}
	return db.Rule{Name: "I18", Says: "stored hours of the overview are what their rows add up to", Query: `
		SELECT s.figure || '` + ofHour + `' || CAST(s.hour AS TEXT) FROM (
			SELECT figure, hour, SUM(found) AS found, SUM(amount) AS amount FROM (
				SELECT figure, hour, found, amount FROM overview_hour
				UNION ALL SELECT CASE WHEN a.kind = 'gifts' THEN 'gifts' ELSE 'revenue' END, ` + hour("t.created_at") + `, -1,
					CASE WHEN a.kind = 'gifts' THEN p.amount ELSE -p.amount END
					FROM ledger_transaction t JOIN posting p ON p.transaction_id = t.id JOIN ledger_account a ON a.id = p.account_id
					WHERE a.user_id IS NULL AND a.kind IN ('sales', 'refunds', 'gifts')
				UNION ALL SELECT 'orders', ` + hour("paid_at") + `, -1, -amount FROM shop_order WHERE paid_at IS NOT NULL
				UNION ALL SELECT 'received', ` + hour("paid_at") + `, -1, -amount FROM recharge WHERE paid_at IS NOT NULL
				UNION ALL SELECT 'returned', ` + hour("ended_at") + `, -1, -amount FROM gateway_refund
					WHERE ended_at IS NOT NULL AND state = 'done'
			) AS u GROUP BY figure, hour
		) AS s JOIN (SELECT figure, MAX(hour) AS last FROM overview_hour GROUP BY figure) AS l ON l.figure = s.figure
		WHERE s.hour <= l.last - ` + strconv.Itoa(hoursAgain) + ` AND (s.found <> 0 OR s.amount <> 0)`}
}
