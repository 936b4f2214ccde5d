package xray

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xtls/xray-core/common/protocol"
	"github.com/xtls/xray-core/common/serial"
	"github.com/xtls/xray-core/proxy"

	"airstrip/agent/internal/api"
)

// member is a user as the inbound knows them. xray identifies users by an email, which here is the user's ID and a
// generation. The generation changes with the secret, so a QUIC or multiplexed connection that was opened with the old
// secret names the old generation and is refused.
type member struct {
	secret string
	email  string
}

// identify returns the user of an email that the inbound accepted.
func (e *Engine) identify(email string) (int64, bool) {
	text, _, _ := strings.Cut(email, ".")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return id, e.users[id].email == email
}

// missing returns the present users that are not among users.
func (e *Engine) missing(users []api.User) []int64 {
	wanted := make(map[int64]bool, len(users))
	for _, u := range users {
		wanted[u.ID] = true
	}
	var ids []int64
	for id := range e.users {
		if !wanted[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// member keeps the email while the secret is the same.
func (e *Engine) member(node api.Node, u api.User) member {
	secret := u.UUID
	if node.Protocol == "shadowsocks" {
		secret = u.Password
	}
	for _, m := range []member{e.users[u.ID], e.removed[u.ID]} {
		if m.email != "" && m.secret == secret {
			return m
		}
	}
	e.generation++
	return member{secret: secret, email: fmt.Sprintf("%d.%d", u.ID, e.generation)}
}

func protocolUser(node api.Node, u api.User, m member) *protocol.User {
	return &protocol.User{Email: m.email, Account: serial.ToTypedMessage(account(node, u))}
}

func memoryUser(node api.Node, u api.User, m member) (*protocol.MemoryUser, error) {
	return protocolUser(node, u, m).ToMemoryUser()
}

// Add implements engine.Engine.
func (e *Engine) Add(users []api.User) error {
	manager, err := e.manager()
	if err != nil {
		return err
	}
	var failed []error
	for _, u := range users {
		before, had := e.users[u.ID]
		m := e.member(*e.node, u)
		if had && m == before {
			continue
		}
		account, err := memoryUser(*e.node, u, m)
		if err == nil && had {
			err = e.Remove([]int64{u.ID})
		}
		if stays := keySize(e.node.Settings.Method) > 0 && m == e.removed[u.ID]; err == nil && !stays {
			err = manager.AddUser(context.Background(), account)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("adding user %d: %w", u.ID, err))
			continue
		}
		e.mu.Lock()
		e.users[u.ID] = m
		delete(e.removed, u.ID)
		e.mu.Unlock()
	}
	return errors.Join(failed...)
}

// Remove implements engine.Engine.
func (e *Engine) Remove(ids []int64) error {
	manager, err := e.manager()
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range ids {
		m, had := e.users[id]
		if !had {
			continue
		}
		e.mu.Lock()
		delete(e.users, id)
		e.removed[id] = m
		e.mu.Unlock()
		if keySize(e.node.Settings.Method) > 0 {
			// xray's Shadowsocks 2022 inbound finds users by their index in a list. Removing one moves another user to
			// its index while connections may hold that index: bytes would count for the wrong user, or the index would
			// be out of range and crash the process. The entry stays until the next listener; the dispatcher refuses
			// it, since its email belongs to nobody.
			continue
		}
		if err := manager.RemoveUser(context.Background(), m.email); err != nil {
			failed = append(failed, fmt.Errorf("removing user %d: %w", id, err))
		}
	}
	return errors.Join(failed...)
}

func (e *Engine) manager() (proxy.UserManager, error) {
	if e.node == nil {
		return nil, errors.New("the engine serves no node")
	}
	handler, err := e.inbounds.GetHandler(context.Background(), tag)
	if err != nil {
		return nil, err
	}
	holder, ok := handler.(proxy.GetInbound)
	if !ok {
		return nil, errors.New("the inbound does not give its users away")
	}
	manager, ok := holder.GetInbound().(proxy.UserManager)
	if !ok {
		return nil, errors.New("the inbound cannot change its users")
	}
	return manager, nil
}
