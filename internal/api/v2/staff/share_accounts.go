package staff

import (
	"context"
	"slices"
	"time"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/audit"
	"airstrip/internal/fault"
	"airstrip/internal/permission"
	"airstrip/internal/shareaccount"
)

// ShareAccountBody is what staff says of a share account beside its secret; exported because it is embedded.
type ShareAccountBody struct {
	Name      string     `json:"name" minLength:"1" doc:"Where the reader's language has no name of its own"`
	NameZH    string     `json:"name_zh,omitempty"`
	NameEN    string     `json:"name_en,omitempty"`
	URL       string     `json:"url,omitempty" doc:"Where to sign in"`
	Login     string     `json:"login,omitempty" doc:"User name at the service"`
	Note      string     `json:"note,omitempty" doc:"Plain text"`
	NoteZH    string     `json:"note_zh,omitempty"`
	NoteEN    string     `json:"note_en,omitempty"`
	Class     int        `json:"class,omitempty" minimum:"0" maximum:"1000000" doc:"Least class of a running service that includes it"`
	Group     int        `json:"group,omitempty" minimum:"0" maximum:"1000000" doc:"Group of the service; 0: any"`
	PlanIDs   []int64    `json:"plan_ids,omitempty" doc:"Plans of the service; empty: any"`
	MaxUsers  *int64     `json:"max_users,omitempty" nullable:"true" minimum:"1" maximum:"1000000" doc:"Users who may see one version of the secret; null: no limit"`
	ExpiresAt *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"When the account at the service ends"`
	Sort      int        `json:"sort,omitempty" minimum:"0" maximum:"1000000" doc:"Smaller ones come first"`
	Enabled   bool       `json:"is_enabled" doc:"Whether users are offered it"`
}

type staffShareAccount struct {
	ID int64 `json:"id"`
	ShareAccountBody
	HasTOTP       bool      `json:"has_totp"`
	SecretVersion int64     `json:"secret_version" doc:"Grows with each replacement of the secret"`
	Users         int64     `json:"users" doc:"Users who saw the present secret"`
	RotatedAt     time.Time `json:"rotated_at"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	v2.Version
}

type newShareAccountBody struct {
	ShareAccountBody
	Password string  `json:"password" minLength:"1" maxLength:"500" doc:"Never shown to staff again"`
	TOTP     *string `json:"totp,omitempty" maxLength:"1000" doc:"Key in base32 or otpauth address; never shown to anybody"`
}

type shareAccountSecretBody struct {
	Password string  `json:"password" minLength:"1" maxLength:"500"`
	TOTP     *string `json:"totp,omitempty" maxLength:"1000" doc:"Key in base32 or otpauth address; empty: none any more; absent: as before"`
}

type rotatedShareAccount struct {
	Account staffShareAccount    `json:"account"`
	SeenBy  []shareAccountViewer `json:"seen_by" doc:"Users who saw the secret that was replaced, the last 500"`
	Total   int64                `json:"seen_by_count"`
}

// SetVersion sets the version of the account whose secret was replaced.
func (r *rotatedShareAccount) SetVersion(to audit.Version) { r.Account.SetVersion(to) }

type shareAccountViews struct {
	Views      []shareAccountView `json:"views" doc:"Newest first"`
	TotalCount int64              `json:"total_count"`
}

type shareAccountView struct {
	ID        int64             `json:"id"`
	UserID    int64             `json:"user_id"`
	Email     string            `json:"email"`
	Kind      shareaccount.Kind `json:"kind" enum:"secret,code"`
	Version   int64             `json:"version"`
	At        time.Time         `json:"at"`
	IP        string            `json:"ip"`
	UserAgent string            `json:"user_agent"`
}

type shareAccountViewers struct {
	Viewers    []shareAccountViewer `json:"viewers" doc:"Who saw it last comes first"`
	TotalCount int64                `json:"total_count"`
}

type shareAccountViewer struct {
	UserID      int64     `json:"user_id"`
	Email       string    `json:"email"`
	Version     int64     `json:"version" doc:"The last that they saw"`
	SawPrevious bool      `json:"saw_previous" doc:"Whether they saw the version before the present one"`
	Count       int64     `json:"count"`
	FirstAt     time.Time `json:"first_at"`
	LastAt      time.Time `json:"last_at"`
}

