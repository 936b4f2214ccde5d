package staff

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/node"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/traffic"
)

// StatisticsQuery says which days are meant; exported because it is embedded.
type StatisticsQuery struct {
	From time.Time `query:"from" doc:"Days of the site's time zone that begin then or later; 30 days before to by default"`
	To   time.Time `query:"to" doc:"Days that begin before; now by default"`
}

func (q *StatisticsQuery) bounds(now time.Time) (from, to time.Time, err error) {
	from, to = q.From, q.To
	if to.IsZero() {
		to = now
	}
	if from.IsZero() {
		from = to.AddDate(0, 0, -30)
	}
	return from, to, v2.CheckOrder("to", from, to)
}

// StatisticsAmount is what was moved; exported because it is embedded.
type StatisticsAmount struct {
	UpBytes     int64 `json:"up_bytes"`
	DownBytes   int64 `json:"down_bytes"`
	BilledBytes int64 `json:"billed_bytes"`
}

func newStatisticsAmount(a traffic.Amount) StatisticsAmount {
	return StatisticsAmount{a.Up, a.Down, a.Billed}
}

type statisticsRow struct {
	Key  string `json:"key" doc:"The id of the node or plan, the country's code, or when the day began; empty: users who hold no plan now"`
	Name string `json:"name" doc:"Of the node or plan in the caller's language; empty: it was removed, or days and countries"`
	StatisticsAmount
}

type rankedUser struct {
	UserID int64  `json:"user_id"`
	Email  string `json:"email" doc:"Empty: the account is gone"`
	StatisticsAmount
}

type ranking struct {
	Users      []rankedUser `json:"users" doc:"The most first"`
	TotalCount int64        `json:"total_count" doc:"Users who moved anything"`
}

// monthOfGrowth is what the site moved in a month.
type monthOfGrowth struct {
	BeginsAt time.Time `json:"begins_at" doc:"Of the month, in the site's time zone"`
	StatisticsAmount
	ExpectedBytes *int64 `json:"expected_bytes" nullable:"true" doc:"Up and down when the month is over, if it goes on like this; null: less than a day of it is over"`
	ChangePercent *int64 `json:"change_percent" nullable:"true" doc:"Of expected_bytes to the month before; null: there is nothing to compare"`
}

// statistics sums traffic up for staff.
type statistics struct {
	accounts *account.Accounts
	services *service.Services
	shop     *shop.Shop
	nodes    *node.Nodes
	traffic  *traffic.Traffic
}

// Statistics adds, for staff, what the site moved by day, node, country, plan and user.
func Statistics(
	a *account.Accounts, services *service.Services, s *shop.Shop, nodes *node.Nodes, t *traffic.Traffic,
) v2.Resource {
	st := statistics{a, services, s, nodes, t}
	return func(r *v2.Router) {
		type sumQuery struct {
			StatisticsQuery
			By string `query:"by" default:"day" enum:"day,node,country,plan" doc:"country: of the node; plan: what users hold now"`
		}
		v2.HandleList(r, v2.StaffOp("GET /staff/statistics/traffic", permission.TrafficRead).
			Named("staff_statistics_traffic", "What the site moved, by day, node, country or plan"),
			func(ctx context.Context, _ account.Identity, in *sumQuery) ([]statisticsRow, error) {
				from, to, err := in.bounds(t.Now())
				if err != nil {
					return nil, err
				}
				switch in.By {
				case "node", "country":
					return st.byNode(ctx, from, to, in.By == "country")
				case "plan":
					return st.byPlan(ctx, from, to)
				}
				return st.byDay(ctx, from, to)
			})
		type growthQuery struct {
			Months int `query:"months" default:"12" minimum:"1" maximum:"120" doc:"With the present one"`
		}
		v2.HandleList(r, v2.StaffOp("GET /staff/statistics/growth", permission.TrafficRead).
			Named("staff_statistics_growth", "What the site moved by month, and what the present month will come to"),
			func(ctx context.Context, _ account.Identity, in *growthQuery) (out []monthOfGrowth, err error) {
				months, err := t.Growth(ctx, in.Months)
				for _, m := range months {
					out = append(out, monthOfGrowth{
						m.Begins, newStatisticsAmount(m.Amount), m.Expected, m.ChangePercent,
					})
				}
				return out, err
			})
		type rankQuery struct {
			StatisticsQuery
			Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"500"`
			Offset int64 `query:"offset" default:"0" minimum:"0"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/statistics/users", permission.TrafficRead).
			Named("staff_statistics_users", "The users who moved most"),
			func(ctx context.Context, _ account.Identity, in *rankQuery) (ranking, error) {
				from, to, err := in.bounds(t.Now())
				if err != nil {
					return ranking{}, err
				}
				users, total, err := st.ranked(ctx, from, to, in.Limit, in.Offset)
				return ranking{users, total}, err
			})
		v2.HandleCSVStream(r, v2.StaffOp("GET /staff/statistics/users/csv", permission.TrafficRead).ChangesByGET().
			Named("staff_statistics_users_csv", "All users who moved anything as a file, the most first; it is audited"),
			func(ctx context.Context, _ account.Identity, in *StatisticsQuery) (v2.Rows, error) {
				records, err := st.export(ctx, in, "csv")
				return csvOf(records), err
			})
		v2.HandleParquetStream(r, v2.StaffOp("GET /staff/statistics/users/parquet", permission.TrafficRead).ChangesByGET().
			Named("staff_statistics_users_parquet", "The same file in the format Apache Parquet; it is audited"),
			func(ctx context.Context, _ account.Identity, in *StatisticsQuery) (v2.Records[exportedUser], error) {
				return st.export(ctx, in, "parquet")
			})
	}
}

