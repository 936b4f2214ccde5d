package db

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"

	"airstrip/internal/text"
)

// settlementKeysVersion is the migration after which settlements are told apart by their references in folded form,
// which SQLite cannot compute.
const settlementKeysVersion = 20261127053100

func (d *DB) settlementKeysMigration() *goose.Migration {
	return goose.NewGoMigration(settlementKeysVersion, &goose.GoFunc{RunTx: d.addSettlementKeys}, nil)
}

// addSettlementKeys gives each settlement its key. Of several booked ones with the same only the first gets it: the
// others stay as they are, with none.
func (d *DB) addSettlementKeys(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, words[d.sqlite].Replace(
		`ALTER TABLE gateway_settlement ADD COLUMN reference_key {{text}} CHECK (reference_key <> '')`)); err != nil {
		return err
	}
	var settlements []struct {
		ID        int64
		Gateway   string
		Reference string
		Reversed  bool
	}
	if err := d.long.NewRaw(`SELECT id, gateway, reference, reversed_at IS NOT NULL AS reversed FROM gateway_settlement
		ORDER BY id`).Conn(tx).Scan(ctx, &settlements); err != nil {
		return err
	}
	type key struct{ gateway, reference string }
	taken := map[key]bool{}
	for _, s := range settlements {
		k := key{s.Gateway, text.Folded(s.Reference)}
		if k.reference == "" || taken[k] {
			continue
		}
		taken[k] = !s.Reversed
		if _, err := d.long.NewRaw(`UPDATE gateway_settlement SET reference_key = ? WHERE id = ?`, k.reference, s.ID).
			Conn(tx).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `CREATE UNIQUE INDEX gateway_settlement_reference_key
		ON gateway_settlement (gateway, reference_key) WHERE reversed_at IS NULL`)
	return err
}
