package staff

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/console"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
)

// viewResource is a list of the console that views are saved of. The contract names all of them, so that the console
// does not compile with another one.
type viewResource string

func (viewResource) Schema(huma.Registry) *huma.Schema {
	return v2.EnumSchema(slices.Sorted(maps.Keys(viewLists)))
}

// viewLists are all lists that views are saved of, with what reading each needs.
var viewLists = map[viewResource]permission.Permission{
	"announcements":       permission.AnnouncementRead,
	"anomalies":           permission.UserHistoryRead,
	"api-keys":            permission.APIKeyRead,
	"approvals":           permission.ApprovalRead,
	"audit":               permission.AuditRead,
	"audit-records":       permission.HitRead,
	"audit-rules":         permission.RuleRead,
	"blocked-addresses":   permission.BlockedRead,
	"bulk-jobs":           permission.UserBulk,
	"canned-answers-list": permission.TicketRead,
	"cd-keys":             permission.CDKeyRead,
	"clients":             permission.ClientRead,
	"commissions":         permission.RefundRead,
	"coupons":             permission.CouponRead,
	"gateways":            permission.GatewayRead,
	"guides":              permission.GuideRead,
	"invoices":            permission.LedgerRead,
	"jobs":                permission.JobRead,
	"ledger":              permission.LedgerRead,
	"link-fetches":        permission.UserHistoryRead,
	"link-spreads":        permission.UserHistoryRead,
	"link-templates":      permission.TemplateRead,
	"mail-templates":      permission.MailTemplateRead,
	"mails":               permission.MailRead,
	"media-accounts":      permission.MediaRead,
	"members":             permission.MemberRead,
	"network-bans":        permission.NetworkBanRead,
	"nodes":               permission.NodeRead,
	"orders":              permission.OrderRead,
	"payment-cases":       permission.CaseRead,
	"payouts":             permission.CommissionPay,
	"plans":               permission.PlanRead,
	"recharges":           permission.RechargeRead,
	"refund-requests":     permission.RefundRead,
	"roles":               permission.MemberRead,
	"services":            permission.UserRead,
	"settlements":         permission.LedgerRead,
	"share-accounts":      permission.ShareRead,
	"statements":          permission.LedgerRead,
	"tickets":             permission.TicketRead,
	"timetable":           permission.JobRead,
	"users":               permission.UserRead,
	"webhooks":            permission.WebhookRead,
}

// columnWidths are widths in pixels, by the keys of columns.
type columnWidths map[string]int

func (columnWidths) Schema(huma.Registry) *huma.Schema {
	one := &huma.Schema{
		Type: huma.TypeInteger, Minimum: new(float64(console.MinWidth)), Maximum: new(float64(console.MaxWidth)),
	}
	one.PrecomputeMessages()
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: one}
}

// ViewLook is how a list is drawn.
type ViewLook struct {
	Columns []string     `json:"columns" nullable:"false" maxItems:"60" doc:"Keys in their order; empty: those that are shown unasked"`
	Widths  columnWidths `json:"widths,omitempty" doc:"Of columns that are shown, in pixels; those that are absent are as wide as the console makes them"`
	IsDense bool         `json:"is_dense" doc:"Whether rows are 32 pixels high instead of 44"`
}

// ViewTexts are what a view is saved with.
type ViewTexts struct {
	Name     string `json:"name" minLength:"1" maxLength:"60"`
	IsShared bool   `json:"is_shared" doc:"Whether all who may read the list see it"`
	Search   string `json:"search" maxLength:"2000" doc:"Filters and sort as in the page's address" example:"state=active&sort=-ends"`
	ViewLook
}

type newView struct {
	Resource viewResource `json:"resource" example:"users"`
	ViewTexts
}

type viewItem struct {
	ID int64 `json:"id"`
	ViewTexts
	IsOwn     bool      `json:"is_own"`
	MayChange bool      `json:"may_change" doc:"Whether it is the caller's, or they may change what others shared"`
	Owner     personRef `json:"owner"`
	v2.Version
}

