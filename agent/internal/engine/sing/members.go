package sing

import "sync"

// member is a user with the secret that a client has used, which may be outdated.
type member struct {
	id     int64
	secret string
}

// members are the users who may connect.
type members struct {
	mu      sync.RWMutex
	secrets map[int64]string
}

// current reports whether the user still has this secret. A client of TUIC or AnyTLS carries many connections, so each
// of them is checked.
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
