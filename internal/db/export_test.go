package db

import (
	"context"
	"testing"
	"time"
)

// ExecOnWriter runs a statement on the connection that writes, outside of any transaction.
func (d *DB) ExecOnWriter(ctx context.Context, text string) error {
	_, err := d.write.ExecContext(ctx, text)
	return err
}

// ShortenWaits makes Tx wait for so long only, until the test ends.
func ShortenWaits(t *testing.T, all time.Duration) {
	before := txWait
	txWait = all
	t.Cleanup(func() { txWait = before })
}

// ShortenFailover makes Tx give up a database that cannot be written without waiting for a new primary, until the test
// ends.
func ShortenFailover(t *testing.T) {
	before := failover
	failover = 0
	t.Cleanup(func() { failover = before })
}
