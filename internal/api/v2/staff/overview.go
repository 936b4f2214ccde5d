package staff

import (
	"context"
	"net/url"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/job"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/payment"
	"airstrip/internal/permission"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
	"airstrip/internal/ticket"
	"airstrip/internal/traffic"
)

type overviewTotal struct {
	Rows   int64        `json:"rows"`
	Amount money.Amount `json:"amount" doc:"Where the measure is amount, and of orders; 0.00 for others"`
	Bytes  int64        `json:"bytes" doc:"Where the measure is bytes"`
}

type overviewPart struct {
	Name  string `json:"name" doc:"Of the gateway"`
	Query string `json:"query"`
	Rows  int64  `json:"rows"`
}

type overviewFigure struct {
	Key           string         `json:"key" enum:"revenue,gifts,received,returned,orders,new_users,failed_payments,unpaid_orders,seen_users,expiring,exhausted,banned,active_users,traffic,billed_traffic,nodes_online,nodes_late,nodes_offline,tickets,cases,failed_jobs,late_jobs"`
	Measure       string         `json:"measure" enum:"rows,amount,bytes" doc:"What the figure counts"`
	List          string         `json:"list" doc:"The operation's list whose rows are counted, as users, orders, recharges; empty: none has them"`
	Query         string         `json:"query" doc:"The list's filter"`
	Now           overviewTotal  `json:"now"`
	Before        *overviewTotal `json:"before,omitempty" doc:"Of the period before, up to the same hour; absent: there is none to compare with"`
	ChangePercent *int64         `json:"change_percent" nullable:"true" doc:"Of the measure; null: fewer than 20 rows before, or nothing to compare with"`
	Oldest        *time.Time     `json:"oldest" nullable:"true" doc:"Of tickets: since when the first of them waits"`
	Parts         []overviewPart `json:"parts" doc:"Of failed payments: by gateway"`
}

type overviewDay struct {
	BeginsAt    time.Time     `json:"begins_at"`
	Revenue     *money.Amount `json:"revenue" nullable:"true" doc:"null: the caller may not see it"`
	MovedBytes  *int64        `json:"moved_bytes" nullable:"true" doc:"Up and down; null: the caller may not see it"`
	BilledBytes *int64        `json:"billed_bytes" nullable:"true" doc:"null: the caller may not see it"`
}

type overviewStep struct {
	Key    string `json:"key" enum:"site,contact,mail,gateway,plan,node,purchase"`
	IsDone bool   `json:"is_done"`
}

type overview struct {
	From    time.Time        `json:"from"`
	AsOf    time.Time        `json:"as_of"`
	Before  time.Time        `json:"before" doc:"When the period before begins; it is as long"`
	Figures []overviewFigure `json:"figures" doc:"Those that the caller may see"`
	Days    []overviewDay    `json:"days"`
	Steps   []overviewStep   `json:"steps" doc:"What a new site needs before it sells, of what the caller may see; for the part shop"`
}

// minForPercent is how many rows a comparison needs: of fewer, a percentage says nothing.
const minForPercent = 20

// overdueAfter is how long after its time an entry of the timetable is overdue.
const overdueAfter = 5 * time.Minute

// OverviewParts are what the overview adds up.
type OverviewParts struct {
	Console  *console.Console
	Settings *setting.Settings
	Shop     *shop.Shop
	Payments *payment.Payments
	Nodes    *node.Nodes
	Traffic  *traffic.Traffic
	Tickets  *ticket.Tickets
	Queues   []*job.Queue
	Now      func() time.Time
}

type overviewQuery struct {
	Days  int    `query:"days" minimum:"1" maximum:"366" default:"7" doc:"How many days of the site's time zone, with today"`
	From  string `query:"from" maxLength:"10" doc:"First day, as 2026-01-31, in place of days"`
	Until string `query:"until" maxLength:"10" doc:"Last day, where from is given"`
	Part  string `query:"part" enum:"shop,traffic" default:"shop" doc:"traffic: what is added up of the log of traffic, which takes longer"`
}

func (q *overviewQuery) period(c *console.Console) (console.Period, error) {
	if q.From == "" && q.Until == "" {
		return c.PeriodOf(q.Days), nil
	}
	return c.PeriodBetween(q.From, q.Until)
}

