package uniproxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/service"
)

// frame is a message to an agent; raw is its complete text.
type frame struct {
	Event string
	Data  struct {
		NodeID int64 `json:"node_id"`
		Config struct {
			Protocol   string
			ServerPort int `json:"server_port"`
			Routes     []any
		}
		Action  string
		Users   json.RawMessage
		Message string
		Code    string
	}
	Timestamp int64
	raw       []byte
}

// ids returns the users in a frame.
func (f frame) ids(s *site) []int64 {
	s.Helper()
	var users []struct{ ID int64 }
	if err := json.Unmarshal(f.Data.Users, &users); err != nil {
		s.Fatalf("%s: %v", f.raw, err)
	}
	ids := make([]int64, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	return ids
}

// devices returns the addresses in a frame.
func (f frame) devices(s *site) map[string][]string {
	s.Helper()
	var users map[string][]string
	if err := json.Unmarshal(f.Data.Users, &users); err != nil {
		s.Fatalf("%s: %v", f.raw, err)
	}
	return users
}

// socket is an agent's end of a WebSocket.
type socket struct {
	*site
	conn   *websocket.Conn
	frames chan frame
	closed websocket.StatusCode // Valid once frames is closed; -1 if the connection just broke.
}

// connect dials as Xboard-node and the forks of XrayR do. They accept frames of 1 MiB.
func (s *site) connect(query string) *socket {
	s.Helper()
	conn, _, err := websocket.Dial(s.Context(), s.v2().URL+"ws"+query, nil)
	if err != nil {
		s.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	s.Cleanup(func() { conn.CloseNow() })
	k := &socket{site: s, conn: conn, frames: make(chan frame, 100)}
	go func() {
		defer close(k.frames)
		for {
			_, body, err := conn.Read(context.Background())
			if err != nil {
				k.closed = websocket.CloseStatus(err)
				return
			}
			f := frame{raw: body}
			// devices has users of another type. What is missing shows when the frame is examined.
			json.Unmarshal(body, &f)
			k.frames <- f
		}
	}()
	return k
}

func (s *site) of(name string) string {
	return fmt.Sprintf("?token=%s&node_id=%d", s.Keys[name], s.IDs[name])
}

// follow connects for a node and reads everything that is sent at first.
func (s *site) follow(name string) *socket {
	s.Helper()
	k := s.connect(s.of(name))
	for _, event := range []string{"auth.success", "sync.config", "sync.users", "sync.devices"} {
		k.next(event)
	}
	return k
}

// next returns the next frame, which must be of this event.
func (k *socket) next(event string) frame {
	k.Helper()
	select {
	case f, open := <-k.frames:
		if !open {
			k.Fatalf("the socket was closed with %d, want %s", k.closed, event)
		}
		if f.Event != event || f.Timestamp == 0 {
			k.Fatalf("heard %.200s, want %s", f.raw, event)
		}
		return f
	case <-time.After(time.Minute):
		k.Fatalf("no %s", event)
	}
	return frame{}
}

// mustClose waits until the socket is closed with this status, and ignores frames before.
func (k *socket) mustClose(want websocket.StatusCode) {
	k.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case _, open := <-k.frames:
			if open {
				continue
			}
			if k.closed != want {
				k.Fatalf("closed with %d, want %d", k.closed, want)
			}
			return
		case <-deadline:
			k.Fatal("the socket was not closed")
		}
	}
}

func (k *socket) send(text string) {
	k.Helper()
	if err := k.conn.Write(k.Context(), websocket.MessageText, []byte(text)); err != nil {
		k.Fatal(err)
	}
}

func (s *site) ban(userID int64, banned bool) {
	s.Helper()
	s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.SetBanned(ctx, tx, userID, banned) })
}

// untimed returns a frame without its timestamp.
func untimed(f frame) []byte {
	return bytes.ReplaceAll(f.raw, fmt.Appendf(nil, `"timestamp":%d`, f.Timestamp), []byte(`"timestamp":0`))
}

func TestFrames_MatchAgents(t *testing.T) {
	each(t, func(s *site) {
		if _, err := s.Nodes.Presence.SetOnline(t.Context(), node.Node{ID: s.IDs["ss"], Enabled: true},
			[]node.OnlineIP{{UserID: 1, IP: "1.2.3.4"}}); err != nil {
			t.Fatal(err)
		}
		k := s.connect(s.of("reality"))
		for _, event := range []string{"auth.success", "sync.config", "sync.users", "sync.devices"} {
			s.Golden("ws-"+event+".json", untimed(k.next(event)))
		}
		s.ban(2, true)
		s.Golden("ws-remove.json", untimed(k.next("sync.user.delta")))
		s.ban(2, false)
		s.Golden("ws-add.json", untimed(k.next("sync.user.delta")))
	})
}

