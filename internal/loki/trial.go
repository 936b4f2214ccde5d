package loki

import (
	"context"

	"airstrip/internal/setting"
)

// Try pushes one line.
func (l *Loki) Try(ctx context.Context, t *setting.Trial) {
	var s server
	t.Do("检查设置", "Check the settings", func() (err error) {
		s, err = l.server(ctx)
		return err
	})
	t.Do("推送一行日志", "Push a line", func() error {
		return s.push(ctx, map[string]string{"job": "airstrip", "kind": "test"}, []line{{at: l.db.Now(), text: "test"}})
	})
}
