package run

import "airstrip/agent/internal/api"

// configure gives the engine the node with all users that may connect. What fails is tried again by mend.
func (a *agent) configure() {
	users := make([]api.User, 0, len(a.users))
	for id, m := range a.users {
		if _, stopped := a.gate.StopAt(id); !stopped {
			users = append(users, m.row)
		}
	}
	node := a.known.Node
	var err error
	if node.Settings.TLS, err = a.certificate.Fill(node.Settings.TLS); err == nil {
		err = a.engine.Configure(node, users)
	}
	if a.configured = err == nil; !a.configured {
		_ = a.engine.Add(users) // to what it may go on with: a secret that was replaced opens that no more, either
	}
	if a.problems.record(listenerComponent, err) {
		a.log.Error("the node cannot be served as the server wants it", "err", err)
	}
	a.configureRelay()
}

// configureRelay makes the node the relay of others that the server wants. What fails is tried again by mend.
func (a *agent) configureRelay() {
	err := a.relay.Set(a.known.Node.Listen, a.known.Node.Forwards)
	a.relayReady = err == nil
	if a.problems.record(relays, err) {
		a.log.Error("the node cannot be a relay as the server wants it", "err", err)
	}
}

// repair tries again what could not be opened, and takes over a new certificate.
func (a *agent) repair() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.have && (!a.configured || a.certificate.Changed()) {
		a.configure()
	}
	if a.have && !a.relayReady {
		a.configureRelay()
	}
}