// Overview adds the figures that the console begins with.
func Overview(parts OverviewParts) v2.Resource {
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/overview", permission.OverviewRead).
			Named("staff_overview", "Figures of the last days, against as many before"),
			func(ctx context.Context, who account.Identity, in *overviewQuery) (overview, error) {
				p, err := in.period(parts.Console)
				if err != nil {
					return overview{}, err
				}
				o := gathering{
					OverviewParts: parts, may: who.May(), period: p,
					out: overview{p.From, p.To, p.Before, []overviewFigure{}, []overviewDay{}, []overviewStep{}},
				}
				steps := []func(context.Context) error{o.lists, o.revenue, o.nodes, o.trouble, o.steps}
				if in.Part == "traffic" {
					steps = []func(context.Context) error{o.traffic}
				}
				for _, step := range steps {
					if err := step(ctx); err != nil {
						return overview{}, err
					}
				}
				return o.out, nil
			})
	}
}

// gathering is an overview in the making.
type gathering struct {
	OverviewParts
	may    permission.Set
	period console.Period
	out    overview
}

// measures are what figures count that do not count rows.
var measures = map[string]string{
	"revenue": "amount", "gifts": "amount", "received": "amount", "returned": "amount",
	"traffic": "bytes", "billed_traffic": "bytes",
}

func (t overviewTotal) measured(measure string) int64 {
	switch measure {
	case "amount":
		return int64(t.Amount)
	case "bytes":
		return t.Bytes
	}
	return t.Rows
}

func (o *gathering) add(f overviewFigure) {
	f.Measure = "rows"
	if m := measures[f.Key]; m != "" {
		f.Measure = m
	}
	if f.Parts == nil {
		f.Parts = []overviewPart{}
	}
	if f.Before != nil && f.Before.Rows >= minForPercent {
		if was := f.Before.measured(f.Measure); was > 0 {
			f.ChangePercent = new(int64((float64(f.Now.measured(f.Measure)) - float64(was)) * 100 / float64(was)))
		}
	}
	o.out.Figures = append(o.out.Figures, f)
}

// lists adds the figures of the lists.
func (o *gathering) lists(ctx context.Context) error {
	figures, err := o.Console.Figures(ctx, o.period, o.may)
	for _, f := range figures {
		shown := overviewFigure{
			Key: f.Key, List: f.List, Query: f.Filter.Encode(), Now: overviewTotal{f.Now.Rows, f.Now.Amount, 0},
		}
		if f.Before != nil {
			shown.Before = &overviewTotal{f.Before.Rows, f.Before.Amount, 0}
		}
		for _, part := range f.Parts {
			shown.Parts = append(shown.Parts, overviewPart{part.Name, part.Filter.Encode(), part.Rows})
		}
		o.add(shown)
	}
	return err
}

func (o *gathering) revenue(ctx context.Context) error {
	if !o.may.Has(permission.RefundRead) {
		return nil
	}
	days, err := o.Console.Days(ctx, o.period)
	for _, d := range days {
		o.out.Days = append(o.out.Days, overviewDay{BeginsAt: d.Begins, Revenue: &d.Amount})
	}
	return err
}

func (o *gathering) nodes(ctx context.Context) error {
	if !o.may.Has(permission.NodeRead) {
		return nil
	}
	states, err := o.Nodes.Monitor.States(ctx)
	if err != nil {
		return err
	}
	all, err := o.Nodes.List(ctx)
	count := map[node.Health]int64{}
	for _, n := range all {
		if n.Enabled {
			count[states[n.ID].Health(o.Nodes.Limits.LocalTime())]++
		}
	}
	for _, health := range []node.Health{node.Online, node.Late, node.Offline} {
		o.add(overviewFigure{
			Key: "nodes_" + string(health), List: "nodes", Now: overviewTotal{Rows: count[health]},
			Query: url.Values{"enabled": {"true"}, "status": {string(health)}}.Encode(),
		})
	}
	return err
}

