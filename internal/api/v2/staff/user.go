package staff

import (
	"context"
	"time"

	"github.com/google/uuid"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/fault"
	"airstrip/internal/merge"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/service"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

// UserFacts is a row of the list of users, by a name that is exported because it is embedded.
type UserFacts = userRow

type userBalance struct {
	Posted     money.Amount `json:"posted"`
	Held       money.Amount `json:"held" doc:"That waiting orders hold"`
	Available  money.Amount `json:"available"`
	Commission money.Amount `json:"commission" doc:"Earned by invites and released"`
	Pending    money.Amount `json:"pending" doc:"Earned by invites and not yet released"`
	PayingOut  money.Amount `json:"paying_out" doc:"Commission that waits to be paid outside of the site"`
	Forfeit    money.Amount `json:"forfeit" doc:"What the user would lose if the account were closed now"`
}

type userService struct {
	ID         int64      `json:"id"`
	PlanID     int64      `json:"plan_id"`
	Name       string     `json:"name"`
	QuotaBytes *int64     `json:"quota_bytes" nullable:"true" doc:"Of a cycle; null: unlimited"`
	Billed     int64      `json:"billed_bytes" doc:"Of the cycle"`
	ResetsAt   *time.Time `json:"resets_at" nullable:"true"`
	StartedAt  time.Time  `json:"started_at"`
	EndsAt     time.Time  `json:"ends_at"`
	EndedAt    *time.Time `json:"ended_at" nullable:"true" doc:"null: it runs"`
	EndReason  string     `json:"end_reason" doc:"Empty: it runs"`
	AutoRenew  bool       `json:"auto_renew"`
}

type userPackage struct {
	ID        int64      `json:"id"`
	Name      string     `json:"name"`
	Kind      string     `json:"kind" enum:"bought,checkin,grant"`
	Bytes     int64      `json:"bytes"`
	Used      int64      `json:"used_bytes"`
	OrderNo   *int64     `json:"order_no" nullable:"true"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at" nullable:"true" doc:"null: it stays until it is used up"`
}

type userBan struct {
	ID        int64      `json:"id"`
	StartsAt  time.Time  `json:"starts_at"`
	EndsAt    *time.Time `json:"ends_at" nullable:"true" doc:"null: until somebody ends it"`
	StartedAt *time.Time `json:"started_at" nullable:"true"`
	EndedAt   *time.Time `json:"ended_at" nullable:"true"`
	Reason    string     `json:"reason" doc:"Shown to the user"`
	Remark    string     `json:"remark" doc:"For staff"`
	MadeBy    *int64     `json:"made_by" nullable:"true" doc:"Id of the member of staff; null: at the command line"`
	EndedBy   *int64     `json:"ended_by" nullable:"true"`
}

func newUserBan(t *account.BanTask) userBan {
	return userBan{t.ID, t.StartsAt, t.EndsAt, t.StartedAt, t.EndedAt, t.Reason, t.Remark, t.MadeBy, t.EndedBy}
}

type userDetail struct {
	UserFacts
	UUID            uuid.UUID     `json:"uuid"`
	Lang            fault.Lang    `json:"lang" enum:"zh-CN,en"`
	InviteCode      string        `json:"invite_code"`
	TelegramID      *int64        `json:"telegram_id" nullable:"true"`
	EmailVerifiedAt *time.Time    `json:"email_verified_at" nullable:"true"`
	SignedInAt      *time.Time    `json:"signed_in_at" nullable:"true"`
	ClosedAt        *time.Time    `json:"closed_at" nullable:"true"`
	TermsVersion    string        `json:"terms_version" doc:"Version of the terms and the privacy notice that the user accepted at sign-up; empty: none"`
	TermsAcceptedAt *time.Time    `json:"terms_accepted_at" nullable:"true"`
	Wallet          userBalance   `json:"wallet"`
	Services        []userService `json:"services" doc:"Running ones first"`
	Packages        []userPackage `json:"packages" doc:"Of which something is left"`
	Bans            []userBan     `json:"bans" doc:"The newest 100, newest first"`

	MergedInto *mergedAccount  `json:"merged_into,omitempty" doc:"The account that this one became part of; absent: none"`
	MergedFrom []mergedAccount `json:"merged_from" doc:"The accounts that became part of this one; their orders, invoices and recharges are still theirs"`
}

type userPath struct {
	ID int64 `path:"user_id" minimum:"1"`
}

// User adds what is known of one user, and bans.
func User(
	c *console.Console, a *account.Accounts, w *wallet.Wallets, services *service.Services, s *shop.Shop,
	m *merge.Merges,
) v2.Resource {
	detail := userDetails{c, a, w, services, s, m}
	return func(r *v2.Router) {
		v2.Handle(r, v2.StaffOp("GET /staff/users/{user_id}", permission.UserRead).
			Named("staff_user_get", "A user: facts, wallet, services, packages, bans"),
			func(ctx context.Context, _ account.Identity, in *userPath) (userDetail, error) {
				return detail.of(ctx, in.ID)
			})
		type banBody struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				StartsAt time.Time  `json:"starts_at,omitempty" doc:"Absent: now"`
				EndsAt   *time.Time `json:"ends_at,omitempty" doc:"Absent: until somebody ends it"`
				Reason   string     `json:"reason" minLength:"1" maxLength:"500" doc:"Shown to the user"`
				Remark   string     `json:"remark,omitempty" maxLength:"500" doc:"For staff"`
				Mail     bool       `json:"mail,omitempty" doc:"Whether the user gets a mail"`
			}
		}
		v2.Handle(r, v2.StaffOp("POST /staff/users/{user_id}/bans", permission.UserBan).
			Named("staff_user_ban", "Ban a user for a time"),
			func(ctx context.Context, who account.Identity, in *banBody) (userBan, error) {
				task, err := a.Bans.Ban(ctx, account.BanTask{
					AccountID: in.ID, StartsAt: in.Body.StartsAt, EndsAt: in.Body.EndsAt, Reason: in.Body.Reason,
					Remark: in.Body.Remark, Mail: in.Body.Mail,
				}, who)
				return newUserBan(&task), atBodyFields(err)
			})
		type ended struct {
			Ended int64 `json:"ended" doc:"How many bans ended, future ones included"`
		}
		v2.Handle(r, v2.StaffOp("DELETE /staff/users/{user_id}/bans", permission.UserBan).
			Named("staff_user_unban", "End all bans of a user"),
			func(ctx context.Context, who account.Identity, in *userPath) (ended, error) {
				n, err := a.Bans.Unban(ctx, in.ID, who)
				return ended{n}, err
			})
	}
}

