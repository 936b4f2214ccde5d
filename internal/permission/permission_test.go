package permission

import (
	"regexp"
	"slices"
	"testing"
)

func TestTable_EachPermission_IsNamedOnceAndHeldByOwners(t *testing.T) {
	named := regexp.MustCompile(`^[a-z_]+(\.[a-z_]+)+$`)
	seen := map[Permission]bool{}
	for _, g := range Table {
		if seen[g.Permission] || !named.MatchString(string(g.Permission)) || g.Allows.ZH == "" || g.Allows.EN == "" {
			t.Errorf("%q is in the table twice, is not named as the others, or allows nothing", g.Permission)
		}
		seen[g.Permission] = true
		if !slices.Contains(g.Roles, Owner) {
			t.Errorf("%s is not an owner's", g.Permission)
		}
		for _, role := range g.Roles {
			if !slices.Contains(Roles, role) || !role.Set().Has(g.Permission) {
				t.Errorf("%s is given to %q, which does not have it", g.Permission, role)
			}
		}
	}
}

func TestSet_Areas_AreWhatItHas(t *testing.T) {
	for _, role := range Roles {
		seen := map[Permission]bool{}
		for _, a := range role.Set().Areas() {
			if a.Name.ZH == "" || a.Name.EN == "" || len(a.Grants) == 0 {
				t.Errorf("%s reads of an area without a name or a permission: %v", role, a)
			}
			for _, g := range a.Grants {
				seen[g.Permission] = true
			}
		}
		for _, g := range Table {
			if role.Set().Has(g.Permission) != seen[g.Permission] {
				t.Errorf("%s has %s: %t, and reads so: %t", role, g.Permission, role.Set().Has(g.Permission),
					seen[g.Permission])
			}
		}
	}
	if len(Role("").Set().Areas()) != 0 {
		t.Error("users read that they may do something of staff's")
	}
}

func TestRole_ThatIsNone_HasNothing(t *testing.T) {
	for _, g := range Table {
		for _, role := range []Role{"", "user", "Owner"} {
			if role.Set().Has(g.Permission) {
				t.Errorf("%q has %s", role, g.Permission)
			}
		}
	}
	if Owner.Set().Has("money.invent") || Owner.Set().Has("") {
		t.Error("owners have a permission that is not in the table")
	}
}

func TestMust_PermissionThatIsNotInTheTable_Panics(t *testing.T) {
	for _, p := range []Permission{"", "money.invent"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", p)
				}
			}()
			Must(p, "staff_something")
		}()
	}
	if Must(Refund, "staff_order_refund") != Refund {
		t.Error("money.refund is not taken")
	}
}

func TestSetOf_NamesOfAnotherProgram_GiveNothing(t *testing.T) {
	s := SetOf([]string{"money.invent", string(TicketRead), string(TicketRead), ""})
	if len(s) != 2 || !s.Has(RoleRead) || !s.Has(TicketRead) {
		t.Errorf("the set is %v", s)
	}
	if !Owner.Set().Covers(s) || s.Covers(Viewer.Set()) || !s.Covers(nil) {
		t.Error("a set covers what it has not, or does not what it has")
	}
}
