package permission

import "slices"

// Set is what a role may do, without doubles, in the order of the table.
type Set []Permission

// IsBuiltIn tells whether the table gives the role its permissions.
func (r Role) IsBuiltIn() bool { return slices.Contains(Roles, r) }

// Set returns what a built-in role may do, and nothing for any other: those of the operator's own are read by package
// role, which knows both. The result is not to be changed.
func (r Role) Set() Set { return builtIn[r] }

var builtIn = func() map[Role]Set {
	sets := map[Role]Set{}
	for _, g := range Table {
		for _, r := range g.Roles {
			sets[r] = append(sets[r], g.Permission)
		}
	}
	return sets
}()

// SetOf returns those of the named permissions that this program knows, with what each member may do: see their own
// role. Names of a newer program give nothing.
func SetOf(names []string) (s Set) {
	for _, g := range Table {
		if g.Permission == RoleRead || slices.Contains(names, string(g.Permission)) {
			s = append(s, g.Permission)
		}
	}
	return s
}

// Has reports whether p is in the set.
func (s Set) Has(p Permission) bool { return slices.Contains(s, p) }

// Covers reports whether all of other is in the set.
func (s Set) Covers(other Set) bool {
	return !slices.ContainsFunc(other, func(p Permission) bool { return !s.Has(p) })
}

// Areas returns the areas in which the set has permissions, with those alone.
func (s Set) Areas() (areas []Area) {
	for _, a := range Areas {
		a.Grants = slices.DeleteFunc(slices.Clone(a.Grants), func(g Grant) bool { return !s.Has(g.Permission) })
		if len(a.Grants) > 0 {
			areas = append(areas, a)
		}
	}
	return areas
}
