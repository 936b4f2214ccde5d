package shop

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/text"
)

// Kind is what is sold or ordered.
type Kind string

// What is sold; a Renewal is ordered only, for a service that is there.
const (
	KindPlan    Kind = "plan"    // a service for a period
	KindPackage Kind = "package" // bytes, once
	KindRenewal Kind = "renewal"
)

// Plan is what the shop sells.
type Plan struct {
	bun.BaseModel `bun:"table:plan"`
	ID            int64        `bun:",pk,autoincrement"`
	Name          string       // where the reader's language has none of its own
	Names         fault.ByLang `bun:"type:jsonb"`
	Info          string       // the same
	Infos         fault.ByLang `bun:"type:jsonb"`
	Kind          Kind
	TrafficBytes  *int64 // per cycle, of a package once; nil: unlimited
	Reset         service.Reset
	Class         int
	Groups        []int  `bun:"type:jsonb"`
	SpeedMbps     *int   // nil: no limit
	Devices       *int   // nil: no limit
	ValidDays     *int   // of a package; nil: until it is used up
	Stock         *int64 // left to sell; nil: no end of it
	PerUser       *int   // how often one user may buy it; nil: as often as they like
	Visible       bool   // whether it is sold; a hidden plan can still be renewed
	Renewable     bool
	Sort          int
	CreatedAt     time.Time
	UpdatedAt     time.Time
	RemovedAt     *time.Time
	Prices        []Price `bun:"rel:has-many,join:id=plan_id"` // those offered, by months
}

// In returns the plan with its name and description in a reader's language.
func (p *Plan) In(lang fault.Lang) *Plan {
	localized := *p
	localized.Name, localized.Info = p.Names.In(lang, p.Name), p.Infos.In(lang, p.Info)
	return &localized
}

// Price is one plan for one period, or one package. Its ID is the older API's shop id.
type Price struct {
	bun.BaseModel `bun:"table:price"`
	ID            int64 `bun:",pk,autoincrement"`
	PlanID        int64
	Months        int // 0 of a package
	Amount        money.Amount
	Offered       bool
	Plan          *Plan `bun:"rel:belongs-to,join:plan_id=id"`
}

// ErrNoPlan is the fault of a plan or price that does not exist or is not sold.
var ErrNoPlan = fault.NotFound("plan_not_found", "没有这个商品，或已下架", "There is no such plan, or it is no longer sold")

const maxInfo = 2000 // characters

// The most that a plan may have of each. Rows from before may hold more, and keep it.
const (
	maxClass     = 1_000_000 // as of nodes: the users of a higher one would have none
	maxSpeedMbps = 1_000_000 // agents are sent it, some of them in bits per second
	maxDevices   = 100_000
	maxStock     = 1_000_000_000
	maxPerUser   = 1_000_000_000
)

// checkBounds returns the fault of values beyond the bounds that were not so in was, which is empty for a new plan.
func (p *Plan) checkBounds(was *Plan) error {
	var wrong fault.Problems
	wrong.When(p.Class > maxClass && p.Class != was.Class, "class", "range", "等级不能大于 1000000",
		"The class is at most 1000000")
	wrong.When(isAbove(p.SpeedMbps, was.SpeedMbps, maxSpeedMbps), "speed", "range", "限速不能大于 1000000 Mbps",
		"The speed is at most 1000000 Mbps")
	wrong.When(isAbove(p.Devices, was.Devices, maxDevices), "devices", "range", "设备数不能大于 100000",
		"There are at most 100000 devices")
	wrong.When(isAbove(p.Stock, was.Stock, maxStock), "stock", "range", "库存不能大于 1000000000",
		"The stock is at most 1000000000")
	wrong.When(isAbove(p.PerUser, was.PerUser, maxPerUser), "per_user", "range", "每人限购不能大于 1000000000",
		"The limit per user is at most 1000000000")
	return wrong.Err()
}

func isAbove[T int | int64](value, was *T, most T) bool {
	return value != nil && *value > most && (was == nil || *value != *was)
}