type viewList struct {
	Views  []viewItem `json:"views" doc:"The caller's own in their order, then what others shared"`
	Layout ViewLook   `json:"layout" doc:"How the list looks to the caller where no view says otherwise"`
}

func columnsOf(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(text, ",")
}

// newViewLook returns a look as the contract has it.
func newViewLook(columns string, widths console.Widths, isDense bool) ViewLook {
	return ViewLook{columnsOf(columns), widths.Pixels(), isDense}
}

// stored is the look as package console keeps it. A comma would make one key two, which check could not tell.
func (l ViewLook) stored() (look console.Look, err error) {
	for _, key := range l.Columns {
		if key == "" || strings.Contains(key, ",") {
			return look, fault.Invalid("columns", "format", "列名无效", "One of these is no column")
		}
	}
	for key := range l.Widths {
		if strings.ContainsAny(key, ",=") {
			return look, fault.Invalid("widths", "format", "列名无效", "One of these is no column")
		}
	}
	return console.Look{
		Columns: strings.Join(l.Columns, ","), Widths: console.WidthsOf(l.Widths), IsDense: l.IsDense,
	}, nil
}

func (t ViewTexts) view(resource viewResource) (console.View, error) {
	look, err := t.stored()
	look.Search = t.Search
	return console.View{Resource: string(resource), Name: t.Name, IsShared: t.IsShared, Look: look}, err
}

// viewer is what who may do with views.
func viewer(who account.Identity) console.Viewer {
	return console.Viewer{
		UserID: who.UserID, ManagesShared: who.Has(permission.ViewManage),
		MayRead: func(resource string) bool { return mayView(who, viewResource(resource)) == nil },
	}
}

// mayView returns the fault of a list that who may not read.
func mayView(who account.Identity, resource viewResource) error {
	if needs, known := viewLists[resource]; !known || !who.Has(needs) {
		return permission.ErrRefused
	}
	return nil
}

type viewOps struct {
	router   *v2.Router
	console  *console.Console
	accounts *account.Accounts
}

