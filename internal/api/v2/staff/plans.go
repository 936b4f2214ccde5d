package staff

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/shop"
)

// staffPlan is a plan as staff sees it.
type staffPlan struct {
	ID           int64            `json:"id"`
	Kind         string           `json:"kind" enum:"plan,package"`
	State        string           `json:"state" enum:"on_sale,hidden,archived"`
	Name         string           `json:"name" doc:"Where the reader's language has none of its own"`
	NameZH       string           `json:"name_zh" doc:"Empty: there is none in Chinese"`
	NameEN       string           `json:"name_en" doc:"Empty: there is none in English"`
	Info         string           `json:"info" doc:"Where the reader's language has none of its own"`
	InfoZH       string           `json:"info_zh" doc:"Empty: there is none in Chinese"`
	InfoEN       string           `json:"info_en" doc:"Empty: there is none in English"`
	TrafficBytes *int64           `json:"traffic_bytes" nullable:"true" doc:"For each quota month, of a package once; null: unlimited"`
	Reset        string           `json:"reset" enum:"calendar_month,anniversary,never"`
	Class        int              `json:"class"`
	ClassName    string           `json:"class_name" doc:"What users call the class, in the caller's language; empty: it has no name"`
	Groups       []int            `json:"groups"`
	SpeedMbps    *int             `json:"speed_mbps" nullable:"true" doc:"null: no limit"`
	Devices      *int             `json:"devices" nullable:"true" doc:"null: no limit"`
	ValidDays    *int             `json:"valid_days" nullable:"true" doc:"Of a package; null: until it is used up"`
	Stock        *int64           `json:"stock" nullable:"true" doc:"What is left to sell; null: no end of it"`
	PerUser      *int             `json:"per_user" nullable:"true" doc:"How often one user may buy it; null: as often as they like"`
	Renewable    bool             `json:"renewable"`
	Sort         int              `json:"sort"`
	Prices       []staffPlanPrice `json:"prices" doc:"Those offered, by months"`
	Running      int64            `json:"running" doc:"Services of it that run"`
	Renewing     int64            `json:"renewing" doc:"Of those, the ones that renew themselves"`
	CreatedAt    time.Time        `json:"created_at"`
	ArchivedAt   *time.Time       `json:"archived_at" nullable:"true"`
	v2.Version
}

type staffPlanPrice struct {
	Months   int          `json:"months" doc:"0 of a package"`
	Amount   money.Amount `json:"amount"`
	Renewals *int64       `json:"renewals" nullable:"true" doc:"Running services that renew themselves for this period; null in the list"`
}

func newStaffPlan(p *shop.Plan, version v2.Version) staffPlan {
	out := staffPlan{
		ID: p.ID, Kind: string(p.Kind), State: "on_sale",
		Name: p.Name, NameZH: p.Names[fault.ZH], NameEN: p.Names[fault.EN],
		Info: p.Info, InfoZH: p.Infos[fault.ZH], InfoEN: p.Infos[fault.EN],
		TrafficBytes: p.TrafficBytes, Reset: string(p.Reset), Class: p.Class, Groups: append([]int{}, p.Groups...),
		SpeedMbps: p.SpeedMbps, Devices: p.Devices, ValidDays: p.ValidDays, Stock: p.Stock, PerUser: p.PerUser,
		Renewable: p.Renewable, Sort: p.Sort, Prices: []staffPlanPrice{}, CreatedAt: p.CreatedAt,
		ArchivedAt: p.RemovedAt, Version: version,
	}
	switch {
	case p.RemovedAt != nil:
		out.State = "archived"
	case !p.Visible:
		out.State = "hidden"
	}
	for _, price := range p.Prices {
		out.Prices = append(out.Prices, staffPlanPrice{Months: price.Months, Amount: price.Amount})
	}
	return out
}

// PlanTexts are the names and descriptions of a plan; exported because it is embedded.
type PlanTexts struct {
	Name   *string `json:"name,omitempty" maxLength:"64"`
	NameZH *string `json:"name_zh,omitempty" maxLength:"64" doc:"Empty: name"`
	NameEN *string `json:"name_en,omitempty" maxLength:"64" doc:"Empty: name"`
	Info   *string `json:"info,omitempty" maxLength:"2000"`
	InfoZH *string `json:"info_zh,omitempty" maxLength:"2000" doc:"Empty: info"`
	InfoEN *string `json:"info_en,omitempty" maxLength:"2000" doc:"Empty: info"`
}

func (b PlanTexts) apply(p *shop.Plan) {
	assign(&p.Name, b.Name)
	assign(&p.Info, b.Info)
	p.Names = p.Names.With(fault.ZH, b.NameZH).With(fault.EN, b.NameEN)
	p.Infos = p.Infos.With(fault.ZH, b.InfoZH).With(fault.EN, b.InfoEN)
}