type shareAccountChange struct {
	ID   int64 `path:"account_id" minimum:"1"`
	Body ShareAccountBody
}

// shareAccountKind is what the audit log calls share accounts.
const shareAccountKind = "share_account"

type shareAccountPath struct {
	ID int64 `path:"account_id" minimum:"1"`
}

func (b ShareAccountBody) draft() shareaccount.Draft {
	return shareaccount.Draft{
		Name: b.Name, Names: byLang(b.NameZH, b.NameEN), URL: b.URL, Login: b.Login, Note: b.Note,
		Notes: byLang(b.NoteZH, b.NoteEN), Class: b.Class, UserGroup: b.Group, PlanIDs: b.PlanIDs,
		MaxUsers: b.MaxUsers, ExpiresAt: b.ExpiresAt, Sort: b.Sort, Enabled: b.Enabled,
	}
}

func byLang(zh, en string) fault.ByLang {
	return fault.ByLang{}.With(fault.ZH, &zh).With(fault.EN, &en)
}

func showStaffShareAccount(a *shareaccount.Account, version v2.Version) staffShareAccount {
	return staffShareAccount{a.ID, ShareAccountBody{
		a.Name, a.Names[fault.ZH], a.Names[fault.EN], a.URL, a.Login, a.Note, a.Notes[fault.ZH], a.Notes[fault.EN],
		a.Class, a.UserGroup, append([]int64{}, a.PlanIDs...), a.MaxUsers, a.ExpiresAt, a.Sort, a.Enabled,
	}, a.HasTOTP(), a.Version, a.Users, a.RotatedAt, a.CreatedAt, a.UpdatedAt, version}
}

// ShareAccounts adds what staff does with the accounts of third-party services that users share.
func ShareAccounts(shares *shareaccount.Accounts, accounts *account.Accounts) v2.Resource {
	s := shareAccountOps{shares, accounts}
	return func(r *v2.Router) {
		v2.HandleList(r, v2.StaffOp("GET /staff/share-accounts", permission.ShareRead).
			Named("staff_share_accounts", "Share accounts, without their secrets"),
			func(ctx context.Context, _ account.Identity, _ *v2.Empty) ([]staffShareAccount, error) {
				versions, err := r.Versions(ctx, shareAccountKind)
				if err != nil {
					return nil, err
				}
				return s.list(ctx, versions)
			})
		v2.HandleMake(r, v2.StaffOp("POST /staff/share-accounts", permission.ShareWrite).
			Named("staff_share_account_add", "Add a share account"), shareAccountKind, s.add)
		v2.HandleChange(r, v2.StaffOp("PUT /staff/share-accounts/{account_id}", permission.ShareWrite).
			Named("staff_share_account_change", "Change a share account, but not its secret"),
			func(in *shareAccountChange) audit.Object { return audit.ID(shareAccountKind, in.ID) },
			func(ctx context.Context, in *shareAccountChange) (staffShareAccount, error) {
				list, err := s.list(ctx, nil)
				if err != nil {
					return staffShareAccount{}, err
				}
				i := slices.IndexFunc(list, func(a staffShareAccount) bool { return a.ID == in.ID })
				if i < 0 {
					return staffShareAccount{}, shareaccount.ErrNoAccountForStaff
				}
				return list[i], nil
			}, s.change)
		v2.HandleMake(r, v2.StaffOp("POST /staff/share-accounts/{account_id}/rotate", permission.ShareWrite).
			Named("staff_share_account_rotate", "Replace the secret of a share account, and list who saw the former one"),
			shareAccountKind, s.rotate)
		v2.Handle(r, v2.StaffOp("DELETE /staff/share-accounts/{account_id}", permission.ShareWrite).
			Named("staff_share_account_remove", "Remove a share account and its secret"),
			func(ctx context.Context, _ account.Identity, in *shareAccountPath) (v2.Empty, error) {
				return v2.Empty{}, shares.Remove(ctx, in.ID)
			})
		v2.Handle(r, v2.StaffOp("GET /staff/share-accounts/{account_id}/views", permission.ShareRead).
			Named("staff_share_account_views", "Each showing of a share account: to whom, when and where"), s.views)
		v2.Handle(r, v2.StaffOp("GET /staff/share-accounts/{account_id}/viewers", permission.ShareRead).
			Named("staff_share_account_viewers", "Who saw the secret of a share account"), s.viewers)
	}
}

