package staff

import (
	"context"
	"strconv"
	"strings"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/api"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/console"
	"airstrip/internal/money"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

// personRef names a user in what belongs to them.
type personRef struct {
	ID    int64  `json:"id"`
	Email string `json:"email" doc:"Empty: the account is closed"`
}

type planRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name" doc:"In the caller's language; empty: there is no such plan any more"`
}

type userRow struct {
	ID          int64           `json:"id"`
	Email       string          `json:"email"`
	Name        string          `json:"name"`
	Role        permission.Role `json:"role" doc:"Empty: no member of staff"`
	State       string          `json:"state" enum:"active,none,exhausted,expired,banned,closed"`
	Plan        *planRef        `json:"plan,omitempty" doc:"Of the service that runs the longest; absent: none runs"`
	EndsAt      *time.Time      `json:"ends_at" nullable:"true" doc:"When that service ends; where none runs, when the last one ended"`
	UsedBytes   *int64          `json:"used_bytes" nullable:"true" doc:"Of that service's cycle, rounded down to 64 MiB"`
	QuotaBytes  *int64          `json:"quota_bytes" nullable:"true" doc:"null: unlimited, or none runs"`
	UsedPercent *int64          `json:"used_percent" nullable:"true"`
	Balance     money.Amount    `json:"balance"`
	Inviter     *personRef      `json:"inviter,omitempty" doc:"Absent: none"`
	Area        string          `json:"area" doc:"Country that the link was last fetched from, ZZ: unknown; empty: it never was"`
	SeenAt      *time.Time      `json:"seen_at" nullable:"true" doc:"Last sign-in or visit"`
	Fetches     int64           `json:"fetches" doc:"Of the link that the log has"`
	FetchedAt   *time.Time      `json:"fetched_at" nullable:"true"`
	Labels      []string        `json:"labels"`
	CreatedAt   time.Time       `json:"created_at"`
}

// knownUsers gives the parts of rows that name users.
type knownUsers struct {
	known map[int64]account.User
}

func peopleOf(ctx context.Context, a *account.Accounts, ids []int64) (knownUsers, error) {
	known, err := a.People(ctx, ids)
	return knownUsers{known}, err
}

// ownersOf is peopleOf for the rows of a part of a list; of gives the user whom one belongs to.
func ownersOf[T any](ctx context.Context, a *account.Accounts, rows []T, of func(row *T) int64) (knownUsers, error) {
	owners := make([]int64, len(rows))
	for i := range rows {
		owners[i] = of(&rows[i])
	}
	return peopleOf(ctx, a, owners)
}

func (p knownUsers) ref(id int64) personRef {
	u := p.known[id]
	if u.ClosedAt != nil {
		return personRef{ID: id}
	}
	return personRef{id, u.Email}
}

// emailOf returns the address of whoever has the id; empty: nobody, or the account is closed.
func (p knownUsers) emailOf(id *int64) string {
	if id == nil {
		return ""
	}
	return p.ref(*id).Email
}

// namedOf returns the ids that name somebody, for peopleOf.
func namedOf(ids ...*int64) (named []int64) {
	for _, id := range ids {
		if id != nil {
			named = append(named, *id)
		}
	}
	return named
}

// makersOf is peopleOf for all whom the rows of a part of a list name; of gives those of one row, nil for nobody.
func makersOf[T any](ctx context.Context, a *account.Accounts, rows []T, of func(row *T) []*int64) (knownUsers, error) {
	var named []int64
	for i := range rows {
		named = append(named, namedOf(of(&rows[i])...)...)
	}
	return peopleOf(ctx, a, named)
}