// banFields are the fields of the older API, which package account names, and what they are called here.
var banFields = map[string]string{
	"task_start_at": "starts_at", "task_end_at": "ends_at", "ban_context": "reason", "remark": "remark",
}

func atBodyFields(err error) error { return renamed(err, banFields) }

// renamed gives the fields of a fault the names that the contract has for them.
func renamed(err error, names map[string]string) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	fields := append([]fault.Field{}, f.Fields...)
	for i := range fields {
		if name, known := names[fields[i].Name]; known {
			fields[i].Name = name
		}
	}
	out := *f
	out.Fields = fields
	return &out
}

type userDetails struct {
	console  *console.Console
	accounts *account.Accounts
	wallets  *wallet.Wallets
	services *service.Services
	shop     *shop.Shop
	merges   *merge.Merges
}

func (d userDetails) of(ctx context.Context, id int64) (out userDetail, err error) {
	u, err := d.accounts.User(ctx, id)
	if err != nil {
		return out, err
	}
	facts, err := d.console.UsersByID(ctx, []int64{id})
	if err != nil || len(facts) == 0 {
		return out, err
	}
	named := []int64{id}
	if u.InvitedBy != nil {
		named = append(named, *u.InvitedBy)
	}
	known, err := peopleOf(ctx, d.accounts, named)
	if err != nil {
		return out, err
	}
	plans, err := planNames(ctx, d.shop)
	if err != nil {
		return out, err
	}
	b, err := d.wallets.Balance(ctx, id)
	if err != nil {
		return out, err
	}
	bans, err := d.accounts.Bans.Of(ctx, id)
	if err != nil {
		return out, err
	}
	accepted, err := d.accounts.Acceptance(ctx, id)
	if err != nil {
		return out, err
	}
	out = userDetail{
		UserFacts: newUserRow(&facts[0], known, plans), UUID: u.UUID, Lang: u.Lang, InviteCode: u.InviteCode,
		TelegramID: u.TelegramID, EmailVerifiedAt: u.EmailVerifiedAt, SignedInAt: u.SignedInAt, ClosedAt: u.ClosedAt,
		Wallet: userBalance{
			b.Posted, b.Held, b.Available, b.Commission, b.Pending, b.PayingOut, b.Posted + b.Commission + b.PayingOut,
		},
		Services: []userService{}, Packages: []userPackage{}, Bans: []userBan{}, MergedFrom: []mergedAccount{},
	}
	if accepted != nil {
		out.TermsVersion, out.TermsAcceptedAt = accepted.Version, &accepted.AcceptedAt
	}
	for i := range bans {
		out.Bans = append(out.Bans, newUserBan(&bans[i]))
	}
	if err := d.addMerges(ctx, id, &out); err != nil {
		return out, err
	}
	return out, d.addServices(ctx, id, &out)
}

func (d userDetails) addMerges(ctx context.Context, id int64, out *userDetail) error {
	merges, err := d.merges.Of(ctx, id)
	for i := range merges {
		if m := &merges[i]; m.FromID == id {
			out.MergedInto = &mergedAccount{m.IntoID, *m.EndedAt}
		} else {
			out.MergedFrom = append(out.MergedFrom, mergedAccount{m.FromID, *m.EndedAt})
		}
	}
	return err
}

func (d userDetails) addServices(ctx context.Context, id int64, out *userDetail) error {
	services, packages, err := d.services.List(ctx, id)
	lang := api.CallerOf(ctx).Lang
	for i := range services {
		v := &services[i]
		reason := ""
		if v.EndReason != nil {
			reason = string(*v.EndReason)
		}
		out.Services = append(out.Services, userService{
			v.ID, v.PlanID, v.NameIn(lang), v.QuotaBytes, v.Billed, v.NextResetAt, v.StartedAt, v.EndsAt, v.EndedAt,
			reason, v.AutoRenew,
		})
	}
	for i := range packages {
		p := &packages[i]
		out.Packages = append(out.Packages, userPackage{
			p.ID, p.NameIn(lang), string(p.Kind), p.Bytes, p.Used, p.OrderID, p.CreatedAt, p.ExpiresAt,
		})
	}
	return err
}