func (p *Plan) check() error {
	p.Names, p.Infos = p.Names.OrEmpty(), p.Infos.OrEmpty() // the schema wants some
	for _, lang := range []fault.Lang{fault.ZH, fault.EN} {
		if len([]rune(p.Names[lang])) > 64 {
			return fault.Invalid(fault.FieldOf("name", lang), "length", "名称最多 64 个字符",
				"A name has at most 64 characters")
		}
		if len([]rune(p.Infos[lang])) > maxInfo {
			return fault.Invalid(fault.FieldOf("info", lang), "length", "描述最多 2000 个字符",
				"A description has at most 2,000 characters")
		}
	}
	switch {
	case text.Folded(p.Name) == "" || len([]rune(p.Name)) > 64:
		return fault.Invalid("name", "length", "名称须为 1 到 64 个字符", "The name must have 1 to 64 characters")
	case p.Kind != KindPlan && p.Kind != KindPackage:
		return fault.Invalid("kind", "choice", "类型只能是 plan 或 package", "The kind is plan or package")
	case p.TrafficBytes != nil && (*p.TrafficBytes < 1 || *p.TrafficBytes > 1<<50):
		return fault.Invalid("traffic", "range", "流量须大于零且不超过 1 PB；不限流量请留空",
			"Traffic must be above zero and at most 1 PB; leave it out for unlimited")
	case p.Kind == KindPackage && p.TrafficBytes == nil:
		return fault.Invalid("traffic", "required", "流量包需要流量", "A package needs its traffic")
	case !slices.Contains([]service.Reset{service.CalendarMonth, service.Anniversary, service.Never}, p.Reset):
		return fault.Invalid("reset", "choice", "重置方式只能是 calendar_month、anniversary 或 never",
			"The reset is calendar_month, anniversary or never")
	case p.Class < 0:
		return fault.Invalid("class", "range", "等级不能为负", "The class must not be negative")
	case p.SpeedMbps != nil && *p.SpeedMbps < 1:
		return fault.Invalid("speed", "range", "限速须大于零；不限速请留空",
			"The speed must be above zero; leave it out for no limit")
	case p.Devices != nil && *p.Devices < 1:
		return fault.Invalid("devices", "range", "设备数须大于零；不限请留空",
			"The devices must be above zero; leave them out for no limit")
	case p.ValidDays != nil && (p.Kind != KindPackage || *p.ValidDays < 1 || *p.ValidDays > 3660):
		return fault.Invalid("valid_days", "range", "只有流量包有有效天数，须在 1 到 3660 之间",
			"Only packages have days, from 1 to 3660")
	case p.Stock != nil && *p.Stock < 0:
		return fault.Invalid("stock", "range", "库存不能为负", "The stock must not be negative")
	case p.PerUser != nil && *p.PerUser < 1:
		return fault.Invalid("per_user", "range", "每人限购须大于零", "The limit per user must be above zero")
	case len(p.Prices) == 0:
		return fault.Invalid("prices", "required", "至少需要一个价格", "At least one price is needed")
	}
	seen := map[int]bool{}
	for _, price := range p.Prices {
		switch {
		case price.Amount < 0 || price.Amount > 1e11:
			return fault.Invalid("prices", "range", "价格不能为负，也不能过大", "A price must not be negative, nor absurdly high")
		case p.Kind == KindPackage && price.Months != 0:
			return fault.Invalid("prices", "months", "流量包没有时长", "A package has no months")
		case p.Kind == KindPlan && (price.Months < 1 || price.Months > 120):
			return fault.Invalid("prices", "months", "时长须为 1 到 120 个月", "The months must be from 1 to 120")
		case seen[price.Months]:
			return fault.Invalid("prices", "twice", "同一时长只能有一个价格", "There must be one price only for each period")
		}
		seen[price.Months] = true
	}
	return nil
}

// AddPlan puts a plan with its prices into the shop and gives it as it is kept.
func (s *Shop) AddPlan(ctx context.Context, p Plan) (*Plan, error) {
	p.ID, p.CreatedAt, p.UpdatedAt = 0, s.db.Now(), s.db.Now()
	p.Groups = append([]int{}, p.Groups...)
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkBounds(&Plan{}); err != nil {
		return nil, err
	}
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		p.ID = 0 // a repeated transaction must not keep the id of the first
		if _, err := tx.NewInsert().Model(&p).Exec(ctx); err != nil {
			return err
		}
		if err := savePrices(ctx, tx, p.ID, p.Prices, p.CreatedAt); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "plan.add", audit.ID("plan", p.ID), nil, p.recorded(), "")
	})
	if err != nil {
		return nil, err
	}
	return s.Plan(ctx, p.ID)
}

