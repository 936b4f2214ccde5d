package uniproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"airstrip/internal/api"
	"airstrip/internal/detached"
	"airstrip/internal/node"
)

// maxFrame bounds a frame in either direction, in bytes. Some agents accept no larger ones.
const maxFrame = 1 << 20

// intervals are the intervals and timeouts of a socket.
type intervals struct {
	admit   time.Duration // For the database to authenticate a token.
	write   time.Duration // For writing a frame, and for the answer to a ping.
	ping    time.Duration // Between two pings.
	devices time.Duration // Between two checks of connected devices.
}

var defaultIntervals = intervals{
	admit: 10 * time.Second, write: 30 * time.Second, ping: 55 * time.Second,
	devices: 10 * time.Second,
}

// Reasons for closing a socket that are not faults.
var (
	errGone      = errors.New("the agent is gone")
	errReconnect = errors.New("the agent has to reconnect")
)

// socket sends changes to an agent at once, until it disconnects, the server stops, or the token is no longer valid. A
// wrong token gets an HTTP answer and no socket.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	f := &follower{
		server: s, who: claim{query.Get("token"), query.Get("node_id"), query.Get("node_type")},
		asked: make(chan struct{}, 1),
	}
	_, _, err := f.admit(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	if f.conn, err = websocket.Accept(w, r, nil); err != nil {
		return // Accept has answered.
	}
	conn := f.conn
	defer f.listening.Wait()
	defer conn.CloseNow()
	conn.SetReadLimit(maxFrame)
	ctx, cancel := context.WithCancel(r.Context()) // Ends with the server, not with the agent.
	defer cancel()
	f.closeWith(ctx, f.follow(ctx, cancel))
}

// follower is the socket of one agent. One goroutine writes, another reads.
type follower struct {
	*server
	conn      *websocket.Conn
	who       claim
	node      node.Node // Without private keys.
	since     int64     // The agent's revision.
	devices   []byte    // As sent last; nil if they have to be sent.
	asked     chan struct{}
	listening sync.WaitGroup
}

func (f *follower) follow(ctx context.Context, gone func()) error {
	changes, stop := f.nodes.Feeds.Watch()
	defer stop()
	n, revision, err := f.admit(ctx)
	if err != nil {
		return err
	}
	f.node, f.since = n, revision
	ctx, done := f.nodes.Limits.Stream(ctx, n)
	defer done()
	f.listening.Go(func() { defer gone(); f.listen(ctx, n) })
	if err = f.run(ctx, changes); ctx.Err() != nil {
		return errReconnect // A newer socket has taken its slot, or the server stops.
	}
	return err
}

