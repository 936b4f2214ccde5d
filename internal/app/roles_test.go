package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/approval"
	"airstrip/internal/permission"
	"airstrip/internal/shop"
)

// makeRole makes a role as the operator does.
func (h *fixture) makeRole(name string, permissions ...string) (id int64) {
	h.Helper()
	made, err := h.Roles.Make(h.Context(), permission.Owner.Set(), name, permissions, "")
	if err != nil {
		h.Fatal(err)
	}
	return made.ID
}

// member makes the user a member with this role.
func (h *fixture) member(user testUser, role account.Role) {
	h.Helper()
	if err := h.Accounts.SetRole(h.Context(), h.names[user.id]+"@example.com", role); err != nil {
		h.Fatal(err)
	}
}

// refused insists on the status and the code of a fault, or the name of a wrong field.
func (h *fixture) refused(as testUser, status int, code, method, path, body string) {
	h.Helper()
	w := h.call(h.Context(), h.present(as), method, "/api/v2/staff/"+path, body)
	if w.Code != status || !strings.Contains(w.Body.String(), `"`+code+`"`) {
		h.Errorf("%s %s answers %d %s, want %d %s", method, path, w.Code, w.Body, status, code)
	}
}

// A role of one permission opens the operations that need it and, as every role, what says what it may do.
func TestRoles_OfOnePermission_OpensItsOperationsAlone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		id := h.makeRole("One")
		member := h.users[0]
		h.member(member, "One")
		routes := slices.DeleteFunc(h.staffRoutes(h.T), func(r staffRoute) bool { return r.token })
		for _, g := range permission.Table {
			if _, err := h.Roles.Change(h.Context(), permission.Owner.Set(), id, []string{string(g.Permission)},
				""); err != nil {
				h.Fatal(err)
			}
			for _, r := range routes {
				w := h.asMember(member, r)
				opens := w.Code != http.StatusForbidden && w.Code != http.StatusUnauthorized
				if opens != (r.permission == g.Permission || r.permission == permission.RoleRead) {
					h.Errorf("%s %s, which needs %s, answers %d to a role of %s", r.method, r.path, r.permission,
						w.Code, g.Permission)
				}
			}
		}
	})
}