// UserList adds the list of users, and their labels.
func UserList(c *console.Console, a *account.Accounts, s *shop.Shop) v2.Resource {
	load := func(ctx context.Context, _ account.Identity, ids []int64) ([]userRow, error) {
		users, err := c.UsersByID(ctx, ids)
		if err != nil {
			return nil, err
		}
		named := ids
		for i := range users {
			if inviter := users[i].InviterID; inviter != nil {
				named = append(named, *inviter)
			}
		}
		known, err := peopleOf(ctx, a, named)
		if err != nil {
			return nil, err
		}
		plans, err := planNames(ctx, s)
		if err != nil {
			return nil, err
		}
		rows := make([]userRow, len(users))
		for i := range users {
			rows[i] = newUserRow(&users[i], known, plans)
		}
		return rows, nil
	}
	return func(r *v2.Router) {
		v2.HandleListing(r, c.Lists, v2.List[userRow]{
			Path: "/staff/users", ID: "staff_users", Summary: "Users", Needs: permission.UserRead,
			Resource: c.Users(), Load: load, Key: func(u *userRow) int64 { return u.ID },
			CSV: []v2.Column[userRow]{
				{Name: "id", Cell: func(u *userRow) string { return number(&u.ID) }},
				{Name: "email", Cell: func(u *userRow) string { return u.Email }},
				{Name: "name", Cell: func(u *userRow) string { return u.Name }},
				{Name: "role", Cell: func(u *userRow) string { return string(u.Role) }},
				{Name: "state", Cell: func(u *userRow) string { return u.State }},
				{Name: "plan", Cell: func(u *userRow) string { return u.planName() }},
				{Name: "ends_at", Cell: func(u *userRow) string { return moment(u.EndsAt) }},
				{Name: "used_bytes", Cell: func(u *userRow) string { return number(u.UsedBytes) }},
				{Name: "quota_bytes", Cell: func(u *userRow) string { return number(u.QuotaBytes) }},
				{Name: "balance", Cell: func(u *userRow) string { return u.Balance.String() }},
				{Name: "inviter", Cell: func(u *userRow) string { return u.inviterEmail() }},
				{Name: "area", Cell: func(u *userRow) string { return u.Area }},
				{Name: "seen_at", Cell: func(u *userRow) string { return moment(u.SeenAt) }},
				{Name: "fetches", Cell: func(u *userRow) string { return number(&u.Fetches) }},
				{Name: "labels", Cell: func(u *userRow) string { return strings.Join(u.Labels, ", ") }},
				{Name: "created_at", Cell: func(u *userRow) string { return moment(&u.CreatedAt) }},
			},
		})
		type labelsOfUser struct {
			ID   int64 `path:"user_id" minimum:"1"`
			Body struct {
				Labels []string `json:"labels" maxItems:"20" doc:"All that the user is to have"`
				Was    []string `json:"was" maxItems:"20" doc:"All that were read of the user: 409 labels_changed where there are others now"`
			}
		}
		type labels struct {
			Labels []string `json:"labels"`
		}
		v2.Handle(r, v2.StaffOp("PUT /staff/users/{user_id}/labels", permission.UserLabel).
			Named("staff_user_labels_set", "Give a user exactly these labels").
			WithoutVersion("it is refused where the labels are not those that its caller saw"),
			func(ctx context.Context, who account.Identity, in *labelsOfUser) (labels, error) {
				if _, err := a.User(ctx, in.ID); err != nil {
					return labels{}, err
				}
				set, err := c.SetLabels(ctx, in.ID, &who.UserID, in.Body.Was, in.Body.Labels)
				return labels{append([]string{}, set...)}, err
			})
	}
}

func newUserRow(u *console.User, known knownUsers, plans map[int64]string) userRow {
	row := userRow{
		ID: u.ID, Email: u.Email, Name: known.known[u.ID].Name, Role: u.Role, State: string(u.State), EndsAt: u.EndsAt,
		UsedBytes: u.UsedBytes, QuotaBytes: u.QuotaBytes, UsedPercent: u.UsedPercent, Balance: u.Balance, Area: u.Area,
		SeenAt: u.SeenAt, Fetches: u.Fetches, FetchedAt: u.FetchedAt, Labels: append([]string{}, u.Labels...),
		CreatedAt: u.CreatedAt,
	}
	if u.PlanID != nil {
		row.Plan = &planRef{*u.PlanID, plans[*u.PlanID]}
	}
	if u.InviterID != nil {
		inviter := known.ref(*u.InviterID)
		row.Inviter = &inviter
	}
	return row
}

func (u *userRow) planName() string {
	if u.Plan == nil {
		return ""
	}
	return u.Plan.Name
}

func (u *userRow) inviterEmail() string {
	if u.Inviter == nil {
		return ""
	}
	return u.Inviter.Email
}

// planNames gives what plans are called in the caller's language.
func planNames(ctx context.Context, s *shop.Shop) (map[int64]string, error) {
	plans, err := s.ListPlans(ctx)
	names, lang := make(map[int64]string, len(plans)), api.CallerOf(ctx).Lang
	for i := range plans {
		names[plans[i].ID] = plans[i].Names.In(lang, plans[i].Name)
	}
	return names, err
}

// moment writes a time for a file of rows; empty where there is none.
func moment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// text writes a number for a file of rows.
func text(n int64) string { return strconv.FormatInt(n, 10) }
