package staff

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"airstrip/internal/account"
	v2 "airstrip/internal/api/v2"
	"airstrip/internal/assignment"
	"airstrip/internal/permission"
)

type assignee struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	IsFormer bool   `json:"is_former" doc:"Whether they may no longer see the list; what they have is free then"`
}

// Assigned says who deals with an object; exported because it is embedded.
type Assigned struct {
	AssignedTo *assignee `json:"assigned_to,omitempty" doc:"Member of staff who deals with it; absent: nobody"`
}

// assignTo is whom an object is to be assigned to.
type assignTo struct {
	AssignedTo    int64 `json:"assigned_to" minimum:"0" doc:"Id of a member who may see the list; 0: nobody"`
	WasAssignedTo int64 `json:"was_assigned_to" minimum:"0" doc:"Whom the caller saw it assigned to; 0: nobody. 409 assignment_changed where it is another by now"`
}

func (to assignTo) wish() assignment.Wish {
	return assignment.Wish{To: to.AssignedTo, Was: to.WasAssignedTo}
}

// AssigneeFilter narrows a list by whom its rows are assigned to; exported because it is embedded.
type AssigneeFilter struct {
	Assignee string `query:"assignee" pattern:"^(me|none|[1-9][0-9]{0,17})$" doc:"me, none (also of former members), or a member's id"`
}

// whyNoVersion is why assigning an object asks for no version of it.
const whyNoVersion = "it says whom it was assigned to, and changes nothing else"

// assignable is a list whose rows are assigned to members of staff.
type assignable struct {
	accounts *account.Accounts
	sees     permission.Permission // what seeing the list needs
}

// members returns who may see the list, by id.
func (d assignable) members(ctx context.Context) (map[int64]account.User, error) {
	found, err := d.accounts.StaffWith(ctx, d.sees)
	members := make(map[int64]account.User, len(found))
	for _, u := range found {
		members[u.ID] = u
	}
	return members, err
}

// narrowed reads the parameter assignee of a list.
func (d assignable) narrowed(ctx context.Context, who account.Identity, choice string) (assignment.Filter, error) {
	switch choice {
	case "":
		return assignment.Filter{}, nil
	case "me":
		return assignment.Filter{MemberID: who.UserID}, nil
	case "none":
		members, err := d.members(ctx)
		return assignment.Filter{Free: true, Members: slices.Sorted(maps.Keys(members))}, err
	}
	id, err := strconv.ParseInt(choice, 10, 64)
	return assignment.Filter{MemberID: id}, err
}

// named returns a function that names those whom rows are assigned to.
func (d assignable) named(ctx context.Context, holders ...*int64) (func(holder *int64) Assigned, error) {
	ids := []int64{}
	for _, id := range holders {
		if id != nil {
			ids = append(ids, *id)
		}
	}
	if len(ids) == 0 {
		return func(*int64) Assigned { return Assigned{} }, nil
	}
	known, err := d.accounts.People(ctx, ids)
	if err != nil {
		return nil, err
	}
	members, err := d.members(ctx)
	if err != nil {
		return nil, err
	}
	return func(holder *int64) Assigned {
		if holder == nil {
			return Assigned{}
		}
		u := known[*holder]
		_, present := members[*holder]
		return Assigned{&assignee{*holder, u.Name, u.Email, !present}}
	}, nil
}

// namedIn is named for the rows of a part of a list; of gives the member whom one is assigned to.
func namedIn[T any](ctx context.Context, d assignable, rows []T, of func(row *T) *int64) (
	func(holder *int64) Assigned, error,
) {
	holders := make([]*int64, len(rows))
	for i := range rows {
		holders[i] = of(&rows[i])
	}
	return d.named(ctx, holders...)
}

// choices registers an operation that lists to whom rows of the list can be assigned.
func (d assignable) choices(r *v2.Router, route, id, summary string) {
	v2.HandleList(r, v2.StaffOp("GET "+route, d.sees).Named(id, summary),
		func(ctx context.Context, _ account.Identity, _ *v2.Empty) ([]assignee, error) {
			found, err := d.accounts.StaffWith(ctx, d.sees)
			out := make([]assignee, len(found))
			for i, u := range found {
				out[i] = assignee{u.ID, u.Name, u.Email, false}
			}
			return out, err
		})
}
