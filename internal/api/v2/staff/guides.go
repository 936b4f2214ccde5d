package staff

import (
	"context"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/guide"
	"airstrip/internal/permission"
)

// GuideBody is a guide as staff writes it; exported because it is embedded.
type GuideBody struct {
	Slug       *string  `json:"slug,omitempty" maxLength:"60" doc:"Its address: lower-case letters, digits and hyphens" example:"clash-verge-rev"`
	Title      *string  `json:"title,omitempty" maxLength:"100" doc:"For readers in whose language there is none"`
	TitleZH    *string  `json:"title_zh,omitempty" maxLength:"100" doc:"Empty: title"`
	TitleEN    *string  `json:"title_en,omitempty" maxLength:"100" doc:"Empty: title"`
	Body       *string  `json:"body,omitempty" maxLength:"20000" doc:"Markdown, with the variables {{link}}, {{site_name}} and {{site_url}}"`
	BodyZH     *string  `json:"body_zh,omitempty" maxLength:"20000" doc:"Empty: body"`
	BodyEN     *string  `json:"body_en,omitempty" maxLength:"20000" doc:"Empty: body"`
	Category   *string  `json:"category,omitempty" maxLength:"40" doc:"Guides of one category stand together"`
	CategoryZH *string  `json:"category_zh,omitempty" maxLength:"40" doc:"Empty: category"`
	CategoryEN *string  `json:"category_en,omitempty" maxLength:"40" doc:"Empty: category"`
	ClientID   *string  `json:"client_id,omitempty" maxLength:"40" doc:"A program of the catalogue; empty: none"`
	Systems    []string `json:"systems,omitempty" maxItems:"6" enum:"windows,macos,ios,android,linux,harmonyos" doc:"Those that it is about; empty: all"`
	Position   *int     `json:"position,omitempty" minimum:"0" maximum:"1000000" doc:"Smaller ones come first"`
	Published  *bool    `json:"is_published,omitempty" doc:"Whether users may read it; absent in a new one: no"`
}

func (b *GuideBody) apply(one *guide.Guide) {
	setTo(&one.Slug, b.Slug)
	setTo(&one.Title, b.Title)
	setTo(&one.Body, b.Body)
	setTo(&one.Category, b.Category)
	one.Titles = one.Titles.With(fault.ZH, b.TitleZH).With(fault.EN, b.TitleEN)
	one.Bodies = one.Bodies.With(fault.ZH, b.BodyZH).With(fault.EN, b.BodyEN)
	one.Categories = one.Categories.With(fault.ZH, b.CategoryZH).With(fault.EN, b.CategoryEN)
	if b.ClientID != nil {
		one.ClientID = b.ClientID
		if *b.ClientID == "" {
			one.ClientID = nil
		}
	}
	if b.Systems != nil {
		one.Systems = b.Systems
	}
	if b.Position != nil {
		one.Position = *b.Position
	}
	if b.Published != nil {
		one.Published = *b.Published
	}
}

type staffGuide struct {
	ID         int64     `json:"id"`
	Slug       string    `json:"slug"`
	Title      string    `json:"title"`
	TitleZH    string    `json:"title_zh"`
	TitleEN    string    `json:"title_en"`
	Body       string    `json:"body" doc:"With variables as they were written"`
	BodyZH     string    `json:"body_zh"`
	BodyEN     string    `json:"body_en"`
	Category   string    `json:"category"`
	CategoryZH string    `json:"category_zh"`
	CategoryEN string    `json:"category_en"`
	ClientID   string    `json:"client_id" doc:"Empty: none"`
	Systems    []string  `json:"systems" doc:"Empty: all"`
	Position   int       `json:"position"`
	Published  bool      `json:"is_published"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
	v2.Version
}

func newStaffGuide(one *guide.Guide, version v2.Version) staffGuide {
	client := ""
	if one.ClientID != nil {
		client = *one.ClientID
	}
	return staffGuide{
		one.ID, one.Slug, one.Title, one.Titles[fault.ZH], one.Titles[fault.EN], one.Body, one.Bodies[fault.ZH],
		one.Bodies[fault.EN], one.Category, one.Categories[fault.ZH], one.Categories[fault.EN], client,
		append([]string{}, one.Systems...), one.Position, one.Published, one.CreatedAt, one.UpdatedAt,
		version,
	}
}

type guidePath struct {
	ID int64 `path:"guide_id" minimum:"1"`
}

type guideChange struct {
	ID   int64 `path:"guide_id" minimum:"1"`
	Body GuideBody
}

// Guides adds what staff writes to help users.
func Guides(g *guide.Guides) v2.Resource {
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/guides", permission.GuideRead).
			Named("staff_guides", "All guides, those that are not published too"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (out []staffGuide, err error) {
				versions, err := r.Versions(ctx, "guide")
				if err != nil {
					return nil, err
				}
				list, err := g.List(ctx)
				for i := range list {
					out = append(out, newStaffGuide(&list[i], versions.Of(list[i].ID)))
				}
				return out, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/guides/{guide_id}", permission.GuideRead).
			Named("staff_guide_get", "One guide"),
			func(ctx context.Context, _ account.Identity, in *guidePath) (staffGuide, error) {
				version, err := r.Version(ctx, audit.ID("guide", in.ID))
				if err != nil {
					return staffGuide{}, err
				}
				one, err := g.Get(ctx, in.ID)
				return newStaffGuide(&one, version), err
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/guides", permission.GuideWrite).
			Named("staff_guide_add", "Write a guide"), "guide",
			func(ctx context.Context, _ account.Identity, in *v2.Body[GuideBody]) (staffGuide, error) {
				one := guide.Guide{}
				in.Body.apply(&one)
				made, err := g.Add(ctx, one)
				return newStaffGuide(&made, v2.Version{}), err
			})
		v2.HandleChange(r, v2.StaffOp("PATCH /staff/guides/{guide_id}", permission.GuideWrite).
			Named("staff_guide_change", "Change a guide; what is absent stays as it is"),
			func(in *guideChange) audit.Object { return audit.ID("guide", in.ID) },
			func(ctx context.Context, in *guideChange) (staffGuide, error) {
				one, err := g.Get(ctx, in.ID)
				return newStaffGuide(&one, v2.Version{}), err
			},
			func(ctx context.Context, _ account.Identity, in *guideChange) (staffGuide, error) {
				one, err := g.Change(ctx, in.ID, in.Body.apply)
				return newStaffGuide(&one, v2.Version{}), err
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/guides/{guide_id}", permission.GuideWrite).
			Named("staff_guide_remove", "Remove a guide"),
			func(ctx context.Context, _ account.Identity, in *guidePath) (v2.Empty, error) {
				return v2.Empty{}, g.Remove(ctx, in.ID)
			})
	}
}