type shareAccountOps struct {
	shares   *shareaccount.Accounts
	accounts *account.Accounts
}

func (s shareAccountOps) list(ctx context.Context, versions v2.Versions) ([]staffShareAccount, error) {
	accounts, err := s.shares.List(ctx)
	var out []staffShareAccount
	for i := range accounts {
		out = append(out, showStaffShareAccount(&accounts[i], versions.Of(accounts[i].ID)))
	}
	return out, err
}

func (s shareAccountOps) add(
	ctx context.Context, _ account.Identity, in *v2.Body[newShareAccountBody],
) (staffShareAccount, error) {
	a, err := s.shares.Add(ctx, in.Body.draft(), shareaccount.NewSecret{Password: in.Body.Password, TOTP: in.Body.TOTP})
	return showStaffShareAccount(&a, v2.Version{}), err
}

func (s shareAccountOps) change(
	ctx context.Context, _ account.Identity, in *shareAccountChange,
) (staffShareAccount, error) {
	a, err := s.shares.Change(ctx, in.ID, in.Body.draft())
	return showStaffShareAccount(&a, v2.Version{}), err
}

func (s shareAccountOps) rotate(ctx context.Context, _ account.Identity, in *struct {
	ID   int64 `path:"account_id" minimum:"1"`
	Body shareAccountSecretBody
},
) (out rotatedShareAccount, err error) {
	a, err := s.shares.Rotate(ctx, in.ID, shareaccount.NewSecret{Password: in.Body.Password, TOTP: in.Body.TOTP})
	if err != nil {
		return out, err
	}
	const listed = 500
	out.Account = showStaffShareAccount(&a, v2.Version{})
	out.SeenBy, out.Total, err = s.whoSaw(ctx, in.ID, true, listed, 0)
	return out, err
}

func (s shareAccountOps) views(ctx context.Context, _ account.Identity, in *struct {
	ID     int64  `path:"account_id" minimum:"1"`
	UserID int64  `query:"user_id" minimum:"1"`
	Kind   string `query:"kind" enum:"secret,code"`
	Limit  int64  `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Offset int64  `query:"offset" minimum:"0" default:"0"`
},
) (shareAccountViews, error) {
	out := shareAccountViews{Views: []shareAccountView{}}
	views, total, err := s.shares.Views(ctx, in.ID, shareaccount.ViewFilter{
		UserID: in.UserID, Kind: shareaccount.Kind(in.Kind), Limit: in.Limit, Offset: in.Offset,
	})
	if err != nil {
		return out, err
	}
	ids := make([]int64, len(views))
	for i, v := range views {
		ids[i] = v.UserID
	}
	emails, err := s.accounts.Emails(ctx, ids)
	out.TotalCount = total
	for _, v := range views {
		out.Views = append(out.Views, shareAccountView{
			v.ID, v.UserID, emails[v.UserID], v.Kind, v.Version, v.At, v.IP, v.UserAgent,
		})
	}
	return out, err
}

func (s shareAccountOps) viewers(ctx context.Context, _ account.Identity, in *struct {
	ID           int64 `path:"account_id" minimum:"1"`
	OnlyPrevious bool  `query:"only_previous" doc:"Only who saw the version before the present one"`
	Limit        int64 `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Offset       int64 `query:"offset" minimum:"0" default:"0"`
},
) (out shareAccountViewers, err error) {
	out.Viewers, out.TotalCount, err = s.whoSaw(ctx, in.ID, in.OnlyPrevious, in.Limit, in.Offset)
	return out, err
}

func (s shareAccountOps) whoSaw(
	ctx context.Context, id int64, onlyPrevious bool, limit, offset int64,
) ([]shareAccountViewer, int64, error) {
	out := []shareAccountViewer{}
	viewers, total, err := s.shares.Viewers(ctx, id, onlyPrevious, limit, offset)
	if err != nil {
		return out, 0, err
	}
	ids := make([]int64, len(viewers))
	for i, v := range viewers {
		ids[i] = v.UserID
	}
	emails, err := s.accounts.Emails(ctx, ids)
	for _, v := range viewers {
		out = append(out, shareAccountViewer{
			v.UserID, emails[v.UserID], v.Version, v.SawPrevious, v.Count, v.FirstAt, v.LastAt,
		})
	}
	return out, total, err
}