// ChangePlan lets change alter a plan and its prices. What was sold stays as it was sold.
func (s *Shop) ChangePlan(ctx context.Context, id int64, change func(*Plan)) (*Plan, error) {
	err := s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		// The update keeps the row, so that a sale at the same time does not lose its part of the stock.
		n, err := db.Changed(tx.NewUpdate().Model((*Plan)(nil)).Set("updated_at = ?", s.db.Now()).
			Where("id = ? AND removed_at IS NULL", id).Exec(ctx))
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoPlan
		}
		var p Plan
		if err := selectPlans(tx, &p).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		was, kind := p.recorded(), p.Kind
		change(&p)
		p.ID, p.Kind = id, kind
		if err := p.check(); err != nil {
			return err
		}
		if err := p.checkBounds(&was.Plan); err != nil {
			return err
		}
		if _, err := tx.NewUpdate().Model(&p).WherePK().ExcludeColumn("id", "kind", "created_at", "removed_at").
			Exec(ctx); err != nil {
			return db.Error(err)
		}
		if err := savePrices(ctx, tx, id, p.Prices, s.db.Now()); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "plan.change", audit.ID("plan", id), was, p.recorded(), "")
	})
	if err != nil {
		return nil, err
	}
	return s.Plan(ctx, id)
}

// savePrices makes prices the ones that are offered. A period keeps its price's id for good.
func savePrices(ctx context.Context, tx bun.Tx, planID int64, prices []Price, now time.Time) error {
	if _, err := tx.NewUpdate().Model((*Price)(nil)).Set("offered = ?", false).Where("plan_id = ?", planID).
		Exec(ctx); err != nil {
		return err
	}
	for _, p := range prices {
		_, err := tx.NewInsert().Model(&Price{PlanID: planID, Months: p.Months, Amount: p.Amount, Offered: true}).
			On("CONFLICT (plan_id, months) DO UPDATE").Set("amount = EXCLUDED.amount").
			Set("offered = EXCLUDED.offered").Exec(ctx)
		if err != nil {
			return db.Error(err)
		}
	}
	// What the prices are now goes into their history where it is not what they were.
	_, err := tx.NewRaw(`INSERT INTO price_history (price_id, since, amount, offered)
		SELECT p.id, ?, p.amount, p.offered FROM price p
		LEFT JOIN price_history h ON h.price_id = p.id AND h.since = (SELECT max(since) FROM price_history
		WHERE price_id = p.id)
		WHERE p.plan_id = ? AND (h.price_id IS NULL OR h.amount <> p.amount OR h.offered <> p.offered)
		ON CONFLICT (price_id, since) DO UPDATE SET amount = EXCLUDED.amount, offered = EXCLUDED.offered`, now, planID).Exec(ctx)
	return db.Error(err)
}

// RemovePlan takes a plan out of the shop for good. Services and orders of it go on.
func (s *Shop) RemovePlan(ctx context.Context, id int64) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		n, err := db.Changed(tx.NewUpdate().Model((*Plan)(nil)).Set("removed_at = ?", s.db.Now()).
			Where("id = ? AND removed_at IS NULL", id).Exec(ctx))
		if err == nil && n == 0 {
			err = ErrNoPlan
		}
		if err != nil {
			return err
		}
		var was Plan
		if err := selectPlans(tx, &was).Where("id = ?", id).Scan(ctx); err != nil {
			return err
		}
		return audit.Record(ctx, tx, "plan.remove", audit.ID("plan", id), was.recorded(), nil, "")
	})
}

// recordedPlan is a plan as the audit log keeps it.
type recordedPlan struct {
	Plan
	Prices map[string]money.Amount // by months
}

func (p *Plan) recorded() recordedPlan {
	r := recordedPlan{*p, map[string]money.Amount{}}
	r.UpdatedAt = time.Time{}
	for _, price := range p.Prices {
		r.Prices[strconv.Itoa(price.Months)] = price.Amount
	}
	return r
}

func selectPlans(idb bun.IDB, into any) *bun.SelectQuery {
	return idb.NewSelect().Model(into).
		Relation("Prices", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("offered").OrderExpr("months") })
}

// ListPlans returns all plans that were not removed, hidden ones too, in the order of the shop.
func (s *Shop) ListPlans(ctx context.Context) ([]Plan, error) {
	var plans []Plan
	err := selectPlans(s.db, &plans).Where("removed_at IS NULL").OrderExpr("sort, id").Scan(ctx)
	return plans, err
}

// OnSale returns the plans that anybody may buy, in the order of the shop.
func (s *Shop) OnSale(ctx context.Context) ([]Plan, error) {
	plans, err := s.ListPlans(ctx)
	return slices.DeleteFunc(plans, func(p Plan) bool { return !p.Visible }), err
}