// Who makes roles and members of staff gives nothing that they have not got themselves.
func TestRoles_WhatAMemberHasNotGot_TheyDoNotGive(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		lead, other := h.users[0], h.users[1]
		leads := h.makeRole("Lead", "staff.member.read", "staff.member.write", "staff.role.write", "staff.change",
			"ticket.read", "user.read", "user.ban", "user.recover")
		wide := h.makeRole("Wide", "ticket.read", "money.refund")
		h.member(lead, "Lead")

		var narrow struct{ ID int64 }
		h.ask(lead, 200, "POST", "/api/v2/staff/roles", `{"name":"Narrow","permissions":["ticket.read"]}`, &narrow)
		const beyond = "beyond_own_permissions"
		h.refused(lead, 403, beyond, "POST", "roles", `{"name":"Raised","permissions":["money.refund"]}`)
		h.refused(lead, 403, beyond, "PUT", fmt.Sprintf("roles/%d", narrow.ID), `{"permissions":["money.refund"]}`)
		h.refused(lead, 403, beyond, "PUT", fmt.Sprintf("roles/%d", leads),
			`{"permissions":["staff.role.write","money.refund"]}`)
		h.refused(lead, 403, beyond, "PUT", fmt.Sprintf("roles/%d", wide), `{"permissions":["ticket.read"]}`)
		h.refused(lead, 403, beyond, "DELETE", fmt.Sprintf("roles/%d", wide), "")

		for _, role := range []string{"owner", "admin", "Wide"} {
			h.refused(lead, 403, beyond, "POST", "members", `{"email":"user1@example.com","role":"`+role+`","reason":"x"}`)
			h.refused(lead, 403, beyond, "PUT", fmt.Sprintf("members/%d", lead.id), `{"role":"`+role+`","reason":"x"}`)
		}
		h.ask(lead, 200, "POST", "/api/v2/staff/members", `{"email":"user1@example.com","role":"Narrow","reason":"x"}`, nil)
		h.refused(lead, 403, beyond, "PUT", fmt.Sprintf("members/%d", other.id), `{"role":"Wide","reason":"x"}`)
		for _, role := range []account.Role{account.Owner, account.Admin} {
			path := fmt.Sprintf("members/%d", h.staff[role].id)
			h.refused(lead, 403, "member_beyond_own_permissions", "PUT", path, `{"role":"Narrow","reason":"x"}`)
			h.refused(lead, 403, "member_beyond_own_permissions", "DELETE", path+"?reason=x", "")
			user := fmt.Sprintf("users/%d/", h.staff[role].id)
			h.refused(lead, 403, "staff_protected_account", "POST", user+"sessions/end", `{"reason":"x"}`)
			h.refused(lead, 403, "staff_ban_needs_owner", "POST", user+"bans", `{"reason":"x"}`)
		}
		h.ask(lead, 200, "POST", fmt.Sprintf("/api/v2/staff/users/%d/sessions/end", other.id), `{"reason":"x"}`, nil)

		// All that owners may do makes nobody an owner.
		all := make([]string, len(permission.Table))
		for i, g := range permission.Table {
			all[i] = string(g.Permission)
		}
		if _, err := h.Roles.Change(h.Context(), permission.Owner.Set(), leads, all, ""); err != nil {
			h.Fatal(err)
		}
		h.refused(lead, 403, beyond, "PUT", fmt.Sprintf("members/%d", lead.id), `{"role":"owner","reason":"x"}`)
		h.refused(lead, 403, "member_beyond_own_permissions", "DELETE",
			fmt.Sprintf("members/%d?reason=x", h.staff[account.Owner].id), "")
		h.ask(lead, 200, "PUT", fmt.Sprintf("/api/v2/staff/members/%d", h.staff[account.Admin].id),
			`{"role":"viewer","reason":"x"}`, nil)
	})
}

func TestRoles_BadInput_IsNamed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner := h.staff[account.Owner]
		id := h.makeRole("Night shift", "ticket.read")
		for body, field := range map[string]string{
			`{"name":"Owner","permissions":[]}`:                             `name`,
			`{"name":"night SHIFT","permissions":[]}`:                       `name`,
			`{"name":"none","permissions":[]}`:                              `name`,
			`{"name":"a,b","permissions":[]}`:                               `name`,
			`{"name":" ","permissions":[]}`:                                 `name`,
			`{"name":"оwner","permissions":[]}`:                             `name`,
			`{"name":"ｏｗｎｅｒ","permissions":[]}`:                             `name`,
			`{"name":"Night  shift","permissions":[]}`:                      `name`,
			`{"name":"New","permissions":["money.invent"]}`:                 `permissions`,
			`{"name":"New","permissions":["ticket.read",""]}`:               `permissions`,
			`{"name":"New","permissions":["Ticket.Read"]}`:                  `permissions`,
			`{"name":"New\u202e","permissions":[]}`:                         `name`,
			`{"name":"123456789012345678901234567890123","permissions":[]}`: `name`,
		} {
			h.refused(owner, 422, field, "POST", "roles", body)
		}
		h.refused(owner, 422, "role", "POST", "members", `{"email":"user0@example.com","role":"nobody","reason":"x"}`)
		h.refused(owner, 422, "email", "POST", "members", `{"email":"gone@example.com","role":"viewer","reason":"x"}`)
		h.refused(owner, 422, "email", "POST", "members", `{"email":"admin@example.com","role":"viewer","reason":"x"}`)
		h.refused(owner, 404, "member_not_found", "PUT", fmt.Sprintf("members/%d", h.users[0].id),
			`{"role":"viewer","reason":"x"}`)
		h.refused(owner, 404, "role_not_found", "PUT", "roles/999", `{"permissions":[]}`)

		h.member(h.users[0], "Night shift")
		h.refused(owner, 409, "role_held", "DELETE", fmt.Sprintf("roles/%d", id), "")
		h.refused(owner, 409, "last_owner_role", "PUT", fmt.Sprintf("members/%d", owner.id), `{"role":"admin","reason":"x"}`)
		h.refused(owner, 409, "last_owner_role", "DELETE", fmt.Sprintf("members/%d?reason=x", owner.id), "")
		h.ask(owner, 200, "DELETE", fmt.Sprintf("/api/v2/staff/members/%d?reason=x", h.users[0].id), "", nil)
		h.ask(owner, 200, "DELETE", fmt.Sprintf("/api/v2/staff/roles/%d", id), "", nil)
	})
}

