package app

import (
	"context"
	"runtime"
	"syscall"

	"airstrip/internal/api/v2/staff"
	"airstrip/internal/setting"
)

// trials are the tests of what the settings lead to.
func (a *App) trials() staff.Trials {
	return staff.Trials{Mail: a.Mails.Try, Others: map[string]func(context.Context, *setting.Trial){
		"telegram": a.Telegram.Try, "captcha": a.Captchas.Try, "attachments": a.Files.Try,
		"clickhouse": a.ClickHouse.Try, "loki": a.Loki.Try, "mailbox": a.Mailbox.Try,
	}}
}

// system gathers what is known of this server.
func (a *App) system(ctx context.Context) (f staff.SystemFacts, err error) {
	f = staff.SystemFacts{
		Version: a.version, GoVersion: runtime.Version(), StartedAt: a.started.UTC(), Database: "postgresql",
		IsWritable: a.DB.WriteProblem() == nil, IsClockRight: a.DB.ClockProblem() == nil,
		HasClickHouse: a.ClickHouse.On(),
	}
	if a.DB.SQLite() {
		f.Database = "sqlite"
	}
	size, err := a.DB.Size(ctx)
	if err != nil {
		return f, err
	}
	growth, err := a.Storage.Growth(ctx)
	if err != nil {
		return f, err
	}
	f.DatabaseBytes, f.TrafficLogBytes = size.Bytes, growth.LogBytes
	f.DatabaseDailyBytes, f.TrafficLogDailyBytes = growth.Data, growth.Log
	if f.SchemaVersion, err = a.DB.SchemaVersion(ctx); err != nil {
		return f, err
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(a.cfg.Data, &disk); err == nil { // else both stay 0
		f.DiskTotalBytes = int64(disk.Blocks) * disk.Bsize
		f.DiskFreeBytes = int64(disk.Bavail) * disk.Bsize
		if a.DB.SQLite() { // PostgreSQL does not say how much room it has
			f.DiskDaysLeft = growth.DaysLeft(f.DiskFreeBytes + size.Free)
		}
	}
	if f.HasClickHouse {
		s := a.ClickHouse.Status()
		f.IsClickHouseUp, f.ClickHouseWaiting, f.ClickHouseDiffers = s.Up, s.Waiting, s.Differing
	}
	if last := a.lastCheck.Load(); last != nil {
		at := last.at.UTC()
		f.DoctorAt, f.DoctorBrokenPlaces = &at, last.broken
	}
	return f, nil
}

// auditCheck is what the last run of the doctor in this process found in the audit log; nil: there was none.
func (a *App) auditCheck() *staff.AuditCheck {
	last := a.lastCheck.Load()
	if last == nil {
		return nil
	}
	return &staff.AuditCheck{At: last.at, Broken: last.inAudit}
}
