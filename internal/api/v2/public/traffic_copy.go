package public

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/clickhouse"
	"airstrip/internal/money"
	"airstrip/internal/node"
)

// historySpan is what is shown where no time is given.
const historySpan = 30 * 24 * time.Hour

// CopyQuery selects hours; exported because it is embedded.
type CopyQuery struct {
	FromISO time.Time `query:"from_iso" doc:"Hours that begin then or later; the default is 30 days before to_iso"`
	ToISO   time.Time `query:"to_iso" doc:"Hours that begin before; the default is now"`
	Limit   int64     `query:"limit" default:"3000" minimum:"1" maximum:"10000" doc:"The newest so many"`
	Offset  int64     `query:"offset" default:"0" minimum:"0" maximum:"100000000"`
}

func (q *CopyQuery) of(userID int64, now time.Time) (clickhouse.Query, error) {
	out := clickhouse.Query{UserID: userID, From: q.FromISO, To: q.ToISO, Limit: q.Limit, Offset: q.Offset}
	if out.To.IsZero() {
		out.To = now
	}
	if out.From.IsZero() {
		out.From = out.To.Add(-historySpan)
	}
	return out, v2.CheckOrder("to_iso", out.From, out.To)
}

// copiedRecords is the envelope of rows, which says where they come from.
type copiedRecords struct {
	IsSuccess bool               `json:"is_success" doc:"Always true"`
	Message   string             `json:"message"`
	Source    clickhouse.Source  `json:"source" enum:"clickhouse,database" doc:"database: ClickHouse does not answer"`
	Result    []v2.TrafficRecord `json:"result"`
}

// historyPoint is what a user had in an hour.
type historyPoint struct {
	CreatedAt            time.Time    `json:"created_at" doc:"When the hour began"`
	UserID               int64        `json:"user_id"`
	SSUploadSize         int64        `json:"ss_upload_size" doc:"Bytes used of the quota, as billed"`
	SSDownloadSize       int64        `json:"ss_download_size" doc:"Bytes used of the quota, as billed"`
	SSBandwidthTotalSize int64        `json:"ss_bandwidth_total_size" doc:"Bytes of the quota; 1 PiB where unlimited"`
	MoneyAmount          money.Amount `json:"money_amount" doc:"Available in the wallet"`
	UserLevelExpireIn    time.Time    `json:"user_level_expire_in" doc:"When the last running service ends; without one the day of the sign-up"`
}

// history is the envelope of what a user had, as Grafana's data sources for JSON read it: the rows are result_list,
// the time is created_at.
type history struct {
	IsSuccess  bool              `json:"is_success" doc:"Always true"`
	Message    string            `json:"message"`
	Result     historyUser       `json:"result"`
	Source     clickhouse.Source `json:"source" enum:"clickhouse,database" doc:"database: ClickHouse does not answer"`
	ResultList []historyPoint    `json:"result_list"`
}

type historyUser struct {
	UserID int64 `json:"user_id"`
}

// TrafficCopy adds the traffic of a user as ClickHouse has it, for programs that know nothing but a key, such as
// Grafana.
func TrafficCopy(
	a *account.Accounts, c *clickhouse.ClickHouse, nodes *node.Nodes, now func() time.Time,
) v2.Resource {
	return func(r *v2.Router) {
		type logQuery struct {
			Token string `path:"token" maxLength:"64" doc:"An API token of the user with the scope read"`
			CopyQuery
		}
		v2.HandleEnvelope(r, v2.PublicOp("GET /tools/user_traffic_log_full_ch/{token}").
			Named("tools_traffic_log_copy",
				"The log of the token's user by node and hour from ClickHouse, the newest first"),
			func(ctx context.Context, _ account.Identity, in *logQuery) (copiedRecords, error) {
				who, err := a.APITokens.Authenticate(ctx, in.Token, account.ScopeRead)
				if err != nil {
					return copiedRecords{}, err
				}
				return readRecords(ctx, c, nodes, who.UserID, &in.CopyQuery, now())
			}, func(message string, out copiedRecords) copiedRecords {
				out.IsSuccess, out.Message = true, message
				return out
			})

		type historyQuery struct {
			Token string `path:"token" maxLength:"64" doc:"The number of a user, or an API token of theirs with the scope read"`
			Key   string `query:"grafana_api_key" maxLength:"64" doc:"An API token with the scope grafana"`
			Head  string `header:"Grafana-Api-Key" maxLength:"64" doc:"The same, in the place of grafana_api_key"`
			CopyQuery
		}
		v2.HandleEnvelope(r, v2.PublicOp("GET /tools/user_data_history_ch/{token}").
			Named("tools_history", "What a user had in each hour in which it changed, from ClickHouse, the oldest first, for Grafana"),
			func(ctx context.Context, _ account.Identity, in *historyQuery) (history, error) {
				_, err := a.APITokens.Authenticate(ctx, cmp.Or(in.Head, in.Key), account.ScopeGrafana)
				if err != nil {
					return history{}, err
				}
				userID, err := userOf(ctx, a, in.Token)
				if err != nil {
					return history{}, err
				}
				return readHistory(ctx, c, userID, &in.CopyQuery, now())
			}, func(message string, out history) history {
				out.IsSuccess, out.Message = true, message
				return out
			})
	}
}

// userOf returns the user whom a number or an API token names.
func userOf(ctx context.Context, a *account.Accounts, token string) (int64, error) {
	if id, err := strconv.ParseInt(token, 10, 64); err == nil {
		u, err := a.User(ctx, id)
		return u.ID, err
	}
	who, err := a.APITokens.Authenticate(ctx, token, account.ScopeRead)
	return who.UserID, err
}

func readRecords(
	ctx context.Context, c *clickhouse.ClickHouse, nodes *node.Nodes, userID int64, in *CopyQuery, now time.Time,
) (out copiedRecords, err error) {
	q, err := in.of(userID, now)
	if err != nil {
		return out, err
	}
	records, source, err := c.Records(ctx, q)
	if err != nil {
		return out, err
	}
	out.Source = source
	out.Result, err = v2.TrafficRecords(ctx, nodes, userID, records)
	return out, err
}

func readHistory(
	ctx context.Context, c *clickhouse.ClickHouse, userID int64, in *CopyQuery, now time.Time,
) (out history, err error) {
	q, err := in.of(userID, now)
	if err != nil {
		return out, err
	}
	states, source, err := c.History(ctx, q)
	out.Result.UserID, out.Source, out.ResultList = userID, source, make([]historyPoint, len(states))
	for i, p := range states {
		out.ResultList[i] = historyPoint{
			CreatedAt: p.At, UserID: userID, SSUploadSize: p.Up, SSDownloadSize: p.Down, SSBandwidthTotalSize: p.Quota,
			MoneyAmount: p.Balance, UserLevelExpireIn: p.Expires,
		}
	}
	return out, err
}
