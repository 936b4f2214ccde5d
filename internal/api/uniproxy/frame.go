package uniproxy

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/coder/websocket"

	"airstrip/internal/api"
	"airstrip/internal/detached"
)

// usersPerFrame keeps frames of users below maxFrame: a user takes less than 200 bytes.
const usersPerFrame = 5000

// frameOverhead bounds the bytes of a frame around its data.
const frameOverhead = 200

type frameJSON struct {
	Event     string `json:"event"`
	Data      any    `json:"data"`
	Timestamp int64  `json:"timestamp"`
}

type deltaJSON[U any] struct {
	Action string `json:"action"` // add (also for changed users) or remove
	Users  []U    `json:"users"`
}

type idJSON struct {
	ID int64 `json:"id"`
}

// sendConfig sends the node's configuration. Only Xboard-node reads it from here, and it supports no audit rules.
func (f *follower) sendConfig(ctx context.Context) error {
	config, err := f.describe(ctx, f.node.ID, f.who.nodeType)
	if err != nil {
		return err
	}
	return f.send(ctx, "sync.config", map[string]any{"config": config})
}

// sendUsers sends all users who may use the node. A list too large for one frame is sent as users to add; the agent
// knows whom to remove from the list that it requests whenever it connects.
func (f *follower) sendUsers(ctx context.Context, users []api.ListedUser) error {
	if len(users) > usersPerFrame {
		return sendDelta(ctx, f, "add", users)
	}
	return f.send(ctx, "sync.users", map[string]any{"users": users})
}

// sendDelta sends users to add or remove, in as many frames as necessary.
func sendDelta[U any](ctx context.Context, f *follower, action string, users []U) error {
	for part := range slices.Chunk(users, usersPerFrame) {
		if err := f.send(ctx, "sync.user.delta", deltaJSON[U]{action, part}); err != nil {
			return err
		}
	}
	return nil
}

// send writes one frame. If the agent does not read it in time, the connection is closed. The end of ctx does not
// interrupt a frame: it is completed, and then the socket is closed.
func (f *follower) send(ctx context.Context, event string, data any) error {
	body, err := json.Marshal(frameJSON{event, data, time.Now().Unix()})
	if err != nil {
		return err
	}
	ctx, cancel := detached.WithTimeout(ctx, f.pace.write)
	defer cancel()
	if f.conn.Write(ctx, websocket.MessageText, body) != nil {
		return errGone
	}
	return nil
}
