package agent_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"airstrip/internal/node"
	"airstrip/internal/service"
)

// testAgent is the agent's side of the device limit: it admits no address without a slot and cuts those that the server
// names.
type testAgent struct {
	*site
	secret  string
	devices *admittedDevices
}

// admittedDevices holds the addresses that are admitted on all nodes, and the maximum number at one time.
type admittedDevices struct {
	mu       sync.Mutex
	in       map[string]bool // false while it waits.
	maxCount int
}

func (c *admittedDevices) ask(ip string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.in[ip] {
		c.in[ip] = false
	}
}

// enter admits the address, unless it was to be cut before the answer arrived.
func (c *admittedDevices) enter(ip string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, asks := c.in[ip]; !asks {
		return false
	}
	c.in[ip] = true
	c.maxCount = max(c.maxCount, len(c.inside()))
	return true
}

func (c *admittedDevices) leave(ip string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.in, ip)
}

func (c *admittedDevices) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inside()
}

func (c *admittedDevices) inside() (ips []string) {
	for ip, in := range c.in {
		if in {
			ips = append(ips, ip)
		}
	}
	slices.Sort(ips)
	return ips
}

type admission struct {
	Admitted bool
	Drop     []string
}

func (e *testAgent) post(body string) (out admission) {
	status, _, got := e.call("POST", "devices", body, "Authorization", "Bearer "+e.secret)
	if err := json.Unmarshal(got, &out); err != nil || status != 200 {
		e.Errorf("%s: %d %s", body, status, got)
	}
	return out
}

// connect requests a slot until it is decided, as the agent does, and reports whether the address is admitted.
func (e *testAgent) connect(userID int64, ip string) bool {
	var gone []string
	for range 20 {
		text, _ := json.Marshal(gone)
		e.devices.ask(ip)
		out := e.post(fmt.Sprintf(`{"user_id":%d,"ip":%q,"gone":%s}`, userID, ip, text))
		for _, old := range out.Drop {
			e.devices.leave(old)
		}
		if out.Admitted && e.devices.enter(ip) {
			return true
		}
		if gone = out.Drop; !out.Admitted && len(gone) == 0 {
			return false
		}
	}
	return false
}

// followDrops follows the stream and cuts the addresses that it names.
func (e *testAgent) followDrops() {
	req, _ := http.NewRequestWithContext(e.Context(), "GET", fmt.Sprintf("%schanges?since=%d", e.URL, e.revision()),
		nil)
	req.Header.Set("Authorization", "Bearer "+e.secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		e.Fatal(res, err)
	}
	e.Cleanup(func() { res.Body.Close() })
	go func() {
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			var l struct {
				Drop []struct {
					UserID int64 `json:"user_id"`
					IPs    []string
				}
			}
			json.Unmarshal(scan.Bytes(), &l)
			for _, d := range l.Drop {
				for _, ip := range d.IPs {
					e.devices.leave(ip)
				}
				text, _ := json.Marshal(d.IPs)
				if err := e.confirm(fmt.Sprintf(`{"user_id":%d,"gone":%s}`, d.UserID, text)); err != nil &&
					e.Context().Err() == nil {
					e.Error(err)
				}
			}
		}
	}()
}

// confirm posts what the stream made the agent do. The test may end meanwhile.
func (e *testAgent) confirm(body string) error {
	req, err := http.NewRequestWithContext(e.Context(), "POST", e.URL+"devices", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+e.secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("%s: %s", body, res.Status)
	}
	return nil
}

// limited returns user 3 a service with so many devices, and returns two agents.
func (s *site) limited(devices int) (a, b *testAgent) {
	s.Helper()
	s.Give(service.Terms{UserID: 3, Devices: &devices})
	draft := node.Draft("HK 02", node.Shadowsocks, "hk2.example", 443)
	draft.Settings.Method = "aes-128-gcm"
	s.Add(draft)
	c := &admittedDevices{in: map[string]bool{}}
	return &testAgent{s, s.secret, c}, &testAgent{s, s.Keys[draft.Name], c}
}