// trouble adds what waits for staff.
func (o *gathering) trouble(ctx context.Context) error {
	now := func(key, list, query string, rows int64, oldest *time.Time) {
		o.add(overviewFigure{Key: key, List: list, Query: query, Now: overviewTotal{Rows: rows}, Oldest: oldest})
	}
	if o.may.Has(permission.TicketRead) {
		n, since, err := o.Tickets.Waiting(ctx)
		if err != nil {
			return err
		}
		now("tickets", "tickets", "awaiting=staff", n, since)
	}
	if o.may.Has(permission.CaseRead) {
		_, n, err := o.Payments.Cases(ctx, payment.CaseFilter{State: payment.CaseOpen, Limit: 1})
		if err != nil {
			return err
		}
		now("cases", "payment-cases", "state=open", n, nil)
	}
	if !o.may.Has(permission.JobRead) {
		return nil
	}
	_, failed, err := o.Queues[0].Find(ctx, job.Failed, "", 1, 0)
	if err != nil {
		return err
	}
	now("failed_jobs", "jobs", "state=failed", failed, nil)
	late := int64(0)
	for _, q := range o.Queues {
		timed, err := q.Timed(ctx)
		if err != nil {
			return err
		}
		for _, t := range timed {
			fails := t.FailedAt != nil && t.RecoveredAt == nil
			if fails || t.NextAt != nil && t.NextAt.Add(overdueAfter).Before(o.Now()) {
				late++
			}
		}
	}
	now("late_jobs", "jobs/timetable", "", late, nil)
	return nil
}

// steps adds what a new site needs before it sells.
func (o *gathering) steps(ctx context.Context) error {
	site, initial := o.Settings.Get(), setting.Defaults()
	step := func(key string, needs permission.Permission, isDone func() (bool, error)) error {
		if !o.may.Has(needs) {
			return nil
		}
		done, err := isDone()
		o.out.Steps = append(o.out.Steps, overviewStep{key, done})
		return err
	}
	for _, one := range []struct {
		key    string
		needs  permission.Permission
		isDone func() (bool, error)
	}{
		{"site", permission.SettingRead, func() (bool, error) {
			return site.SiteName != initial.SiteName, nil
		}},
		{"contact", permission.SettingRead, func() (bool, error) {
			return site.ContactEmail != "" || site.ContactURL != "", nil
		}},
		{"mail", permission.SettingRead, func() (bool, error) { return site.SMTPHost != "" && site.SMTPFrom != "", nil }},
		{"gateway", permission.GatewayRead, func() (bool, error) { return len(o.Payments.Methods()) > 0, nil }},
		{"plan", permission.PlanRead, func() (bool, error) {
			plans, err := o.Shop.OnSale(ctx)
			return len(plans) > 0, err
		}},
		{"node", permission.NodeRead, func() (bool, error) {
			states, err := o.Nodes.Monitor.States(ctx)
			return len(states) > 0, err
		}},
		{"purchase", permission.OrderRead, func() (bool, error) { return o.Shop.HasSold(ctx) }},
	} {
		if err := step(one.key, one.needs, one.isDone); err != nil {
			return err
		}
	}
	return nil
}

// traffic adds what the site moved.
func (o *gathering) traffic(ctx context.Context) error {
	if !o.may.Has(permission.TrafficRead) {
		return nil
	}
	now, _, err := o.Traffic.MovedBetween(ctx, o.period.From, o.period.To)
	if err != nil {
		return err
	}
	before, comparable, err := o.Traffic.MovedBetween(ctx, o.period.Before, o.period.BeforeTo())
	if err != nil {
		return err
	}
	query := url.Values{
		"from": {o.period.From.Format(time.RFC3339Nano)}, "to": {o.period.To.Format(time.RFC3339Nano)},
	}.Encode()
	for _, key := range []string{"active_users", "traffic", "billed_traffic"} {
		f := overviewFigure{Key: key, List: "statistics/users", Query: query, Now: totalOf(key, now)}
		if key != "active_users" {
			f.List = "statistics/traffic"
		}
		if comparable {
			f.Before = new(totalOf(key, before))
		}
		o.add(f)
	}
	days, err := o.Traffic.SumByDay(ctx, o.period.From, o.period.To)
	moved := map[int64]traffic.Point{}
	for _, d := range days {
		moved[d.At.Unix()] = d
	}
	for begins := o.period.From.In(o.period.Zone); !begins.After(o.period.To); begins = begins.AddDate(0, 0, 1) {
		d := moved[begins.Unix()]
		o.out.Days = append(o.out.Days, overviewDay{
			BeginsAt: begins.UTC(), MovedBytes: new(d.Up + d.Down), BilledBytes: new(d.Billed),
		})
	}
	return err
}

func totalOf(key string, m traffic.Moved) overviewTotal {
	switch key {
	case "traffic":
		return overviewTotal{Rows: m.Users, Bytes: m.Up + m.Down}
	case "billed_traffic":
		return overviewTotal{Rows: m.Users, Bytes: m.Billed}
	}
	return overviewTotal{Rows: m.Users}
}
