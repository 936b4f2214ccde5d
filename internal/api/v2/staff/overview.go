package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/money"
	"airstrip/internal/permission"
)

type overviewTotal struct {
	Rows   int64        `json:"rows"`
	Amount money.Amount `json:"amount" doc:"Of orders and recharges; 0.00 for others"`
}

type overviewFigure struct {
	Key           string         `json:"key" enum:"received,orders,new_users,failed_payments,unpaid_orders,seen_users,expiring,exhausted,banned"`
	List          string         `json:"list" enum:"users,orders,recharges" doc:"The list whose rows are counted"`
	Query         string         `json:"query" doc:"The list's filter"`
	Now           overviewTotal  `json:"now"`
	Before        *overviewTotal `json:"before,omitempty" doc:"Of the period before; absent: there is none to compare with"`
	ChangePercent *int64         `json:"change_percent" nullable:"true" doc:"Of the rows; null: fewer than 20 before, or nothing to compare with"`
}

type overview struct {
	From    time.Time        `json:"from"`
	AsOf    time.Time        `json:"as_of"`
	Before  time.Time        `json:"before" doc:"When the period before begins; it is as long"`
	Figures []overviewFigure `json:"figures"`
}

// minForPercent is how many rows a comparison needs: of fewer, a percentage says nothing.
const minForPercent = 20

// Overview adds the figures that the console begins with.
func Overview(c *console.Console) v2.Resource {
	return func(r *v2.Router) {
		type last struct {
			Days int `query:"days" minimum:"1" maximum:"366" default:"7" doc:"How many days of the site's time zone, with today"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/overview", permission.OverviewRead).
			Named("staff_overview", "Figures of the last days, against as many before"),
			func(ctx context.Context, _ account.Identity, in *last) (overview, error) {
				p := c.PeriodOf(in.Days)
				figures, err := c.Figures(ctx, p)
				out := overview{p.From, p.To, p.Before, []overviewFigure{}}
				for _, f := range figures {
					shown := overviewFigure{
						Key: f.Key, List: f.List, Query: f.Filter.Encode(),
						Now: overviewTotal{f.Now.Rows, f.Now.Amount},
					}
					if f.Before != nil {
						shown.Before = &overviewTotal{f.Before.Rows, f.Before.Amount}
						if f.Before.Rows >= minForPercent {
							shown.ChangePercent = new((f.Now.Rows - f.Before.Rows) * 100 / f.Before.Rows)
						}
					}
					out.Figures = append(out.Figures, shown)
				}
				return out, err
			})
	}
}