func TestDevices_LimitHoldsOverAllNodes(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		a, b := s.limited(3)
		a.followDrops()
		b.followDrops()
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { []*testAgent{a, b}[i%2].connect(3, fmt.Sprintf("127.0.0.%d", i+1)) })
		}
		wg.Wait()
		if in := a.devices.names(); a.devices.maxCount != 3 || len(in) != 3 {
			t.Fatalf("of 20 addresses at once %v are in, and once there were %d", in, a.devices.maxCount)
		}
		if devices, err := s.Nodes.Presence.DeviceCount(t.Context(), 3); err != nil || devices != 3 {
			t.Fatalf("the server knows of %d, %v", devices, err)
		}
	})
}

func TestDevices_OldestIsCutFirst(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		now := time.Now()
		var mu sync.Mutex
		s.DB.SetClock(func() time.Time { mu.Lock(); defer mu.Unlock(); return now })
		pass := func(d time.Duration) { mu.Lock(); now = now.Add(d); mu.Unlock() }
		a, b := s.limited(2)
		a.followDrops()
		b.followDrops()
		for i, e := range []*testAgent{a, b, a} {
			if !e.connect(3, fmt.Sprintf("127.0.0.%d", i+1)) {
				t.Fatalf("address %d was refused", i+1)
			}
			pass(time.Second)
		}
		if in := a.devices.names(); !slices.Equal(in, []string{"127.0.0.2", "127.0.0.3"}) {
			t.Fatalf("in are %v", in)
		}
		if a.connect(3, "127.0.0.1") {
			t.Error("the one that was sent away sent away another at once")
		}
		if !a.connect(3, "127.0.0.2") || !b.connect(3, "127.0.0.3") {
			t.Error("addresses with a place were refused, on the other node")
		}
		pass(61 * time.Second)
		if !b.connect(3, "127.0.0.1") || !slices.Equal(a.devices.names(), []string{"127.0.0.1", "127.0.0.3"}) {
			t.Errorf("a minute later in are %v", a.devices.names())
		}
		pass(91 * time.Second)
		if !a.connect(3, "127.0.0.9") || !a.connect(3, "127.0.0.8") {
			t.Error("places that nobody has held for 90 s are not free")
		}
		if !a.connect(1, "127.0.0.7") {
			t.Error("a user without a limit was refused")
		}
		if out := a.post(`{"user_id":99,"ip":"127.0.0.7"}`); out.Admitted {
			t.Error("an unknown user was admitted")
		}
	})
}

func TestDevices_AgentDoesNotCut_KeepsSlot(t *testing.T) {
	eachWithTimeout(t, time.Second, func(s *site) {
		t := s.TB
		a, b := s.limited(1)
		if !a.connect(3, "127.0.0.1") {
			t.Fatal("the first was refused")
		}
		if b.connect(3, "127.0.0.2") {
			t.Error("a second address is in while the first was not cut")
		}
		a.followDrops() // The message waits for it.
		deadline := time.Now().Add(time.Minute)
		for len(a.devices.names()) > 0 && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if !b.connect(3, "127.0.0.2") || a.devices.maxCount != 1 {
			t.Errorf("in are %v, at most %d", a.devices.names(), a.devices.maxCount)
		}
	})
}