// A permission that is taken from a role opens nothing more to who is signed in, and ends no session. One that only a
// newer program knows gives nothing, is shown, and stays.
func TestRoles_Changed_CountAtOnce(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner, member := h.staff[account.Owner], h.users[0]
		id := h.makeRole("Night shift", "ticket.read", "user.read")
		h.member(member, "Night shift")
		path := fmt.Sprintf("/api/v2/staff/roles/%d", id)
		h.ask(member, 200, "GET", "/api/v2/staff/tickets", "", nil)
		h.ask(owner, 200, "PUT", path, `{"permissions":["user.read"]}`, nil)
		h.refused(member, 403, "not_allowed", "GET", "tickets", "")
		h.ask(member, 200, "GET", "/api/v2/staff/users", "", nil)
		var me struct {
			Role string `json:"staff_role"`
		}
		if h.ask(member, 200, "GET", "/api/v2/user/get_me", "", &me); me.Role != "Night shift" {
			h.Errorf("the member reads the role %q", me.Role)
		}

		h.exec(`UPDATE staff_role SET permissions = '["future.thing","user.read"]' WHERE id = ?`, id)
		var list struct {
			Roles []struct {
				ID      int64
				Name    string
				Unknown []string
				Members int
			}
		}
		h.ask(owner, 200, "GET", "/api/v2/staff/roles", "", &list)
		shown := list.Roles[len(list.Roles)-1]
		if len(list.Roles) != len(permission.Roles)+1 || shown.ID != id || shown.Members != 1 ||
			!slices.Equal(shown.Unknown, []string{"future.thing"}) {
			h.Errorf("the roles are %+v", list.Roles)
		}
		h.ask(member, 200, "GET", "/api/v2/staff/users", "", nil)
		h.ask(owner, 200, "PUT", path, `{"permissions":["future.thing","ticket.read"]}`, nil)
		h.refused(owner, 422, "permissions", "PUT", fmt.Sprintf("roles/%d", id), `{"permissions":["other.thing"]}`)
	})
}

