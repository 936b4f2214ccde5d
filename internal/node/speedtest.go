package node

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"
)

// SpeedTest is how fast a node reports to reach the three carriers of mainland China.
type SpeedTest struct {
	bun.BaseModel `bun:"table:speed_test"`
	ID            int64 `bun:",pk,autoincrement"`
	NodeID        int64
	Results       map[string]string `bun:"type:jsonb"` // by SpeedTestNames
	At            time.Time
}

// SpeedTestNames are what a speed test measures, as agents call it.
var SpeedTestNames = []string{
	"telecomping", "telecomeupload", "telecomedownload", "unicomping", "unicomupload", "unicomdownload", "cmccping",
	"cmccupload", "cmccdownload",
}

// The limits of speed tests.
const (
	maxSpeedTests = 20 // stored for each node
	maxSpeedText  = 64 // bytes of one result
)

// AddSpeedTests stores the newest speed tests of a node and returns how many of these were valid.
func (mo *Monitor) AddSpeedTests(ctx context.Context, nodeID int64, tests []map[string]string) (int, error) {
	var rows []SpeedTest
	for _, results := range tests {
		if isSpeedTest(results) {
			rows = append(rows, SpeedTest{NodeID: nodeID, Results: results, At: mo.db.Now()})
		}
	}
	if len(rows) == 0 {
		return 0, nil
	}
	last := rows[max(0, len(rows)-maxSpeedTests):]
	return len(rows), mo.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewInsert().Model(&last).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw(`DELETE FROM speed_test WHERE node_id = ?0 AND id NOT IN (SELECT id FROM speed_test
			WHERE node_id = ?0 ORDER BY id DESC LIMIT ?1)`,
			nodeID, maxSpeedTests).Exec(ctx)
		return err
	})
}

func isSpeedTest(results map[string]string) bool {
	for name, text := range results {
		if !slices.Contains(SpeedTestNames, name) || len(text) > maxSpeedText || !utf8.ValidString(text) ||
			strings.ContainsRune(text, 0) {
			return false
		}
	}
	return len(results) > 0
}

// SpeedTests returns the stored speed tests of a node, the newest first.
func (mo *Monitor) SpeedTests(ctx context.Context, nodeID int64) ([]SpeedTest, error) {
	var rows []SpeedTest
	err := mo.db.NewSelect().Model(&rows).Where("node_id = ?", nodeID).OrderExpr("id DESC").Scan(ctx)
	return rows, err
}
