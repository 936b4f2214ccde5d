package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
	"airstrip/internal/setting"
)

// SystemFacts is what is known of the server that answers; exported because package app gathers it.
type SystemFacts struct {
	Version              string     `json:"version"`
	GoVersion            string     `json:"go_version"`
	StartedAt            time.Time  `json:"started_at" doc:"Of this process"`
	Database             string     `json:"database" enum:"sqlite,postgresql"`
	DatabaseBytes        int64      `json:"database_bytes"`
	DatabaseDailyBytes   *int64     `json:"database_daily_bytes" nullable:"true" doc:"By how much the data grows a day, over at most 30 days; null: not known within the first half day"`
	TrafficLogBytes      int64      `json:"traffic_log_bytes" doc:"Of the database, when it was last measured; 0: not yet"`
	TrafficLogDailyBytes *int64     `json:"traffic_log_daily_bytes" nullable:"true" doc:"By how much the traffic log grows a day"`
	SchemaVersion        int64      `json:"schema_version"`
	IsWritable           bool       `json:"is_writable" doc:"Whether the database takes writes"`
	IsClockRight         bool       `json:"is_clock_right" doc:"False: timed work waits until the clocks agree"`
	DiskTotalBytes       int64      `json:"disk_total_bytes" doc:"Of the data folder's disk"`
	DiskFreeBytes        int64      `json:"disk_free_bytes"`
	DiskDaysLeft         *int64     `json:"disk_days_left" nullable:"true" doc:"Until the disk is full, if the data goes on growing like this, at most 3650; null: it does not grow, or that is not known, as of PostgreSQL"`
	HasClickHouse        bool       `json:"has_click_house"`
	IsClickHouseUp       bool       `json:"is_click_house_up"`
	ClickHouseWaiting    int64      `json:"click_house_waiting_days" doc:"Days that are not sent whole yet"`
	ClickHouseDiffers    int64      `json:"click_house_differing_days"`
	DoctorAt             *time.Time `json:"doctor_at" nullable:"true" doc:"When this process last finished the nightly check; null: not since it started"`
	DoctorBrokenPlaces   int64      `json:"doctor_broken_places" doc:"What it found; airstrip doctor names each"`
}

type trialStep struct {
	Title string `json:"title" doc:"In the caller's language"`
	IsOK  bool   `json:"is_ok"`
	Error string `json:"error" doc:"What the other side or the network said, as it said it"`
}

type trialResult struct {
	IsOK  bool        `json:"is_ok"`
	Steps []trialStep `json:"steps" doc:"Until the first that failed"`
}

// Trials try a part by the kind that the operation names.
type Trials struct {
	// Mail sends a mail to an address; the others take none.
	Mail   func(ctx context.Context, t *setting.Trial, to string)
	Others map[string]func(ctx context.Context, t *setting.Trial)
}

// System adds what is known of the server, and the tests of what it is connected to.
func System(facts func(ctx context.Context) (SystemFacts, error), trials Trials, a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/system", permission.SystemRead).
			Named("staff_system", "Versions, database, disk and health of the server that answers"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (SystemFacts, error) { return facts(ctx) })
		v2.Handle(r, v2.StaffOp("POST /staff/settings/tests/{kind}", permission.SettingTest).
			Named("staff_setting_test", "Try what settings lead to now, and tell at which step it failed"),
			func(ctx context.Context, who account.Identity, in *struct {
				Kind string `path:"kind" enum:"mail,telegram,captcha,attachments,clickhouse,loki,mailbox" doc:"mail: to the caller's address"`
			},
			) (trialResult, error) {
				part := trials.Others[in.Kind]
				if in.Kind == "mail" {
					emails, err := a.Emails(ctx, []int64{who.UserID})
					if err != nil {
						return trialResult{}, err
					}
					part = func(ctx context.Context, t *setting.Trial) { trials.Mail(ctx, t, emails[who.UserID]) }
				}
				t := setting.Try(ctx, part)
				out := trialResult{t.OK(), []trialStep{}}
				for _, s := range t.Steps {
					out.Steps = append(out.Steps, trialStep{
						s.Title.In(api.CallerOf(ctx).Lang), s.Failure == "", s.Failure,
					})
				}
				return out, audit.Note(ctx, "setting.test", audit.Object{Kind: "setting_test", ID: in.Kind}, nil, "")
			})
	}
}