// PlanTerms are what a new plan and a change have in common; exported because it is embedded.
type PlanTerms struct {
	PlanTexts
	TrafficBytes *int64            `json:"traffic_bytes,omitempty" doc:"For each quota month, of a package once; 0: unlimited"`
	Reset        *string           `json:"reset,omitempty" enum:"calendar_month,anniversary,never"`
	Class        *int              `json:"class,omitempty" doc:"At most 1000000"`
	Groups       *[]int            `json:"groups,omitempty" maxItems:"100" doc:"Node groups that it opens"`
	SpeedMbps    *int              `json:"speed_mbps,omitempty" doc:"0: no limit; at most 1000000"`
	Devices      *int              `json:"devices,omitempty" doc:"0: no limit; at most 100000"`
	ValidDays    *int              `json:"valid_days,omitempty" doc:"Of a package; 0: until it is used up"`
	Stock        *int64            `json:"stock,omitempty" doc:"What is left to sell; -1: no end of it; at most 1000000000"`
	PerUser      *int              `json:"per_user,omitempty" doc:"Purchases of one user; 0: no limit; at most 1000000000"`
	Visible      *bool             `json:"visible,omitempty" doc:"Whether it is sold; a hidden plan can still be renewed"`
	Renewable    *bool             `json:"renewable,omitempty"`
	Prices       *[]planPriceInput `json:"prices,omitempty" maxItems:"24" doc:"All that are offered"`
}

type planPriceInput struct {
	Months int            `json:"months" minimum:"0" maximum:"120" doc:"0 of a package"`
	Amount v2.AmountInput `json:"amount"`
}

func (b PlanTerms) apply(p *shop.Plan) {
	b.PlanTexts.apply(p)
	assign(&p.Reset, (*service.Reset)(b.Reset))
	assign(&p.Class, b.Class)
	assign(&p.Groups, b.Groups)
	assign(&p.Visible, b.Visible)
	assign(&p.Renewable, b.Renewable)
	assignLimit(&p.TrafficBytes, b.TrafficBytes, 0)
	assignLimit(&p.SpeedMbps, b.SpeedMbps, 0)
	assignLimit(&p.Devices, b.Devices, 0)
	assignLimit(&p.ValidDays, b.ValidDays, 0)
	assignLimit(&p.Stock, b.Stock, -1)
	assignLimit(&p.PerUser, b.PerUser, 0)
	if b.Prices != nil {
		p.Prices = nil
		for _, price := range *b.Prices {
			p.Prices = append(p.Prices, shop.Price{Months: price.Months, Amount: price.Amount.Amount})
		}
	}
}

// assignLimit sets a limit where one is given; none is the number that stands for no limit.
func assignLimit[T comparable](field **T, value *T, none T) {
	switch {
	case value == nil:
	case *value == none:
		*field = nil
	default:
		*field = value
	}
}

type planTextsWish struct {
	ID   int64 `path:"plan_id" minimum:"1"`
	Body PlanTexts
}

type planWish struct {
	ID   int64 `path:"plan_id" minimum:"1"`
	Body PlanTerms
}

type newPlanBody struct {
	Kind string `json:"kind" enum:"plan,package" doc:"It never changes"`
	PlanTerms
}

type planOrderBody struct {
	Plans []int64 `json:"plans" maxItems:"10000" doc:"Ids of all plans that are not archived, first one first"`
}

type planID struct {
	ID int64 `path:"plan_id" minimum:"1"`
}

// planPages are the operations on plans.
type planPages struct {
	shop     *shop.Shop
	settings *setting.Settings
}

// Plans adds what staff does with plans and packages.
func Plans(s *shop.Shop, settings *setting.Settings) v2.Resource {
	pages := planPages{s, settings}
	return func(r *v2.Router) {
		pages.read(r)
		pages.change(r)
		pages.archive(r)
	}
}

func (o planPages) read(r *v2.Router) {
	type planFilter struct {
		State string `query:"state" enum:"on_sale,hidden,archived," doc:"Empty: all but archived ones"`
		Kind  string `query:"kind" enum:"plan,package," doc:"Empty: both"`
	}
	v2.HandleList(r, v2.StaffOp("GET /staff/plans", permission.PlanRead).
		Named("staff_plans_list", "Plans and packages in the order of the shop, hidden ones too"),
		func(ctx context.Context, _ account.Identity, in *planFilter) (out []staffPlan, err error) {
			versions, err := r.Versions(ctx, "plan")
			if err != nil {
				return nil, err
			}
			plans, err := o.shop.AllPlans(ctx)
			if err != nil {
				return nil, err
			}
			counts, err := o.shop.CountPlans(ctx)
			for i := range plans {
				shown := o.show(ctx, &plans[i], versions.Of(plans[i].ID))
				shown.Running, shown.Renewing = counts[shown.ID].Running, counts[shown.ID].Renewing
				if (in.State == shown.State || in.State == "" && shown.State != "archived") &&
					(in.Kind == "" || in.Kind == shown.Kind) {
					out = append(out, shown)
				}
			}
			return out, err
		})
	v2.Handle(r, v2.StaffOp("GET /staff/plans/{plan_id}", permission.PlanRead).
		Named("staff_plan_get", "A plan or package, with how many services renew themselves at each of its prices"),
		func(ctx context.Context, _ account.Identity, in *planID) (staffPlan, error) {
			version, err := r.Version(ctx, audit.ID("plan", in.ID))
			if err != nil {
				return staffPlan{}, err
			}
			return o.one(ctx, in.ID, version)
		})
}