// What a member with a role of the operator's own gives waits and is decided as that of others.
func TestRoles_OfOnesOwn_MakeAndDecideActs(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		maker, decider := h.users[0], h.users[1]
		makes := h.makeRole("Makes", "money.adjustment.make")
		h.makeRole("Decides", "approval.decide", "approval.read")
		h.member(maker, "Makes")
		h.member(decider, "Decides")
		give := func() approval.Grant {
			h.ask(maker, 200, "POST", "/api/v2/staff/wallet-adjustments",
				fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"x"}`, h.users[2].id), nil)
			return h.newestAct()
		}
		decide := func(act approval.Grant) string {
			return fmt.Sprintf("approvals/%d/decision", act.ID)
		}
		act := give()
		h.refused(maker, 403, "not_allowed", "POST", decide(act), `{"approve":true}`)
		h.ask(decider, 200, "POST", "/api/v2/staff/"+decide(act), `{"approve":true}`, nil)
		act = give()
		if _, err := h.Roles.Change(h.Context(), permission.Owner.Set(), makes, nil, ""); err != nil {
			h.Fatal(err)
		}
		h.refused(decider, 409, "approval_maker_left", "POST", decide(act), `{"approve":true}`)
	})
}

// Asking for the same again is no way to decide for who may not.
func TestRoles_WithoutTheRightToDecide_ApproveNothingByAskingAgain(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		maker, other, customer := h.users[0], h.users[1], h.users[2]
		h.makeRole("Counter", "payment.confirm", "money.refund", "recharge.read", "order.read")
		h.member(maker, "Counter")
		h.member(other, "Counter")
		plan, bank := h.sells(h.T, shop.KindPlan, 2000), h.gateway("counter")
		h.give(h.T, customer.id, 2000)
		var made struct{ Order struct{ No int64 } }
		h.ask(customer, 200, "POST", buy(plan), "{}", &made)
		r, err := h.Payments.Recharge(h.Context(), customer.id, bank, 5000)
		if err != nil {
			h.Fatal(err)
		}
		h.limited("0.00")
		for _, act := range []string{
			fmt.Sprintf("orders/%d/refund", made.Order.No), fmt.Sprintf("recharges/%d/confirm", r.ID),
		} {
			for _, as := range []testUser{maker, other, maker, other} {
				h.refused(as, 403, "second_member_needed", "POST", act, `{"reason":"x"}`)
			}
			h.ask(h.staff[account.Owner], 200, "POST", "/api/v2/staff/"+act, `{"reason":"x"}`, nil)
		}
	})
}

// Staff acts from the networks of the site's list alone, by whatever way; as a customer a member goes on.
func TestStaffNetworks_EachOperation_RefusesMembersFromElsewhere(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		owner := h.staff[account.Owner]
		secret := h.token(owner.id, account.ScopeJobs, account.ScopePartner, account.ScopeGrant, account.ScopeRead)
		routes := h.staffRoutes(h.T)
		own := func(networks string) string { return `{"values":{"staff_networks":[` + networks + `]}}` }
		h.refused(owner, 422, "staff_networks", "PATCH", "settings", own(`"198.51.100.0/24"`))
		h.refused(owner, 422, "staff_networks", "PATCH", "settings", own(`"192.0.2.0/33"`))
		h.refused(h.staff[account.Admin], 422, "staff_networks", "PATCH", "settings", own(`"192.0.2.0/24"`))
		h.ask(owner, 200, "PATCH", "/api/v2/staff/settings", own(`"2001:db8::/32","192.0.2.1"`), nil)
		h.ask(owner, 200, "GET", "/api/v2/staff/role", "", nil)

		h.set(map[string]any{"staff_networks": []string{"198.51.100.0/24", "2001:db8::/32"}})
		for role, member := range h.staff {
			for _, r := range routes {
				as := []testUser{h.present(member)}
				if r.token || r.job {
					as = append(as, testUser{bearer: secret})
				}
				if r.token {
					as = as[1:]
				}
				for _, who := range as {
					w := h.callWithBody(who, staffRoute{method: r.method, path: r.filled(), cookies: r.cookies}, "")
					if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `"staff_network"`) {
						h.Errorf("%s %s answers the %s %d %s", r.method, r.path, role, w.Code, w.Body)
					}
				}
			}
		}
		h.ask(owner, 200, "GET", "/api/v2/user/get_me", "", nil)
		for address, status := range map[string]int{
			"198.51.100.7:1": 200, "[2001:db8:1::1]:1": 200, "[::ffff:198.51.100.7]:1": 200, "198.51.101.7:1": 403,
			"[2001:db9::1]:1": 403,
		} {
			req := httptest.NewRequestWithContext(h.Context(), "GET", "/api/v2/staff/role", nil)
			req.RemoteAddr = address
			req.Header.Set("Authorization", "Bearer "+h.present(owner).bearer)
			w := httptest.NewRecorder()
			if h.root.ServeHTTP(w, req); w.Code != status {
				h.Errorf("staff from %s gets %d %s", address, w.Code, w.Body)
			}
		}
	})
}
