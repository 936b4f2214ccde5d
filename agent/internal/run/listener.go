package run

import "airstrip/agent/internal/api"

// configure passes the node and all users who may connect to the engine. repair retries what fails.
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
		// They apply to the previous configuration that is still served: a replaced secret must not be valid there
		// either.
		_ = a.engine.Add(users)
	}
	if a.problems.record(listenerComponent, err) {
		a.log.Error("the node cannot be served as the server wants it", "err", err)
	}
	a.configureRelay()
}

// configureRelay applies the node's forwards. repair retries what fails.
func (a *agent) configureRelay() {
	err := a.relay.Set(a.known.Node.Listen, a.known.Node.Forwards)
	a.relayReady = err == nil
	if a.problems.record(relays, err) {
		a.log.Error("the node cannot be a relay as the server wants it", "err", err)
	}
}

// repair retries what could not be opened, and applies a new certificate.
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