// Bought returns how often the user has bought each plan, orders that wait for payment too, as the limit per user
// counts.
func (s *Shop) Bought(ctx context.Context, userID int64) (map[int64]int, error) {
	var counts []struct {
		PlanID int64
		N      int
	}
	err := s.db.NewSelect().Model((*Order)(nil)).Column("plan_id").ColumnExpr("COUNT(*) AS n").
		Where("user_id = ? AND kind <> ? AND state IN (?, ?)", userID, KindRenewal, Pending, Paid).Group("plan_id").
		Scan(ctx, &counts)
	byPlan := map[int64]int{}
	for _, c := range counts {
		byPlan[c.PlanID] = c.N
	}
	return byPlan, err
}

// Plan returns a plan that was not removed.
func (s *Shop) Plan(ctx context.Context, id int64) (*Plan, error) {
	var plans []Plan
	err := selectPlans(s.db, &plans).Where("id = ? AND removed_at IS NULL", id).Scan(ctx)
	if err == nil && len(plans) == 0 {
		err = ErrNoPlan
	}
	if err != nil {
		return nil, err
	}
	return &plans[0], nil
}

// PlanOf returns the plan of a user's service with the prices at which it can be renewed, hidden plans too.
func (s *Shop) PlanOf(ctx context.Context, userID, serviceID int64) (*Plan, error) {
	v, err := s.services.Get(ctx, userID, serviceID)
	if err != nil {
		return nil, err
	}
	p, err := s.Plan(ctx, v.PlanID)
	if err == nil && !p.Renewable {
		err = ErrNotRenewable
	}
	return p, err
}

// RenewalPrice returns the price at which the user's service renews itself: for as many months as its last order, or
// for the shortest period where it was not ordered but given. It is ErrNoPlan where that is not offered any more,
// ErrNotRenewable where the plan is not renewed.
func (s *Shop) RenewalPrice(ctx context.Context, userID, serviceID int64) (*Price, error) {
	p, err := s.PlanOf(ctx, userID, serviceID)
	if err != nil {
		return nil, err
	}
	months, ordered, err := s.services.MonthsOfLastOrder(ctx, serviceID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(p.Prices, func(price Price) bool { return !ordered || price.Months == months })
	if i < 0 {
		return nil, ErrNoPlan
	}
	return &p.Prices[i], nil
}

// HasPlan reports whether there is a plan of that number, not a package, that was not removed.
func HasPlan(ctx context.Context, idb bun.IDB, planID int64) (bool, error) {
	return idb.NewSelect().Model((*Plan)(nil)).Where("id = ? AND kind = ? AND removed_at IS NULL", planID, KindPlan).
		Exists(ctx)
}

// Price returns a price that is offered, with its plan. Those of hidden plans show only to users who have a service of
// it.
func (s *Shop) Price(ctx context.Context, userID, id int64) (*Price, error) {
	p, err := s.price(ctx, s.db, id)
	if err != nil || p.Plan.Visible {
		return p, err
	}
	has, err := s.services.HadPlan(ctx, userID, p.PlanID)
	if err == nil && !has {
		err = ErrNoPlan
	}
	return p, err
}

// PriceFor returns the price of a plan for a period, with its plan, where it is on sale.
func (s *Shop) PriceFor(ctx context.Context, planID int64, months int) (*Price, error) {
	p, err := s.OfferedPrice(ctx, planID, months)
	if err == nil && !p.Plan.Visible {
		err = ErrNoPlan
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// OfferedPrice returns the price of a plan for a period, with its plan, whether the shop shows the plan or hides it.
func (s *Shop) OfferedPrice(ctx context.Context, planID int64, months int) (*Price, error) {
	p, err := s.Plan(ctx, planID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(p.Prices, func(price Price) bool { return price.Months == months })
	if i < 0 {
		return nil, ErrNoPlan
	}
	p.Prices[i].Plan = p
	return &p.Prices[i], nil
}

// price returns an offered price with its plan.
func (s *Shop) price(ctx context.Context, idb bun.IDB, id int64) (*Price, error) {
	p, of := new(Price), new(Plan)
	if err := db.ScanPrepared(ctx, idb, p, s.priceText, id); err != nil {
		return nil, db.OrMissing(err, ErrNoPlan)
	}
	if err := db.ScanPrepared(ctx, idb, of, s.planText, p.PlanID); err != nil {
		return nil, db.OrMissing(err, ErrNoPlan)
	}
	p.Plan = of
	return p, nil
}
