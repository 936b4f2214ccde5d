package app

import (
	"fmt"
	"strings"
	"testing"

	"airstrip/internal/account"
)

// assignable is a list of staff whose rows are assigned to members.
type assignable struct {
	path string       // of the list
	add  func() int64 // a row that waits for a decision
	end  string       // what ends one, below its path
	body string       // of that
}

func (h *actSite) assignables() []assignable {
	return []assignable{
		{"payment-cases", h.paymentCase, "/dismiss", `{"reason":"a test"}`},
		{"commission-payouts", func() int64 { return h.payout(h.user) }, "/refuse", `{"answer":"the name is wrong"}`},
		{"refund-requests", h.refundRequest, "/decision", `{"grant":false,"answer":"it was used"}`},
	}
}

type assignedRow struct {
	ID         int64
	AssignedTo *struct {
		ID       int64
		Name     string
		IsFormer bool `json:"is_former"`
	} `json:"assigned_to"`
}

// rowsOfList returns the rows that a member finds, whatever the list calls them.
func (h *actSite) rowsOfList(as testUser, path, query string) (rows []assignedRow, total int64) {
	h.Helper()
	var list struct {
		Cases, Payouts, Requests []assignedRow
		TotalCount               int64 `json:"total_count"`
	}
	h.ask(as, 200, "GET", "/api/v2/staff/"+path+query, "", &list)
	return append(append(list.Cases, list.Payouts...), list.Requests...), list.TotalCount
}

// assign assigns a row to one member where another has it, and insists on the status of the answer.
func (h *actSite) assign(as testUser, status int, one string, to, was int64) string {
	h.Helper()
	return h.ask(as, status, "PUT", one+"/assignee", fmt.Sprintf(`{"assigned_to":%d,"was_assigned_to":%d}`, to, was), nil)
}

func TestAssignment_OfWhatWaits_IsToMembersWhoMaySeeTheList(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := newActSite(h)
		for _, list := range site.assignables() {
			id := list.add()
			one := fmt.Sprintf("/api/v2/staff/%s/%d", list.path, id)
			for _, to := range []int64{h.users[0].id, h.staff[account.Viewer].id, 99999} {
				if said := site.assign(site.bob, 422, one, to, 0); !strings.Contains(said, `"assigned_to"`) {
					h.Errorf("%s: a wrong member is refused by %s", list.path, said)
				}
			}
			var members []struct{ ID int64 }
			h.ask(site.bob, 200, "GET", "/api/v2/staff/"+list.path+"/assignees", "", &members)
			if len(members) != 3 { // owner, admin, finance
				h.Errorf("%s can be assigned to %+v", list.path, members)
			}

			site.assign(site.bob, 200, one, site.admin.id, 0)
			rows, _ := site.rowsOfList(site.bob, list.path, fmt.Sprintf("?assignee=%d", site.admin.id))
			if len(rows) != 1 || rows[0].ID != id || rows[0].AssignedTo == nil ||
				rows[0].AssignedTo.ID != site.admin.id || rows[0].AssignedTo.Name == "" || rows[0].AssignedTo.IsFormer {
				h.Errorf("%s: the admin has %+v", list.path, rows)
			}
			for query, want := range map[string]int64{
				"?assignee=me": 0, "?assignee=none": 0, "": 1, fmt.Sprintf("?assignee=%d", site.bob.id): 0,
			} {
				if _, total := site.rowsOfList(site.bob, list.path, query); total != want {
					h.Errorf("%s%s finds %d, want %d", list.path, query, total, want)
				}
			}
			if _, total := site.rowsOfList(site.admin, list.path, "?assignee=me"); total != 1 {
				h.Errorf("%s: the admin finds %d of their own", list.path, total)
			}
			h.ask(site.bob, 422, "GET", "/api/v2/staff/"+list.path+"?assignee=you", "", nil)

			if said := site.assign(site.bob, 409, one, site.bob.id, 0); !strings.Contains(said, `"assignment_changed"`) {
				h.Errorf("%s: an assignment of what somebody has by now answers %s", list.path, said)
			}
			site.assign(site.bob, 200, one, 0, site.admin.id)
			if rows, _ := site.rowsOfList(site.bob, list.path, "?assignee=none"); len(rows) != 1 ||
				rows[0].AssignedTo != nil {
				h.Errorf("%s: nobody has %+v", list.path, rows)
			}
			site.assign(site.bob, 404, fmt.Sprintf("/api/v2/staff/%s/99999", list.path), site.bob.id, 0)

			h.ask(site.bob, 200, "POST", one+list.end, list.body, nil)
			site.assign(site.bob, 409, one, site.bob.id, 0)
		}
	})
}

func TestAssignment_ToAMemberWhoLeaves_IsFreeAgain(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := newActSite(h)
		leaves := site.admin
		ones := map[string]string{}
		for _, list := range site.assignables() {
			one := fmt.Sprintf("/api/v2/staff/%s/%d", list.path, list.add())
			site.assign(site.bob, 200, one, leaves.id, 0)
			ones[list.path] = one
		}
		site.must(h.Accounts.SetRole(h.Context(), "admin@example.com", ""))
		for path, one := range ones {
			rows, _ := site.rowsOfList(site.bob, path, "?assignee=none")
			if len(rows) != 1 || rows[0].AssignedTo == nil || !rows[0].AssignedTo.IsFormer {
				h.Errorf("%s: after the member left, free are %+v", path, rows)
			}
			site.assign(site.bob, 422, one, leaves.id, leaves.id)
			site.assign(site.bob, 200, one, site.bob.id, leaves.id)
		}
	})
}

func TestAssignment_ToAClosedAccount_IsOfNobody(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		site := newActSite(h)
		site.must(h.Accounts.SetRole(h.Context(), "user1@example.com", account.Finance))
		gone := h.users[1]
		lists := site.assignables()
		for _, list := range lists {
			site.assign(site.bob, 200, fmt.Sprintf("/api/v2/staff/%s/%d", list.path, list.add()), gone.id, 0)
		}
		site.must(h.Accounts.SetRole(h.Context(), "user1@example.com", ""))
		loss, err := h.Accounts.Loss(h.Context(), gone.id)
		site.must(err)
		h.ask(site.owner, 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/close", gone.id),
			fmt.Sprintf(`{"email":"user1@example.com","forfeit":"%s","reason":"asked"}`, loss.Money()), nil)
		for _, list := range lists {
			rows, _ := site.rowsOfList(site.bob, list.path, "?assignee=none")
			if len(rows) != 1 || rows[0].AssignedTo != nil {
				h.Errorf("%s: after the account was closed, free are %+v", list.path, rows)
			}
		}
	})
}
