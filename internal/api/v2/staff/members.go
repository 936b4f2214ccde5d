package staff

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/approval"
	"airstrip/internal/audit"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/setting"
)

type staffMember struct {
	ID            int64           `json:"id"`
	Email         string          `json:"email"`
	Name          string          `json:"name"`
	Role          permission.Role `json:"role" doc:"A built-in one, or the name of another"`
	IsBanned      bool            `json:"is_banned" doc:"Whether a ban keeps the role from taking effect"`
	Authenticator bool            `json:"authenticator" doc:"Whether a code of an app is asked for at sign-in"`
	Passkeys      int             `json:"passkeys"`
	Sessions      int             `json:"sessions" doc:"That run"`
	SeenAt        *time.Time      `json:"seen_at" nullable:"true" doc:"Last sign-in or refresh"`
	GivenToday    money.Amount    `json:"given_today" doc:"Worth of what the member gave alone today"`
	DailyLimit    money.Amount    `json:"daily_limit" doc:"What a member may give alone on a day"`
	MayChange     bool            `json:"may_change" doc:"Whether the caller has all that the member has, and may so change or end the membership"`
	v2.Version
}

type memberPath struct {
	ID int64 `path:"user_id" minimum:"1"`
}

type memberDraft struct {
	Email  string          `json:"email" minLength:"3" maxLength:"254" doc:"Of a user"`
	Role   permission.Role `json:"role" minLength:"1" maxLength:"64"`
	Reason string          `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
}

type memberChange struct {
	ID   int64 `path:"user_id" minimum:"1"`
	Body struct {
		Role   permission.Role `json:"role" minLength:"1" maxLength:"64"`
		Reason string          `json:"reason" minLength:"1" maxLength:"500" doc:"For the audit log"`
	}
}

type members struct {
	accounts  *account.Accounts
	approvals *approval.Approvals
	settings  *setting.Settings
}

// Members adds who is a member of staff. Nobody gives a role that goes beyond their own permissions, and only owners
// make owners.
func Members(a *account.Accounts, approvals *approval.Approvals, s *setting.Settings) v2.Resource {
	all := members{a, approvals, s}
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/members", permission.MemberRead).
			Named("staff_members", "All members of staff, by their addresses"),
			func(ctx context.Context, who account.Identity, _ *v2.Empty) ([]staffMember, error) {
				return all.list(ctx, who)
			})
		v2.Handle(r, v2.StaffOp("GET /staff/members/{user_id}", permission.MemberRead).
			Named("staff_member", "One member of staff"),
			func(ctx context.Context, who account.Identity, in *memberPath) (staffMember, error) {
				version, err := r.Version(ctx, audit.ID("user", in.ID))
				if err != nil {
					return staffMember{}, err
				}
				m, err := all.get(ctx, who, in.ID)
				m.Version = version
				return m, err
			})
		v2.Handle(r, v2.StaffOp("POST /staff/members", permission.MemberWrite).
			Named("staff_member_add", "Make a user a member of staff"),
			func(ctx context.Context, who account.Identity, in *v2.Body[memberDraft]) (staffMember, error) {
				id, err := a.AddMember(ctx, who, in.Body.Email, in.Body.Role, in.Body.Reason)
				if err != nil {
					return staffMember{}, err
				}
				return all.get(ctx, who, id)
			})
		v2.HandleChange(r, v2.StaffOp("PUT /staff/members/{user_id}", permission.MemberWrite).
			Named("staff_member_change", "Give a member of staff another role; it counts at once"),
			func(in *memberChange) audit.Object { return audit.ID("user", in.ID) },
			func(ctx context.Context, in *memberChange) (staffMember, error) {
				return all.get(ctx, account.Identity{}, in.ID)
			},
			func(ctx context.Context, who account.Identity, in *memberChange) (staffMember, error) {
				if err := a.ChangeMember(ctx, who, in.ID, in.Body.Role, in.Body.Reason); err != nil {
					return staffMember{}, err
				}
				return all.get(ctx, who, in.ID)
			})
		type removal struct {
			ID     int64  `path:"user_id" minimum:"1"`
			Reason string `query:"reason" required:"true" minLength:"1" maxLength:"500" doc:"For the audit log"`
		}
		v2.Handle(r, v2.StaffOp("DELETE /staff/members/{user_id}", permission.MemberWrite).
			Named("staff_member_remove", "End a membership of staff; the account stays"),
			func(ctx context.Context, who account.Identity, in *removal) (v2.Empty, error) {
				return v2.Empty{}, a.ChangeMember(ctx, who, in.ID, "", in.Reason)
			})
	}
}

func (m members) list(ctx context.Context, who account.Identity) ([]staffMember, error) {
	found, err := m.accounts.Members(ctx)
	if err != nil {
		return nil, err
	}
	given, err := m.approvals.GivenToday(ctx)
	if err != nil {
		return nil, err
	}
	limit := m.settings.Get().StaffCreditLimit
	out := make([]staffMember, len(found))
	for i, one := range found {
		may, err := m.accounts.Covers(ctx, who, one.Role)
		if err != nil {
			return nil, err
		}
		out[i] = staffMember{
			one.ID, one.Email, one.Name, one.Role, one.Banned, one.Authenticator, one.Passkeys, one.Sessions,
			one.SeenAt, given[one.ID], limit, may,
			v2.Version{},
		}
	}
	return out, nil
}

func (m members) get(ctx context.Context, who account.Identity, id int64) (staffMember, error) {
	all, err := m.list(ctx, who)
	if err != nil {
		return staffMember{}, err
	}
	i := slices.IndexFunc(all, func(one staffMember) bool { return one.ID == id })
	if i < 0 {
		return staffMember{}, account.ErrNoMember
	}
	return all[i], nil
}
