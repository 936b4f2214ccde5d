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

// usersPerFrame keeps frames of users below maxFrame: none of them takes 200 bytes.
const usersPerFrame = 5000

// frameOverhead is more than what stands around the data of a frame.
const frameOverhead = 200

type frameJSON struct {
	Event     string `json:"event"`
	Data      any    `json:"data"`
	Timestamp int64  `json:"timestamp"`
}

type deltaJSON[U any] struct {
	Action string `json:"action"` // add, also for those who changed, or remove
	Users  []U    `json:"users"`
}

type idJSON struct {
	ID int64 `json:"id"`
}

// sendConfig tells what the node is to serve. Xboard-node, the one that takes it from here, knows no audit rules.
func (f *follower) sendConfig(ctx context.Context) error {
	config, err := f.describe(ctx, f.node.ID, f.who.nodeType)
	if err != nil {
		return err
	}
	return f.send(ctx, "sync.config", map[string]any{"config": config})
}

// sendUsers tells all who may use the node. A list that has no place in one frame is told as who is to be added; whom to
// forget an agent knows from the list that it fetches each time it connects.
func (f *follower) sendUsers(ctx context.Context, users []api.RosterUser) error {
	if len(users) > usersPerFrame {
		return sendDelta(ctx, f, "add", users)
	}
	return f.send(ctx, "sync.users", map[string]any{"users": users})
}

// sendDelta tells who is to be added or removed, in as many frames as it takes.
func sendDelta[U any](ctx context.Context, f *follower, action string, users []U) error {
	for part := range slices.Chunk(users, usersPerFrame) {
		if err := f.send(ctx, "sync.user.delta", deltaJSON[U]{action, part}); err != nil {
			return err
		}
	}
	return nil
}

// send writes one frame. Where the agent does not take it in time the connection is broken off, but not by the end of ctx:
// what was begun is finished, and then the socket is closed.
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
