package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"airstrip/internal/node"
)

func TestStatus_IsStoredAsHealth(t *testing.T) {
	each(t, func(s *site) {
		status, _, body := s.call("POST", "status", `{"boot":"b","version":"1.0","revision":3,"uptime_seconds":12,"load":[0.1,0.2,0.3],"cpu":0.125,"memory":7,
			"up_bps":10,"down_bps":20,"connections":4,"online":[{"user_id":1,"ips":["1.2.3.4","::ffff:1.2.3.4","2001:db8::1","nonsense"]},{"user_id":2,"ips":["1.2.3.4"]}]}`)
		if status != 200 || string(body) != "{}" {
			t.Fatal(status, string(body))
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		st := states[s.node.ID]
		if st.Version != "1.0" || st.CPUPermille != 125 || st.MemoryPermille != 1000 || st.OnlineUsers != 2 ||
			st.Load[2] != 0.3 {
			t.Fatalf("kept %+v", st)
		}
		for silent, want := range map[time.Duration]node.Health{
			0: node.Online, 89 * time.Second: node.Online,
			91 * time.Second: node.Late, 301 * time.Second: node.Offline,
		} {
			if got := st.Health(st.SeenAt.Add(silent)); got != want {
				t.Errorf("after %s: %s", silent, got)
			}
		}
		if devices, err := s.Nodes.Presence.DeviceCount(t.Context(), 1); err != nil || devices != 2 {
			t.Fatalf("user 1 is at %d addresses, %v", devices, err)
		}
	})
}

// Heartbeats name connected users every 20 s. A lost heartbeat, or a restart of the server, makes nobody appear
// offline.
func TestStatus_Address_IsOnlineWhileHeartbeatsNameIt(t *testing.T) {
	each(t, func(s *site) {
		began := time.Now()
		now := began
		s.DB.SetClock(func() time.Time { return now })
		at := func(second int, online string) {
			now = began.Add(time.Duration(second) * time.Second)
			if status, _, body := s.call("POST", "status", `{"boot":"b","online":[`+online+`]}`); status != 200 {
				t.Fatal(status, string(body))
			}
		}
		devices := func(want int) {
			t.Helper()
			if got, err := s.Nodes.Presence.DeviceCount(t.Context(), 1); err != nil || got != want {
				t.Errorf("after %s user 1 is at %d addresses instead of %d, %v", now.Sub(began), got, want, err)
			}
		}
		home, office := `{"user_id":1,"ips":["192.0.2.1"]}`, `{"user_id":1,"ips":["192.0.2.2"]}`
		for second := 0; second <= 600; second += 20 {
			if second%140 == 60 {
				now = began.Add(time.Duration(second+19) * time.Second) // This one is lost.
			} else if at(second, home); second > 300 {
				at(second, home+`,`+office)
			}
			devices(1 + min(1, second/301))
		}
		at(620, home)
		devices(2) // It may have left a moment ago.
		for second := 640; second <= 720; second += 20 {
			at(second, home)
		}
		devices(1)
		at(740, home+`,`+office)
		devices(2) // It is back.
	})
}

func TestStatus_UsersOfOtherNodes_AreIgnored(t *testing.T) {
	each(t, func(s *site) {
		if status, _, body := s.call("POST", "status",
			`{"boot":"b","online":[{"user_id":1,"ips":["192.0.2.1"]},{"user_id":3,"ips":["192.0.2.3"]},{"user_id":999,"ips":["192.0.2.9"]}]}`); status != 200 {
			t.Fatal(status, string(body))
		}
		online, err := s.Nodes.Presence.OnlineOn(t.Context(), s.node.ID)
		if err != nil || len(online) != 1 || online[0].UserID != 1 {
			t.Errorf("online are %+v, %v", online, err)
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil || states[s.node.ID].OnlineUsers != 1 {
			t.Errorf("%+v, %v", states, err)
		}
	})
}

// One report must not fill the database or block other writers.
func TestStatus_OnlineAddresses_AreBounded(t *testing.T) {
	each(t, func(s *site) {
		var ips []string
		for i := range 50_000 {
			ips = append(ips, fmt.Sprintf(`"10.0.%d.%d"`, i>>8, i&255))
		}
		body := `{"boot":"b","online":[{"user_id":3,"ips":[` + strings.Join(ips, ",") +
			`]},{"user_id":1,"ips":["192.0.2.1"]}]}`
		if status, _, body := s.call("POST", "status", body); status != 200 {
			t.Fatal(status, string(body))
		}
		if online, err := s.Nodes.Presence.OnlineOn(t.Context(), s.node.ID); err != nil || len(online) != 0 {
			t.Errorf("what stood behind 50,000 addresses was kept: %+v, %v", online, err)
		}
	})
}

func TestStatus_AbsurdValues_AreBounded(t *testing.T) {
	each(t, func(s *site) {
		body := fmt.Sprintf(`{"boot":"a\u0000b","version":%q,"revision":-4,"uptime_seconds":-99,"load":[1e308,-1,0.5],"cpu":-3,"memory":99,"up_bps":9223372036854775807,"down_bps":-5,"connections":-9,"online":[]}`,
			strings.Repeat("中", 40))
		if status, _, body := s.call("POST", "status", body); status != 200 {
			t.Fatal(status, string(body))
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		st := states[s.node.ID]
		if st.Boot != "ab" || st.Version != strings.Repeat("中", 21) {
			t.Errorf("boot %q, version %q", st.Boot, st.Version)
		}
		if st.Revision != 0 || st.UptimeSeconds != 0 || st.UpBPS != 1<<53 || st.DownBPS != 0 || st.Connections != 0 ||
			st.CPUPermille != 0 || st.MemoryPermille != 1000 || st.Load[0] > 1e6 || st.Load[1] != 0 ||
			st.Load[2] != 0.5 {
			t.Errorf("kept %+v", st)
		}
	})
}