func TestSocket_SendsOnlyChanges(t *testing.T) {
	each(t, func(s *site) {
		k := s.follow("vmess")
		delta := func(action string, users ...int64) {
			t.Helper()
			if f := k.next("sync.user.delta"); f.Data.Action != action || !slices.Equal(f.ids(s), users) {
				t.Fatalf("heard %s, want %s %v", f.raw, action, users)
			}
		}
		s.Give(service.Terms{UserID: 3, QuotaBytes: new(int64(1000))})
		delta("add", 3)
		s.ban(2, true)
		delta("remove", 2)
		s.ban(2, false)
		delta("add", 2)
		s.ok(&struct{}{}, "vmess", "vmess", "POST", "push", `{"3":[1,1000]}`)
		delta("remove", 3)
		s.Do(func(ctx context.Context, tx bun.Tx) error {
			_, err := s.Services.AddPackage(ctx, tx,
				service.PackageTerms{UserID: 3, Name: "more", Kind: service.Bought, Bytes: 1000})
			return err
		})
		delta("add", 3)
		s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.ResetCredentials(ctx, tx, 1) })
		delta("add", 1)
		if _, err := s.Nodes.Rules.Add(t.Context(), "no mail", "", `:25$`); err != nil {
			t.Fatal(err)
		}
		if f := k.next("sync.config"); f.Data.Config.Routes == nil || len(f.Data.Config.Routes) != 0 {
			t.Fatalf("Xboard-node cannot start with %s", f.raw)
		}
		if _, err := s.Nodes.Change(t.Context(), s.IDs["vmess"],
			func(n *node.Node) { n.ListenPort = 8080 }); err != nil {
			t.Fatal(err)
		}
		if f := k.next("sync.config"); f.Data.Config.ServerPort != 8080 || f.Data.Config.Protocol != "vmess" {
			t.Fatalf("heard %s", f.raw)
		}
		if _, err := s.Nodes.Change(t.Context(), s.IDs["ss"], func(n *node.Node) { n.Name = "another's" }); err != nil {
			t.Fatal(err)
		}
		s.ban(1, true)
		delta("remove", 1) // Nothing of the other node.
	})
}

func TestSocket_Pings_KeepNodeOnline(t *testing.T) {
	eachAt(t, intervals{time.Minute, 20 * time.Millisecond, time.Hour}, func(s *site) {
		k := s.follow("ss")
		later := time.Now().Add(time.Hour)
		s.DB.SetClock(func() time.Time { return later })
		for range 3 {
			k.next("ping")
			k.send(`{"event":"pong"}`)
		}
		s.eventually("the node is online", func() bool { return s.state("ss").Health(s.DB.Now()) == node.Online })
	})
}

func (s *site) state(name string) node.State {
	s.Helper()
	states, err := s.Nodes.Monitor.States(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return states[s.IDs[name]]
}

// eventually waits for something that no message reports.
func (s *site) eventually(what string, done func() bool) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if done() {
			return
		}
	}
	s.Fatal("it never came to be that " + what)
}

func TestStatus_NodeInformation_IsStored(t *testing.T) {
	each(t, func(s *site) {
		k := s.follow("reality")
		for _, text := range []string{
			`{"event":"sync.users","data":{}}`, `{"event":"pong"}`, `{}`,
			`{"event":"node.status"}`, `{"event":"node.status","data":{"uptime":-1}}`,
			`{"event":"node.status","data":[]}`, `{"event":"report.devices","data":[1]}`, `{"event":"report.devices"}`,
		} {
			k.send(text) // None of this is useful, and none of it closes the socket.
		}
		k.send(`{"event":"node.status","data":{"uptime":77,"active_connections":5,"active_users":2,"inbound_speed":900,"outbound_speed":80,
			"cpu_per_core":[1,2],"load":{"load1":0.5,"load5":0.25,"load15":0},"kernel_status":true,"gc":{},"api":{}},"timestamp":1}`)
		s.eventually("the metrics are kept", func() bool {
			st := s.state("reality")
			return st.UptimeSeconds == 77 && st.Connections == 5 && st.OnlineUsers == 2 && st.DownBPS == 900 &&
				st.UpBPS == 80 && slices.Equal(st.Load, []float64{.5, .25, 0})
		})
		k.send(fmt.Sprintf(`{"event":"node.status","data":{"node_id":%d,"status":{"cpu":12.5,"uptime":78,"mem":{"total":100,"used":40},"swap":{"total":0,"used":0},"disk":{"total":100,"used":1}}}}`, s.IDs["reality"]))
		s.eventually("the status is stored, too", func() bool {
			st := s.state("reality")
			return st.UptimeSeconds == 78 && st.CPUPermille == 125 && st.MemoryPermille == 400 && st.Connections == 5
		})
		alive := func() map[int64]int {
			t.Helper()
			alive, err := s.Nodes.Presence.DeviceCounts(t.Context(), node.Node{Enabled: true})
			if err != nil {
				t.Fatal(err)
			}
			return alive
		}
		k.send(`{"event":"report.devices","data":{"1":["1.2.3.4","::ffff:1.2.3.4","5.6.7.8:99"],"2":["9.9.9.9_1"],"3":["9.9.9.9"],"x":7}}`)
		s.eventually("all devices are known", func() bool { return maps.Equal(alive(), map[int64]int{1: 2, 2: 1}) })
		k.send(`{"event":"report.devices","data":{"devices":{"1":["5.6.7.8"]},"node_id":1}}`)
		s.eventually("those who left are gone", func() bool { return maps.Equal(alive(), map[int64]int{1: 1}) })
		k.send(`{"event":"report.devices","data":{}}`)
		s.eventually("nobody is left", func() bool { return len(alive()) == 0 })
	})
}

