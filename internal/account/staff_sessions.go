package account

import "time"

// sessionEnd returns when a session of somebody with this role ends at the latest, and whether that is over. Sessions
// of staff are shorter than others: a member signs in again after some hours, and after a while without a refresh. The
// role decides and not the sign-in, so that the bounds hold at once for a user who becomes a member of staff, and while
// the role does not take effect. The zero time: nothing bounds the session but its tokens.
func (s *staffRoles) sessionEnd(role Role, createdAt, seenAt time.Time) (end time.Time, over bool) {
	if role == "" {
		return time.Time{}, false
	}
	site := s.settings.Get()
	end = createdAt.Add(time.Duration(site.StaffSessionHours) * time.Hour)
	if idle := seenAt.Add(time.Duration(site.StaffIdleMinutes) * time.Minute); idle.Before(end) {
		end = idle
	}
	return end.UTC(), !end.After(s.db.Now())
}

// bounded returns who with the end of a session of staff, at which its streams end too, or ErrSignedOut once that is
// over.
func (ss *Sessions) bounded(who Identity, createdAt, seenAt time.Time) (Identity, error) {
	end, over := ss.roles.sessionEnd(who.Role, createdAt, seenAt)
	if over {
		return Identity{}, ErrSignedOut
	}
	if !end.IsZero() && end.Before(who.ExpiresAt) {
		who.ExpiresAt = end
	}
	return who, nil
}