func (o planPages) change(r *v2.Router) {
	v2.HandleChange(r, v2.StaffOp("PATCH /staff/plans/{plan_id}/texts", permission.PlanWrite).
		Named("staff_plan_texts_set",
			"Change the name and description of a plan, by language; what was sold keeps its text"),
		func(in *planTextsWish) audit.Object { return audit.ID("plan", in.ID) },
		func(ctx context.Context, in *planTextsWish) (staffPlan, error) {
			return o.one(ctx, in.ID, v2.Version{})
		},
		func(ctx context.Context, _ account.Identity, in *planTextsWish) (staffPlan, error) {
			if _, err := o.shop.ChangePlan(ctx, in.ID, in.Body.apply); err != nil {
				return staffPlan{}, err
			}
			return o.one(ctx, in.ID, v2.Version{})
		})
	v2.HandleChange(r, v2.StaffOp("PATCH /staff/plans/{plan_id}", permission.PlanTerms).
		Named("staff_plan_change", "Change a plan; what was sold stays as it was sold"),
		func(in *planWish) audit.Object { return audit.ID("plan", in.ID) },
		func(ctx context.Context, in *planWish) (staffPlan, error) { return o.one(ctx, in.ID, v2.Version{}) },
		func(ctx context.Context, _ account.Identity, in *planWish) (staffPlan, error) {
			if _, err := o.shop.ChangePlan(ctx, in.ID, in.Body.apply); err != nil {
				return staffPlan{}, err
			}
			return o.one(ctx, in.ID, v2.Version{})
		})
	v2.HandleMake(r, v2.StaffOp("POST /staff/plans", permission.PlanTerms).
		Named("staff_plan_make", "Put a plan or package into the shop"), "plan",
		func(ctx context.Context, _ account.Identity, in *v2.Body[newPlanBody]) (staffPlan, error) {
			p := shop.Plan{Kind: shop.Kind(in.Body.Kind), Reset: service.Anniversary, Visible: true, Renewable: true}
			if p.Kind == shop.KindPackage {
				p.Reset, p.Renewable = service.Never, false
			}
			plans, err := o.shop.ListPlans(ctx)
			if err != nil {
				return staffPlan{}, err
			}
			if len(plans) > 0 { // new ones stand at the end
				p.Sort = slices.MaxFunc(plans, func(a, b shop.Plan) int { return a.Sort - b.Sort }).Sort + 1
			}
			in.Body.PlanTerms.apply(&p)
			made, err := o.shop.AddPlan(ctx, p)
			if err != nil {
				return staffPlan{}, err
			}
			return o.one(ctx, made.ID, v2.Version{})
		})
}

func (o planPages) archive(r *v2.Router) {
	v2.Handle(r, v2.StaffOp("POST /staff/plans/{plan_id}/archive", permission.PlanTerms).
		Named("staff_plan_archive", "Take a plan out of the shop: it is neither sold nor renewed; services of it go on"),
		func(ctx context.Context, _ account.Identity, in *planID) (v2.Empty, error) {
			return v2.Empty{}, o.shop.RemovePlan(ctx, in.ID)
		})
	v2.Handle(r, v2.StaffOp("POST /staff/plans/{plan_id}/restore", permission.PlanTerms).
		Named("staff_plan_restore", "Put an archived plan back into the shop as it was"),
		func(ctx context.Context, _ account.Identity, in *planID) (v2.Empty, error) {
			_, err := o.shop.RestorePlan(ctx, in.ID)
			return v2.Empty{}, err
		})
	v2.Handle(r, v2.StaffOp("PUT /staff/plans/order", permission.PlanTerms).
		Named("staff_plans_order", "Put the plans of the shop in another order").
		WithoutVersion("it is refused where the plans are not those that its caller saw"),
		func(ctx context.Context, _ account.Identity, in *v2.Body[planOrderBody]) (v2.Empty, error) {
			return v2.Empty{}, o.shop.OrderPlans(ctx, in.Body.Plans)
		})
}

func (o planPages) show(ctx context.Context, p *shop.Plan, version v2.Version) staffPlan {
	out := newStaffPlan(p, version)
	out.ClassName = o.settings.Get().ClassName(p.Class, api.CallerOf(ctx).Lang)
	return out
}

// one returns a plan with what runs of it.
func (o planPages) one(ctx context.Context, id int64, version v2.Version) (staffPlan, error) {
	p, err := o.shop.AnyPlan(ctx, id)
	if err != nil {
		return staffPlan{}, err
	}
	count, err := o.shop.CountPlan(ctx, p)
	out := o.show(ctx, p, version)
	out.Running, out.Renewing = count.Running, count.Renewing
	for i := range out.Prices {
		out.Prices[i].Renewals = new(count.ByMonths[out.Prices[i].Months])
	}
	return out, err
}