func TestSocket_DevicesOfLimitedUsers_AreSent(t *testing.T) {
	eachAt(t, intervals{time.Minute, time.Hour, 20 * time.Millisecond}, func(s *site) {
		k := s.follow("ss")
		s.ok(&struct{}{}, "reality", "vless", "POST", "alive", `{"1":["1.2.3.4"],"2":["9.9.9.9"]}`)
		k.send(`{"event":"report.devices","data":{"1":["5.6.7.8","1.2.3.4"]}}`)
		s.eventually("both are known", func() bool {
			alive, err := s.Nodes.Presence.DeviceCounts(t.Context(), node.Node{Enabled: true})
			return err == nil && alive[1] == 2
		})
		later := time.Now().Add(10 * time.Second) // The devices are checked again only then.
		s.DB.SetClock(func() time.Time { return later })
		for { // The check may have been between the two.
			f := k.next("sync.devices")
			if got := f.devices(s); len(got) == 1 && slices.Equal(got["1"], []string{"1.2.3.4", "5.6.7.8"}) {
				break
			} else if len(got) > 1 || got["2"] != nil {
				t.Fatalf("heard %s; user 2 has no limit", f.raw)
			}
		}
		k.send(`{"event":"request.devices"}`)
		k.next("sync.devices")
		other := s.connect(s.of("trojan")) // Neither user may use it.
		other.next("auth.success")
		other.next("sync.config")
		other.next("sync.users")
		if f := other.next("sync.devices"); len(f.devices(s)) != 0 {
			t.Fatalf("heard %s", f.raw)
		}
	})
}

func TestSocket_Devices_AreSentAtInterval(t *testing.T) {
	each(t, func(s *site) { // The next check is an hour away.
		k := s.follow("ss")
		k.send(`{"event":"report.devices","data":{"1":["5.6.7.8"]}}`)
		k.send(`{"event":"request.devices"}`)
		s.eventually("it is known", func() bool { return s.state("ss").OnlineUsers == 1 })
		s.ban(2, true)
		k.next("sync.user.delta")
	})
}

// addUsers adds so many users who may use what user 2 may.
func (s *site) addUsers(users int) {
	s.Helper()
	s.Do(func(ctx context.Context, tx bun.Tx) error {
		revision, err := db.Bump(ctx, tx, service.Revision)
		if err != nil {
			return err
		}
		var like service.Access
		if err := tx.NewSelect().Model(&like).Where("user_id = 2").Scan(ctx); err != nil {
			return err
		}
		credentials := service.NewCredentials(seal.Key{})
		rows := make([]service.Access, users)
		for i := range rows {
			rows[i] = like
			rows[i].UserID, rows[i].Revision = int64(1000+i), revision
			rows[i].Sealed, _ = credentials.Seal(rows[i].UserID, uuid.New(), "password")
		}
		for part := range slices.Chunk(rows, 500) {
			if _, err := tx.NewInsert().Model(&part).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// A long list is sent in parts that the agent adds to what it has. A part that replaced the list would disconnect the
// others.
func TestSocket_ManyUsers_AreSentInParts(t *testing.T) {
	each(t, func(s *site) {
		s.addUsers(12_000)
		k := s.connect(s.of("ss"))
		k.next("auth.success")
		k.next("sync.config")
		seen := map[int64]bool{}
		for len(seen) < 12_002 {
			f := k.next("sync.user.delta")
			if f.Data.Action != "add" {
				t.Fatalf("heard %.100s", f.raw)
			}
			for _, id := range f.ids(s) {
				if seen[id] {
					t.Fatal("user", id, "came twice")
				}
				seen[id] = true
			}
		}
		k.next("sync.devices")
		s.Do(func(ctx context.Context, tx bun.Tx) error {
			_, err := db.Bump(ctx, tx, service.Revision)
			if err == nil {
				_, err = tx.NewRaw(`UPDATE access SET allowed = ?, revision = (SELECT value FROM revision
					WHERE name = ?) WHERE user_id >= 1000`, false, service.Revision).Exec(ctx)
			}
			return err
		})
		for len(seen) > 2 {
			f := k.next("sync.user.delta")
			if f.Data.Action != "remove" {
				t.Fatalf("heard %.100s", f.raw)
			}
			for _, id := range f.ids(s) {
				delete(seen, id)
			}
		}
	})
}
