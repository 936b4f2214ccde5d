package clickhouse

import (
	"context"
	"errors"

	"airstrip/internal/setting"
)

// Try asks whether ClickHouse answers.
func (c *ClickHouse) Try(ctx context.Context, t *setting.Trial) {
	t.Do("检查配置", "Check the configuration", func() error {
		if !c.On() {
			return errors.New("AIRSTRIP_CLICKHOUSE_URL is not set")
		}
		return nil
	})
	t.Do("连接", "Connect", func() error { return c.ping(ctx) })
}
