package staff

import (
	"context"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

// staffPlan is what staff writes of a plan for people to read.
type staffPlan struct {
	ID     int64  `json:"id"`
	Kind   string `json:"kind" enum:"plan,package"`
	Name   string `json:"name" doc:"Where the reader's language has none of its own"`
	NameZH string `json:"name_zh" doc:"Empty: there is none in Chinese"`
	NameEN string `json:"name_en" doc:"Empty: there is none in English"`
	Info   string `json:"info" doc:"Where the reader's language has none of its own"`
	InfoZH string `json:"info_zh" doc:"Empty: there is none in Chinese"`
	InfoEN string `json:"info_en" doc:"Empty: there is none in English"`
	v2.Version
}

func newStaffPlan(p *shop.Plan, version v2.Version) staffPlan {
	return staffPlan{
		p.ID, string(p.Kind), p.Name, p.Names[fault.ZH], p.Names[fault.EN], p.Info, p.Infos[fault.ZH],
		p.Infos[fault.EN], version,
	}
}

type planTextsWish struct {
	ID   int64 `path:"plan_id" minimum:"1"`
	Body struct {
		Name   *string `json:"name,omitempty" maxLength:"64"`
		NameZH *string `json:"name_zh,omitempty" maxLength:"64" doc:"Empty: name"`
		NameEN *string `json:"name_en,omitempty" maxLength:"64" doc:"Empty: name"`
		Info   *string `json:"info,omitempty" maxLength:"2000"`
		InfoZH *string `json:"info_zh,omitempty" maxLength:"2000" doc:"Empty: info"`
		InfoEN *string `json:"info_en,omitempty" maxLength:"2000" doc:"Empty: info"`
	}
}

// Plans adds what staff writes of plans and packages; what they hold and cost is changed by command.
func Plans(s *shop.Shop) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/plans", permission.PlanRead).
			Named("staff_plans_list", "The names and descriptions of plans and packages, hidden ones too"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []staffPlan, err error) {
				versions, err := r.Versions(ctx, "plan")
				if err != nil {
					return nil, err
				}
				plans, err := s.ListPlans(ctx)
				for i := range plans {
					out = append(out, newStaffPlan(&plans[i], versions.Of(plans[i].ID)))
				}
				return out, err
			})
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/plans/{plan_id}/texts", permission.PlanWrite).
			Named("staff_plan_texts_set",
				"Change the name and description of a plan, by language; what was sold keeps its text"),
			func(in *planTextsWish) audit.Object { return audit.ID("plan", in.ID) },
			func(ctx context.Context, in *planTextsWish) (staffPlan, error) {
				p, err := s.Plan(ctx, in.ID)
				if err != nil {
					return staffPlan{}, err
				}
				return newStaffPlan(p, v2.Version{}), nil
			},
			func(ctx context.Context, _ account.Identity, in *planTextsWish) (staffPlan, error) {
				b := in.Body
				p, err := s.ChangePlan(ctx, in.ID, func(p *shop.Plan) {
					assign(&p.Name, b.Name)
					assign(&p.Info, b.Info)
					p.Names = p.Names.With(fault.ZH, b.NameZH).With(fault.EN, b.NameEN)
					p.Infos = p.Infos.With(fault.ZH, b.InfoZH).With(fault.EN, b.InfoEN)
				})
				if err != nil {
					return staffPlan{}, err
				}
				return newStaffPlan(p, v2.Version{}), nil
			})
	}
}