// Views adds the views of lists that members of staff saved, for themselves or for all who may read the list.
func Views(c *console.Console, a *account.Accounts) v2.Resource {
	return func(r *v2.Router) {
		v := viewOps{r, c, a}
		type which struct {
			Resource viewResource `query:"resource" required:"true" example:"users"`
		}
		v2.Handle(r, v2.StaffOp("GET /staff/views", permission.ViewSave).
			Named("staff_views", "The views of a list: the caller's own and those that others shared"),
			func(ctx context.Context, who account.Identity, in *which) (viewList, error) {
				return v.list(ctx, who, in.Resource)
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/views", permission.ViewSave).
			Named("staff_view_add", "Save a view of a list; at most 50 of each"), "console_view", v.add)
		type change struct {
			ID   int64 `path:"view_id" minimum:"1"`
			Body ViewTexts
		}
		v2.HandleChange(r, v2.StaffOp("PUT /staff/views/{view_id}", permission.ViewSave).
			Named("staff_view_change", "Change a view; one of another member needs console.view.manage"),
			func(in *change) audit.Object { return audit.ID("console_view", in.ID) },
			func(ctx context.Context, in *change) (viewItem, error) {
				who := v2.IdentityOf(ctx)
				one, err := c.View(ctx, viewer(who), in.ID)
				if err != nil {
					return viewItem{}, err
				}
				return v.show(ctx, who, one)
			},
			func(ctx context.Context, who account.Identity, in *change) (viewItem, error) {
				one, err := in.Body.view("")
				if err != nil {
					return viewItem{}, err
				}
				one, err = c.ChangeView(ctx, viewer(who), in.ID, one)
				if err != nil {
					return viewItem{}, err
				}
				return v.show(ctx, who, one)
			})
		type viewPath struct {
			ID int64 `path:"view_id" minimum:"1"`
		}
		v2.Handle(r, v2.StaffOp("DELETE /staff/views/{view_id}", permission.ViewSave).
			Named("staff_view_remove", "Remove a view; one of another member needs console.view.manage"),
			func(ctx context.Context, who account.Identity, in *viewPath) (v2.Empty, error) {
				return v2.Empty{}, c.RemoveView(ctx, viewer(who), in.ID)
			})
		type order struct {
			Resource viewResource `json:"resource"`
			Views    []int64      `json:"views" nullable:"false" maxItems:"50" doc:"All of the caller's own views of the list"`
		}
		v2.Handle(r, v2.StaffOp("POST /staff/views/order", permission.ViewSave).
			Named("staff_views_order", "Put one's own views of a list into an order"),
			func(ctx context.Context, who account.Identity, in *v2.Body[order]) (v2.Empty, error) {
				if err := mayView(who, in.Body.Resource); err != nil {
					return v2.Empty{}, err
				}
				return v2.Empty{}, c.OrderViews(ctx, viewer(who), string(in.Body.Resource), in.Body.Views)
			})
		type layout struct {
			Resource viewResource `json:"resource"`
			ViewLook
		}
		v2.Handle(r, v2.StaffOp("PUT /staff/views/layout", permission.ViewSave).
			WithoutVersion("it is the caller's own choice of columns, and the newest is what they see").
			Named("staff_view_layout_set", "Set how a list looks to oneself where no view says otherwise"),
			func(ctx context.Context, who account.Identity, in *v2.Body[layout]) (v2.Empty, error) {
				if err := mayView(who, in.Body.Resource); err != nil {
					return v2.Empty{}, err
				}
				look, err := in.Body.stored()
				if err != nil {
					return v2.Empty{}, err
				}
				return v2.Empty{}, c.SetLayout(ctx, viewer(who), console.Layout{
					Resource: string(in.Body.Resource), Columns: look.Columns, Widths: look.Widths,
					IsDense: look.IsDense,
				})
			})
	}
}

func (v viewOps) list(ctx context.Context, who account.Identity, resource viewResource) (viewList, error) {
	out := viewList{Views: []viewItem{}, Layout: ViewLook{Columns: []string{}}}
	if err := mayView(who, resource); err != nil {
		return out, err
	}
	versions, err := v.router.Versions(ctx, "console_view")
	if err != nil {
		return out, err
	}
	views, err := v.console.Views(ctx, viewer(who), string(resource))
	if err != nil {
		return out, err
	}
	known, err := ownersOf(ctx, v.accounts, views, func(row *console.View) int64 { return row.OwnerID })
	if err != nil {
		return out, err
	}
	for _, one := range views {
		out.Views = append(out.Views, showView(who, one, known, versions.Of(one.ID)))
	}
	layout, err := v.console.Layout(ctx, who.UserID, string(resource))
	out.Layout = newViewLook(layout.Columns, layout.Widths, layout.IsDense)
	return out, err
}

func (v viewOps) add(ctx context.Context, who account.Identity, in *v2.Body[newView]) (viewItem, error) {
	if err := mayView(who, in.Body.Resource); err != nil {
		return viewItem{}, err
	}
	one, err := in.Body.view(in.Body.Resource)
	if err != nil {
		return viewItem{}, err
	}
	one, err = v.console.AddView(ctx, viewer(who), one)
	if err != nil {
		return viewItem{}, err
	}
	return v.show(ctx, who, one)
}

func (v viewOps) show(ctx context.Context, who account.Identity, one console.View) (viewItem, error) {
	known, err := peopleOf(ctx, v.accounts, []int64{one.OwnerID})
	return showView(who, one, known, v2.Version{}), err
}

func showView(who account.Identity, one console.View, known knownUsers, version v2.Version) viewItem {
	return viewItem{
		one.ID,
		ViewTexts{one.Name, one.IsShared, one.Search, newViewLook(one.Columns, one.Widths, one.IsDense)},
		one.OwnerID == who.UserID, viewer(who).MayChange(one), known.ref(one.OwnerID), version,
	}
}
