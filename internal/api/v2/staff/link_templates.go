package staff

import (
	"context"
	"encoding/json"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/link"
	"airstrip/internal/link/format"
	"airstrip/internal/permission"
)

type linkTemplates struct {
	Builtin   json.RawMessage `json:"builtin" doc:"What all others are laid over; it shows every key"`
	Templates []linkTemplate  `json:"templates"`
}

type linkTemplate struct {
	Scope     link.Scope      `json:"scope" enum:"site,group,user"`
	ScopeID   int64           `json:"scope_id" doc:"Of the group or user; 0 for the site"`
	Document  json.RawMessage `json:"document" doc:"Laid over the templates of the scopes before (RFC 7396): objects are merged, anything else is replaced, null takes back"`
	UpdatedBy int64           `json:"updated_by"`
	Updater   string          `json:"updated_by_email" doc:"Empty: nobody is known, or the account is closed"`
	UpdatedAt time.Time       `json:"updated_at"`
	v2.Version
}

type templatePath struct {
	Scope   link.Scope `path:"scope" enum:"site,group,user"`
	ScopeID int64      `path:"scope_id" minimum:"0"`
}

type linkGroupPath struct {
	UserID int64 `path:"user_id"`
	Group  int   `path:"group" minimum:"0"`
}

type linkGroupQuery struct {
	Query string `json:"query" doc:"To be added to the user's link after ? or &"`
}

type affectedUsers struct {
	Users int `json:"users"`
}

type linkPreview struct {
	Body    string `json:"body"`
	Type    string `json:"type" doc:"Content-Type"`
	Nodes   int    `json:"nodes"`
	LeftOut int    `json:"left_out" doc:"Nodes that this client cannot speak"`
	Suffix  string `json:"suffix" doc:"Of the file's name"`
}

// showLinkTemplates names who changed each template last.
func showLinkTemplates(ctx context.Context, a *account.Accounts, templates ...link.Template) ([]linkTemplate, error) {
	known, err := ownersOf(ctx, a, templates, func(t *link.Template) int64 { return t.UpdatedBy })
	items := make([]linkTemplate, len(templates))
	for i, t := range templates {
		items[i] = linkTemplate{
			t.Scope, t.ScopeID, t.Document, t.UpdatedBy, known.ref(t.UpdatedBy).Email, t.UpdatedAt, v2.Version{},
		}
	}
	return items, err
}

// LinkTemplates adds what staff decides of the files behind the link: rules, groups, resolvers.
func LinkTemplates(links *link.Links, a *account.Accounts) v2.Resource {
	show := func(ctx context.Context, t link.Template, err error) (linkTemplate, error) {
		if err != nil {
			return linkTemplate{}, err
		}
		shown, err := showLinkTemplates(ctx, a, t)
		return shown[0], err
	}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/link-templates", permission.TemplateRead).
			Named("staff_link_templates_list", "The templates of the link's files"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) (linkTemplates, error) {
				out := linkTemplates{Builtin: json.RawMessage(format.Builtin), Templates: []linkTemplate{}}
				versions, err := r.Versions(ctx, "link_template")
				if err != nil {
					return out, err
				}
				all, err := links.Templates(ctx)
				if err != nil {
					return out, err
				}
				out.Templates, err = showLinkTemplates(ctx, a, all...)
				for i, t := range all {
					out.Templates[i].Version = versions.OfName(link.TemplateObject(t.Scope, t.ScopeID).ID)
				}
				return out, err
			})
		type change struct {
			Scope   link.Scope `path:"scope" enum:"site,group,user"`
			ScopeID int64      `path:"scope_id" minimum:"0"`
			Body    struct {
				Document json.RawMessage `json:"document"`
			}
		}
		v2.HandleChange(r, v2.StaffOp("PUT /staff/link-templates/{scope}/{scope_id}", permission.TemplateWrite).
			Named("staff_link_template_set",
				"Set the template of the site, a group or a user; it is tried on every format first. "+
					"The version of one that was never there is 0"),
			func(in *change) audit.Object { return link.TemplateObject(in.Scope, in.ScopeID) },
			func(ctx context.Context, in *change) (linkTemplate, error) {
				t, err := links.Template(ctx, in.Scope, in.ScopeID)
				return show(ctx, t, err)
			},
			func(ctx context.Context, who account.Identity, in *change) (linkTemplate, error) {
				if err := links.SetTemplate(ctx, link.Template{
					Scope: in.Scope, ScopeID: in.ScopeID, Document: in.Body.Document, UpdatedBy: who.UserID,
				}); err != nil {
					return linkTemplate{}, err
				}
				t, err := links.Template(ctx, in.Scope, in.ScopeID)
				return show(ctx, t, err)
			})
		v2.Handle(r, v2.StaffOp("DELETE /staff/link-templates/{scope}/{scope_id}", permission.TemplateWrite).
			Named("staff_link_template_remove", "Take a template away"),
			func(ctx context.Context, _ account.Identity, in *templatePath) (v2.Empty, error) {
				return v2.Empty{}, links.RemoveTemplate(ctx, in.Scope, in.ScopeID)
			})
		v2.Handle(r, v2.StaffOp("GET /staff/users/{user_id}/link-groups/{group}", permission.LinkGroupRead).
			Named("staff_link_group_query", "What makes a user's link lead to the entries of another link group"),
			func(ctx context.Context, _ account.Identity, in *linkGroupPath) (linkGroupQuery, error) {
				query, err := links.GroupQuery(ctx, in.UserID, in.Group)
				return linkGroupQuery{query}, err
			})
		type previewBody struct {
			ClientType string          `json:"client_type" doc:"As in the link" example:"ClashMeta"`
			Document   json.RawMessage `json:"document,omitempty" doc:"That is tried; absent: what is there counts"`
			Scope      link.Scope      `json:"scope,omitempty" enum:"site,group,user" doc:"That the document is for, in place of what it has; absent: it is laid over the site's"`
			ScopeID    int64           `json:"scope_id,omitempty" minimum:"0"`
			UserID     int64           `json:"user_id,omitempty" minimum:"0" doc:"Whose nodes and templates; absent: one node of each kind, and the site's template"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/link-templates/preview", permission.TemplateRead).
			Named("staff_link_template_preview", "The file that a client would get, with made-up secrets of a user"),
			func(ctx context.Context, _ account.Identity, in *v2.Body[previewBody]) (linkPreview, error) {
				f, err := links.Preview(ctx, link.PreviewOf{
					ClientType: in.Body.ClientType, Document: in.Body.Document, Scope: in.Body.Scope,
					ScopeID: in.Body.ScopeID, UserID: in.Body.UserID,
				}, api.CallerOf(ctx).Lang)
				return linkPreview{string(f.Body), f.Type, f.Nodes, f.LeftOut, f.Suffix}, err
			})
		v2.Handle(r, v2.StaffOp("GET /staff/link-templates/{scope}/{scope_id}/affected", permission.TemplateRead).
			Named("staff_link_template_affected", "How many users with a running service a template is for"),
			func(ctx context.Context, _ account.Identity, in *templatePath) (affectedUsers, error) {
				users, err := links.Affected(ctx, in.Scope, in.ScopeID)
				return affectedUsers{users}, err
			})
	}
}