func TestDevices_ThirdPartyNodes_HoldSlots(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		a, _ := s.limited(2)
		draft := node.Draft("foreign", node.Shadowsocks, "f.example", 443)
		draft.Settings.Method = "aes-128-gcm"
		foreign := s.Add(draft)
		online := func(ips ...string) {
			var rows []node.OnlineIP
			for _, ip := range ips {
				rows = append(rows, node.OnlineIP{UserID: 3, IP: ip})
			}
			s.setOnline(foreign, rows)
		}
		a.followDrops()
		online("10.0.0.1")
		if !a.connect(3, "127.0.0.1") || !a.connect(3, "127.0.0.2") || len(a.devices.names()) != 1 {
			t.Fatalf("with one place held elsewhere in are %v", a.devices.names())
		}
		online("10.0.0.1", "10.0.0.2") // Two devices there leave no slot for ours.
		deadline := time.Now().Add(time.Minute)
		for len(a.devices.names()) > 0 {
			if time.Now().After(deadline) {
				t.Fatalf("still in are %v", a.devices.names())
			}
			time.Sleep(10 * time.Millisecond)
		}
		if a.connect(3, "127.0.0.3") {
			t.Error("a third address is admitted with two that nobody can cut")
		}
	})
}

func TestDevices_Heartbeats_ExtendSlotsOnly(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		a, b := s.limited(1)
		a.followDrops()
		now := time.Now()
		var mu sync.Mutex
		s.DB.SetClock(func() time.Time { mu.Lock(); defer mu.Unlock(); return now })
		beat := func(ip string) {
			if status := first(s.call("POST", "status",
				fmt.Sprintf(`{"boot":"b","online":[{"user_id":3,"ips":[%q]}]}`, ip))); status != 200 {
				t.Fatal(status)
			}
		}
		a.connect(3, "127.0.0.1")
		for range 6 {
			mu.Lock()
			now = now.Add(20 * time.Second)
			mu.Unlock()
			beat("127.0.0.1")
		}
		if devices, err := s.Nodes.Presence.DeviceCount(t.Context(), 3); err != nil || devices != 1 {
			t.Fatalf("after two minutes of heartbeats %d addresses are online, %v", devices, err)
		}
		if !b.connect(3, "127.0.0.2") {
			t.Fatal("a new address was refused")
		}
		beat("127.0.0.1") // It was in flight.
		if b.connect(3, "127.0.0.2"); !slices.Equal(a.devices.names(), []string{"127.0.0.2"}) {
			t.Errorf("in are %v", a.devices.names())
		}
		if devices, err := s.Nodes.Presence.DeviceCount(t.Context(), 3); err != nil || devices != 1 {
			t.Errorf("%d addresses are online, %v", devices, err)
		}
	})
}

// A node without the server applies the limit on its own. Meanwhile the slots of its addresses are given to others.
func TestDevices_NodeReconnects_LimitHoldsAgain(t *testing.T) {
	each(t, func(s *site) {
		t := s.TB
		now := time.Now()
		var mu sync.Mutex
		s.DB.SetClock(func() time.Time { mu.Lock(); defer mu.Unlock(); return now })
		a, b := s.limited(2)
		a.connect(3, "127.0.0.1")
		a.connect(3, "127.0.0.2")
		mu.Lock()
		now = now.Add(10 * time.Minute)
		mu.Unlock()
		if !b.connect(3, "127.0.0.3") || !b.connect(3, "127.0.0.4") {
			t.Fatal("places that nobody has held for ten minutes are not free")
		}
		a.followDrops()
		b.followDrops()
		beat := func(e *testAgent, ips string) {
			if status, _, got := e.call("POST", "status", `{"boot":"b","online":[{"user_id":3,"ips":[`+ips+`]}]}`,
				"Authorization", "Bearer "+e.secret); status != 200 {
				t.Fatalf("%d %s", status, got)
			}
		}
		beat(a, `"127.0.0.1","127.0.0.2"`)
		beat(b, `"127.0.0.3","127.0.0.4"`)
		deadline := time.Now().Add(time.Minute)
		for len(a.devices.names()) > 2 && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if in := a.devices.names(); len(in) != 2 {
			t.Errorf("of two places there are %v", in)
		}
	})
}

func (s *site) setOnline(n node.Node, rows []node.OnlineIP) {
	s.Helper()
	if _, err := s.Nodes.Presence.SetOnline(s.Context(), n, rows); err != nil {
		s.Fatal(err)
	}
}