// run sends everything, and then the changes.
func (f *follower) run(ctx context.Context, changes <-chan int64) error {
	if err := f.sendAll(ctx); err != nil {
		return err
	}
	ping, devices := time.NewTicker(f.pace.ping), time.NewTicker(f.pace.devices)
	defer ping.Stop()
	defer devices.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changes:
			err = f.sendChanges(ctx)
		case <-devices.C:
			err = f.sendDevices(ctx)
		case <-f.asked:
			f.devices = nil // The next check sends them.
		case <-ping.C:
			err = f.ping(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// admit returns the node of the token, and a revision that it is at least as new as.
func (f *follower) admit(ctx context.Context) (node.Node, int64, error) {
	ctx, cancel := context.WithTimeout(ctx, f.pace.admit)
	defer cancel()
	return f.who.find(ctx, f.nodes)
}

// sendAll sends everything to an agent that has just connected.
func (f *follower) sendAll(ctx context.Context) error {
	allowed, err := f.nodes.Admission.UserList(ctx, f.node)
	if err != nil {
		return err
	}
	if err := f.send(ctx, "auth.success", map[string]int64{"node_id": f.node.ID}); err != nil {
		return err
	}
	if err := f.sendConfig(ctx); err != nil {
		return err
	}
	if err := f.sendUsers(ctx, api.ListedUsers(f.node, allowed)); err != nil {
		return err
	}
	return f.sendDevices(ctx)
}

// sendChanges sends everything that the agent does not know. If the node now has the list of another node, the agent
// has to reconnect: no delta tells it whom to remove.
func (f *follower) sendChanges(ctx context.Context) error {
	n, _, err := f.admit(ctx)
	if err != nil {
		return err
	}
	if api.UserListKeyOf(n) != api.UserListKeyOf(f.node) {
		return errReconnect
	}
	changed, err := f.nodes.Feeds.Changes(ctx, n.ID, f.since)
	if err != nil {
		return err
	}
	if changed.Reset {
		return errReconnect
	}
	f.node, f.since = n, changed.Revision
	if changed.Node != nil || changed.RulesSet { // Agents that request the rules elsewhere do so after any change.
		if err := f.sendConfig(ctx); err != nil {
			return err
		}
	}
	removed := make([]idJSON, len(changed.Removed))
	for i, id := range changed.Removed {
		removed[i] = idJSON{id}
	}
	if err := sendDelta(ctx, f, "add", api.ListedUsers(n, changed.Users)); err != nil {
		return err
	}
	return sendDelta(ctx, f, "remove", removed)
}

// ping also checks the token: a replaced one is valid only for some time.
func (f *follower) ping(ctx context.Context) error {
	if _, _, err := f.admit(ctx); err != nil {
		return err
	}
	if err := f.send(ctx, "ping", struct{}{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.pace.write)
	defer cancel()
	if f.conn.Ping(ctx) != nil {
		return errGone
	}
	return nil
}

// closeWith closes the socket, with a reason where that is useful.
func (f *follower) closeWith(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		f.conn.Close(websocket.StatusGoingAway, "")
	case errors.Is(err, errReconnect):
		f.conn.Close(websocket.StatusServiceRestart, "")
	case !errors.Is(err, errGone):
		failure := api.NewFailure(ctx, err)
		if f.send(ctx, "error", map[string]string{"message": failure.Message, "code": failure.Code}) != nil {
			return
		}
		code := websocket.StatusPolicyViolation
		if failure.GetStatus() >= 500 {
			code = websocket.StatusInternalError
		}
		f.conn.Close(code, failure.Code)
	}
}

// listen handles the agent's messages until it disconnects. n is the node as authenticated; who may use it does not
// change while the socket is open.
func (f *follower) listen(ctx context.Context, n node.Node) {
	// The end of ctx must not break the connection before closeWith has closed it.
	reading, cancel := detached.WithGrace(ctx, f.pace.write)
	defer cancel()
	for {
		_, body, err := f.conn.Read(reading)
		if err != nil {
			return
		}
		var in struct {
			Event string
			Data  json.RawMessage
		}
		if err := json.Unmarshal(body, &in); err != nil {
			f.conn.Close(websocket.StatusInvalidFramePayloadData, "unreadable")
			return
		}
		if err := f.handle(ctx, n, in.Event, in.Data); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "what a node said could not be kept", "node", n.ID, "event", in.Event, "error", err)
		}
	}
}

// handle stores what an agent reports. Any message is a sign of life.
func (f *follower) handle(ctx context.Context, n node.Node, event string, data json.RawMessage) error {
	switch event {
	case "node.status":
		var in struct{ Status json.RawMessage } // XrayR's forks nest it one level deeper.
		if err := json.Unmarshal(data, &in); err != nil {
			return err
		}
		return f.keepVitals(ctx, n.ID, data, in.Status)
	case "report.devices":
		rows, err := members(data)
		if err != nil {
			return err
		}
		if len(rows) == 1 && rows[0].name == "devices" {
			if rows, err = members(rows[0].value); err != nil {
				return err
			}
		}
		return f.nodes.Presence.SetAllOnline(ctx, n, addresses(rows))
	case "request.devices":
		select {
		case f.asked <- struct{}{}:
		default:
		}
	}
	return f.nodes.Monitor.RecordContact(ctx, n.ID)
}

// sendDevices sends who is connected on all nodes, unless it is unchanged. The protocol cannot split it, so what
// exceeds a frame is left to the list that agents can request.
func (f *follower) sendDevices(ctx context.Context) error {
	devices, err := f.nodes.Presence.Devices(ctx, f.node)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"users": devices})
	if err != nil {
		return err
	}
	if bytes.Equal(body, f.devices) {
		return nil
	}
	const most = maxFrame - frameOverhead
	already := len(f.devices) > most
	f.devices = body
	if len(body) > most {
		if !already {
			slog.WarnContext(ctx, "too many devices are online to tell a node of them", "node", f.node.ID, "users",
				len(devices))
		}
		return nil
	}
	return f.send(ctx, "sync.devices", json.RawMessage(body))
}