func (st statistics) byDay(ctx context.Context, from, to time.Time) (out []statisticsRow, err error) {
	days, err := st.traffic.SumByDay(ctx, from, to)
	for _, d := range days {
		out = append(out, statisticsRow{
			d.At.Format(time.RFC3339), "", StatisticsAmount{d.Up, d.Down, d.Billed},
		})
	}
	return out, err
}

// byNode sums up by node or, with the nodes that there are, by country.
func (st statistics) byNode(ctx context.Context, from, to time.Time, byCountry bool) ([]statisticsRow, error) {
	sums, err := st.traffic.SumByNode(ctx, from, to)
	if err != nil {
		return nil, err
	}
	nodes, err := st.nodes.List(ctx)
	if err != nil {
		return nil, err
	}
	lang, names, countries := api.CallerOf(ctx).Lang, map[int64]string{}, map[int64]string{}
	for _, n := range nodes {
		names[n.ID], countries[n.ID] = n.Localized(lang).Name, n.Country
	}
	var rows grouped
	for _, n := range sums {
		if byCountry {
			rows.add(cmp.Or(countries[n.NodeID], "ZZ"), "", n.Amount)
		} else {
			rows.add(strconv.FormatInt(n.NodeID, 10), names[n.NodeID], n.Amount)
		}
	}
	return rows.most(), nil
}

// holdingsAtOnce is how many users one query asks for what they hold.
const holdingsAtOnce = 1000

// byPlan sums up by the plan that users hold now: of those who hold several it is the one that began first.
func (st statistics) byPlan(ctx context.Context, from, to time.Time) ([]statisticsRow, error) {
	sums, err := st.traffic.SumByUser(ctx, from, to)
	if err != nil {
		return nil, err
	}
	plans, err := st.shop.ListPlans(ctx)
	if err != nil {
		return nil, err
	}
	lang, names := api.CallerOf(ctx).Lang, map[int64]string{}
	for _, p := range plans {
		names[p.ID] = p.Names.In(lang, p.Name)
	}
	ids := make([]int64, 0, len(sums))
	for id := range sums {
		ids = append(ids, id)
	}
	var rows grouped
	for some := range slices.Chunk(ids, holdingsAtOnce) {
		held, err := st.services.Holdings(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			if plans := held[id].PlanIDs; len(plans) > 0 {
				rows.add(strconv.FormatInt(plans[0], 10), names[plans[0]], sums[id])
			} else {
				rows.add("", "", sums[id])
			}
		}
	}
	return rows.most(), nil
}

func (st statistics) ranked(ctx context.Context, from, to time.Time, limit, offset int64) (
	[]rankedUser, int64, error,
) {
	users, total, err := st.traffic.Ranking(ctx, from, to, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	ids := make([]int64, len(users))
	for i, u := range users {
		ids[i] = u.UserID
	}
	emails, err := st.accounts.Emails(ctx, ids)
	out := make([]rankedUser, len(users))
	for i, u := range users {
		out[i] = rankedUser{u.UserID, emails[u.UserID], newStatisticsAmount(u.Amount)}
	}
	return out, total, err
}

// grouped adds amounts up by key.
type grouped struct {
	rows []statisticsRow
	at   map[string]int
}

func (g *grouped) add(key, name string, a traffic.Amount) {
	if g.at == nil {
		g.at = map[string]int{}
	}
	i, known := g.at[key]
	if !known {
		i = len(g.rows)
		g.at[key] = i
		g.rows = append(g.rows, statisticsRow{Key: key, Name: name})
	}
	r := &g.rows[i]
	r.UpBytes, r.DownBytes, r.BilledBytes = r.UpBytes+a.Up, r.DownBytes+a.Down, r.BilledBytes+a.Billed
}

// most returns the rows, those that moved most first.
func (g *grouped) most() []statisticsRow {
	slices.SortFunc(g.rows, func(a, b statisticsRow) int {
		return cmp.Or(cmp.Compare(b.UpBytes+b.DownBytes, a.UpBytes+a.DownBytes), cmp.Compare(a.Key, b.Key))
	})
	return g.rows
}
