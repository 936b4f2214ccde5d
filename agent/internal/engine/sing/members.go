package sing

import "sync"

// member is a user with the secret that they have shown, which may not be theirs any more.
type member struct {
	id     int64
	secret string
}

// members are the users that may connect.
type members struct {
	mu      sync.RWMutex
	secrets map[int64]string
}

// current says whether the user still has this secret. The connections of TUIC and AnyTLS carry many of a user's,
// so it is asked for each of those.
func (m *members) current(who member) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	secret, listed := m.secrets[who.id]
	return listed && secret == who.secret
}

func (m *members) all() []member {
	m.mu.RLock()
	defer m.mu.RUnlock()
	list := make([]member, 0, len(m.secrets))
	for id, secret := range m.secrets {
		list = append(list, member{id, secret})
	}
	return list
}
