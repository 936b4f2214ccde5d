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

// maxFrame bounds a frame of either side, in bytes: some agents take no larger ones.
const maxFrame = 1 << 20

// intervals is how often a socket does things and how long it waits.
type intervals struct {
	admit   time.Duration // for the database to say whose the token is
	write   time.Duration // for a frame to be taken, and for a ping to be answered
	ping    time.Duration // between two pings
	devices time.Duration // between two looks at who is connected where
}

var defaultIntervals = intervals{admit: 10 * time.Second, write: 30 * time.Second, ping: 55 * time.Second, devices: 10 * time.Second}

// Ends of a socket that no fault tells of.
var (
	errGone = errors.New("the agent is gone")
	errAnew = errors.New("the agent has to begin anew")
)

// socket tells an agent of changes at once, until it goes, the server stops, or the token is no longer the node's. A wrong
// token gets an HTTP answer and no socket.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	f := &follower{server: s, who: claim{query.Get("token"), query.Get("node_id"), query.Get("node_type")}, asked: make(chan struct{}, 1)}
	_, _, err := f.admit(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	if f.conn, err = websocket.Accept(w, r, nil); err != nil {
		return // it was answered
	}
	conn := f.conn
	defer f.listening.Wait()
	defer conn.CloseNow()
	conn.SetReadLimit(maxFrame)
	ctx, cancel := context.WithCancel(r.Context()) // which ends with the server, not with the agent
	defer cancel()
	f.closeWith(ctx, f.follow(ctx, cancel))
}

// follower is one agent's socket. One goroutine writes, another reads.
type follower struct {
	*server
	conn      *websocket.Conn
	who       claim
	node      node.Node // without private keys
	since     int64     // what the agent knows
	devices   []byte    // as they were told last; nil: they are to be told
	asked     chan struct{}
	listening sync.WaitGroup
}

func (f *follower) follow(ctx context.Context, gone func()) error {
	changes, stop := f.nodes.Watch()
	defer stop()
	n, revision, err := f.admit(ctx)
	if err != nil {
		return err
	}
	f.node, f.since = n, revision
	ctx, done := f.nodes.Stream(ctx, n)
	defer done()
	f.listening.Go(func() { defer gone(); f.listen(ctx, n) })
	if err = f.run(ctx, changes); ctx.Err() != nil {
		return errAnew // a younger one has its place, unless all ends
	}
	return err
}

// run tells the agent everything, and then what changes.
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
			f.devices = nil // the next look tells them
		case <-ping.C:
			err = f.ping(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// admit finds the node of the token, and the revision that it is not older than.
func (f *follower) admit(ctx context.Context) (node.Node, int64, error) {
	ctx, cancel := context.WithTimeout(ctx, f.pace.admit)
	defer cancel()
	return f.who.find(ctx, f.nodes)
}

// sendAll tells an agent that just came everything.
func (f *follower) sendAll(ctx context.Context) error {
	roster, err := f.nodes.Roster(ctx, f.node)
	if err != nil {
		return err
	}
	if err := f.send(ctx, "auth.success", map[string]int64{"node_id": f.node.ID}); err != nil {
		return err
	}
	if err := f.sendConfig(ctx); err != nil {
		return err
	}
	if err := f.sendUsers(ctx, api.RosterUsers(f.node, roster)); err != nil {
		return err
	}
	return f.sendDevices(ctx)
}

// sendChanges tells everything that the agent does not know. Where another node's list of users has become its own the agent
// has to begin anew: no delta tells it whom to forget.
func (f *follower) sendChanges(ctx context.Context) error {
	n, _, err := f.admit(ctx)
	if err != nil {
		return err
	}
	if api.RosterKeyOf(n) != api.RosterKeyOf(f.node) {
		return errAnew
	}
	changed, err := f.nodes.Changes(ctx, n.ID, f.since)
	if err != nil {
		return err
	}
	if changed.Reset {
		return errAnew
	}
	f.node, f.since = n, changed.Revision
	if changed.Node != nil || changed.RulesSet { // agents that read the rules elsewhere do so when they are told of any change
		if err := f.sendConfig(ctx); err != nil {
			return err
		}
	}
	removed := make([]idJSON, len(changed.Removed))
	for i, id := range changed.Removed {
		removed[i] = idJSON{id}
	}
	if err := sendDelta(ctx, f, "add", api.RosterUsers(n, changed.Users)); err != nil {
		return err
	}
	return sendDelta(ctx, f, "remove", removed)
}

// ping also asks whether the token is still good: one that was replaced is so for a time and then not.
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

// closeWith says why, where that is of use, and closes the socket.
func (f *follower) closeWith(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		f.conn.Close(websocket.StatusGoingAway, "")
	case errors.Is(err, errAnew):
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

// listen takes what the agent says until it goes. n is the node as it came; who may use it does not change while the
// socket is open.
func (f *follower) listen(ctx context.Context, n node.Node) {
	// The end of ctx must not break the connection off before end has closed it.
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

// handle keeps what an agent says; any word is a sign of life.
func (f *follower) handle(ctx context.Context, n node.Node, event string, data json.RawMessage) error {
	switch event {
	case "node.status":
		var in struct{ Status json.RawMessage } // XrayR's forks put it one level down
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
		return f.nodes.SetAllOnline(ctx, n, addresses(rows))
	case "request.devices":
		select {
		case f.asked <- struct{}{}:
		default:
		}
	}
	return f.nodes.Seen(ctx, n.ID)
}

// sendDevices tells who is connected where over all nodes, if that is not what was told last. There is no way to tell it
// in parts, so what has no place in a frame is left to the list that agents can ask for.
func (f *follower) sendDevices(ctx context.Context) error {
	devices, err := f.nodes.Devices(ctx, f.node)
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
			slog.WarnContext(ctx, "too many devices are online to tell a node of them", "node", f.node.ID, "users", len(devices))
		}
		return nil
	}
	return f.send(ctx, "sync.devices", json.RawMessage(body))
}
