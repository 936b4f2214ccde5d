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
		if seen[g.Permission] || !named.MatchString(string(g.Permission)) || g.Allows == "" {
			t.Errorf("%q stands twice in the table, is not named as the others, or allows nothing", g.Permission)
		}
		seen[g.Permission] = true
		if !slices.Contains(g.Roles, Owner) {
			t.Errorf("%s is not an owner's", g.Permission)
		}
		for _, role := range g.Roles {
			if !slices.Contains(Roles, role) || !role.Has(g.Permission) {
				t.Errorf("%s is given to %q, which does not have it", g.Permission, role)
			}
		}
	}
}

func TestRole_ThatIsNone_HasNothing(t *testing.T) {
	for _, g := range Table {
		for _, role := range []Role{"", "user", "Owner"} {
			if role.Has(g.Permission) {
				t.Errorf("%q has %s", role, g.Permission)
			}
		}
	}
	if Owner.Has("money.invent") || Owner.Has("") {
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
