package modmu_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"airstrip/internal/job"
	"airstrip/internal/node"
)

func (s *site) count(query string, args ...any) int {
	s.Helper()
	var n int
	if err := s.DB.NewRaw(query, args...).Scan(s.Context(), &n); err != nil {
		s.Fatal(err)
	}
	return n
}

// invalidRows returns ten thousand invalid rows with the given valid ones among them.
func invalidRows(good ...string) string {
	rows := append([]string{}, good...)
	for i := range 10_000 - len(good) {
		rows = append(rows, []string{
			fmt.Sprintf(`{"user_id":%d,"u":1,"d":1,"ip":"1.1.1.1","list_id":1}`,
				5000+i), `{"user_id":2,"u":-5,"d":1,"ip":"-","list_id":-1}`,
			`{"user_id":2,"u":9223372036854775808,"d":1,"ip":"999.1.1.1","list_id":9223372036854775808}`,
			`{"user_id":"two","u":1,"d":1,"ip":7,"list_id":"x"}`,
			`{"user_id":1,"u":"x","d":1,"ip":null,"list_id":null}`, `null`, `[]`, `{}`,
			`{"user_id":-9223372036854775809,"u":1,"d":1,"ip":"1.1.1.1","list_id":1}`,
		}[i%9])
	}
	return `{"data":[` + strings.Join(rows, ",") + `]}`
}

func TestReport_ManyInvalidRows_OthersCount(t *testing.T) {
	each(t, func(s *site) {
		rule, err := s.Nodes.Rules.Add(t.Context(), "torrent", "", `torrent`)
		if err != nil {
			t.Fatal(err)
		}
		good := fmt.Sprintf(`{"user_id":1,"u":100,"d":200,"ip":"::ffff:9.9.9.9","list_id":%d}`, rule.ID)
		body := invalidRows(good, good, `{"user_id":2,"u":7,"d":0,"ip":"9.9.9.9","list_id":404}`)
		var answer string
		if err := json.Unmarshal(s.data("ss", "POST", "/users/traffic", body), &answer); err != nil {
			t.Fatal(err)
		}
		if s.Used(1) != 300 || s.Used(2) != 7 || s.Used(3) != 0 {
			t.Errorf("counted %d, %d, %d", s.Used(1), s.Used(2), s.Used(3))
		}
		for _, word := range []string{"took ", " of 10000 rows", "row 7 unreadable", " more"} {
			if !strings.Contains(answer, word) {
				t.Errorf("the answer is %q, without %q", answer, word)
			}
		}
		if len(answer) > 2000 {
			t.Errorf("the answer has %d bytes", len(answer))
		}
		for _, path := range []string{"/users/aliveip", "/users/detectlog", "/func/block_ip"} {
			if answer := s.data("ss", "POST", path, body); !strings.Contains(string(answer), "of 10000 rows") {
				t.Errorf("%s answers %s", path, answer)
			}
		}
		if n := s.count(`SELECT count(*) FROM online_ip WHERE ip = '9.9.9.9'`); n != 2 {
			t.Errorf("%d good addresses", n)
		}
		if n := s.count(`SELECT count(*) FROM online_ip`); n != 2 {
			t.Errorf("%d addresses in all", n)
		}
		if n := s.count(`SELECT sum(count) FROM rule_hit`); n != 2 {
			t.Errorf("%d hits", n)
		}
	})
}

// Values take a hundred times as much memory as in the post.
func TestPost_TooManyValues_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		for _, path := range []string{
			"/users/traffic", "/users/aliveip", "/users/detectlog", "/func/block_ip",
			"/func/speedtest",
		} {
			status, _, got := s.call("ss", "POST", path, `{"data":[`+strings.Repeat("0,", 300_000)+`0]}`)
			s.envelope(status, 413, 0, got)
		}
	})
}

func TestRefusals_HaveCodes(t *testing.T) {
	each(t, func(s *site) {
		got := s.data("ss", "POST", "/users/traffic",
			`{"data":[{"user_id":1,"u":1,"d":1},{"user_id":1,"u":1,"d":1},{"user_id":2,"u":-1,"d":1},{"user_id":77,"u":1,"d":1},{"user_id":2,"u":9223372036854775807,"d":1},"x"]}`)
		if string(got) != `"took 1 of 6 rows; refused: row 6 unreadable, 1 duplicate_user, 2 negative, 77 not_on_list, 2 absurd"` {
			t.Errorf("answered %s", got)
		}
	})
}

func TestReport_EmptyOnlineList_EndsPresence(t *testing.T) {
	each(t, func(s *site) {
		online := func() int {
			n, err := s.Nodes.Presence.DeviceCount(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		const one = `{"data":[{"user_id":1,"ip":"9.9.9.9"}]}`
		s.data("ss", "POST", "/users/aliveip", one)
		s.data("vmess", "POST", "/users/aliveip", `{"data":[{"user_id":1,"ip":"9.9.9.8"}]}`)
		// From XrayR: users who connected since.
		s.data("ss", "POST", "/users/aliveip", `{"data":[{"user_id":2,"ip":"9.9.9.7"}]}`)
		if online() != 2 {
			t.Fatalf("%d online; a report of others is no report of nobody", online())
		}
		s.data("ss", "POST", "/users/aliveip", `{"data":[{"user_id":77,"ip":"1.1.1.1"}]}`)
		if online() != 2 {
			t.Fatal("a report of which nothing was taken is no report of nobody")
		}
		for _, nobody := range []string{`{"data":[]}`, `{"data":null}`} {
			s.data("ss", "POST", "/users/aliveip", one)
			s.data("ss", "POST", "/users/aliveip", nobody)
			if online() != 1 {
				t.Fatalf("%d online after %s", online(), nobody)
			}
		}
		states, err := s.Nodes.Monitor.States(t.Context())
		if err != nil || states[s.IDs["ss"]].OnlineUsers != 0 {
			t.Error("the node still has users", err)
		}
	})
}

func TestRules_AreListedAndHitsCount(t *testing.T) {
	each(t, func(s *site) {
		for _, pattern := range []string{`(?=x)`, ``, `(`, strings.Repeat("x", 1001)} {
			if _, err := s.Nodes.Rules.Add(t.Context(), "bad", "", pattern); err == nil {
				t.Errorf("%.20q was taken; XrayR crashes on what RE2 cannot compile", pattern)
			}
		}
		rule, err := s.Nodes.Rules.Add(t.Context(), "torrent", "no torrents", `(.*\.|^)torrent\.`, 2)
		if err != nil {
			t.Fatal(err)
		}
		status, _, answer := s.call("ss", "GET", "/func/detect_rules", "")
		var rules []struct{ Regex string }
		// Exactly two keys, without exempt_users.
		if err := json.Unmarshal(s.envelope(status, 200, 1, answer), &rules); err != nil {
			t.Fatal(err)
		}
		for _, r := range rules {
			regexp.MustCompile(r.Regex)
		}
		s.Golden("detect-rules.json", answer)
		s.data("ss", "POST", "/users/detectlog",
			fmt.Sprintf(`{"data":[{"list_id":%d,"user_id":1,"ip":"1.1.1.1"},{"list_id":%d,"user_id":1},{"list_id":404,"user_id":1},{"list_id":%[1]d,"user_id":3}]}`, rule.ID, rule.ID))
		if got := s.data("ss", "POST", "/users/detectlog",
			fmt.Sprintf(`{"data":[{"list_id":%d,"user_id":2}]}`, rule.ID)); string(got) != `"took 0 of 1 rows"` {
			t.Errorf("a hit of somebody whom the rule does not stop: %s", got)
		}
		records, total, err := s.Nodes.Rules.HitLog(t.Context(), node.HitFilter{UserID: 1}, 10, 0)
		if err != nil || total != 1 || records[0].Count != 2 || records[0].RuleName != "torrent" ||
			*records[0].NodeName != "ss" {
			t.Fatalf("%+v, %d, %v", records, total, err)
		}
		if n := s.count(`SELECT count(*) FROM rule_hit WHERE user_id <> 1`); n != 0 {
			t.Errorf("%d hits of users who cannot be on the node", n)
		}
	})
}

func TestBlockIP_AddressesAreBlockedAndUnblocked(t *testing.T) {
	each(t, func(s *site) {
		start := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
		now := start
		s.DB.SetClock(func() time.Time { return now })
		if _, err := s.Nodes.Change(t.Context(), s.IDs["trojan"], func(n *node.Node) {
			n.Relays, n.GroupHosts = []node.Relay{{
				Name: "r", Host: "1.2.3.5",
				Port: 443,
			}}, node.GroupHosts{1: {Host: "1.2.3.6"}}
		}); err != nil {
			t.Fatal(err)
		}
		if got := s.data("ss", "POST", "/func/block_ip",
			`{"data":[{"ip":"1.2.3.5"},{"ip":"1.2.3.6"}]}`); string(got) != `"took 0 of 2 rows"` {
			t.Errorf("the way that all users of a node come by was blocked: %s", got)
		}
		if got := s.data("ss", "POST", "/func/block_ip",
			`{"data":[{"ip":"8.8.4.4"},{"ip":"8.8.4.4"},{"ip":"; rm -rf /"},{"ip":"127.0.0.1"},{"ip":"10.0.0.1"},{"ip":"1.2.3.4"},{"ip":"::ffff:9.9.9.9"}]}`); string(got) != `"took 2 of 7 rows"` {
			t.Errorf("answered %s", got) // 1.2.3.4 is the address of a node.
		}
		ips := func(path string) (ips []string) {
			var rows []struct{ IP string }
			if err := json.Unmarshal(s.data("trojan", "GET", path, ""), &rows); err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				ips = append(ips, r.IP)
			}
			return ips
		}
		if got := ips("/func/block_ip"); strings.Join(got, " ") != "8.8.4.4 9.9.9.9" {
			t.Errorf("blocked %v", got)
		}
		_, _, answer := s.call("trojan", "GET", "/func/block_ip", "")
		s.Golden("block-ip.json", answer)
		if err := s.Nodes.Blocklist.Unblock(t.Context(), "8.8.4.4"); err != nil {
			t.Fatal(err)
		}
		if err := s.Nodes.Blocklist.Unblock(t.Context(), "8.8.4.4"); !errors.Is(err, node.ErrNotBlocked) {
			t.Errorf("a second time: %v", err)
		}
		_, _, answer = s.call("trojan", "GET", "/func/unblock_ip", "")
		s.Golden("unblock-ip.json", answer)
		now = now.Add(time.Minute + time.Second)
		if b, u := ips("/func/block_ip"), ips("/func/unblock_ip"); len(b)+len(u) != 0 {
			t.Errorf("after a minute %v and %v", b, u)
		}
		now = start.Add(25 * time.Hour)
		queue := job.New(s.DB)
		s.Nodes.Register(queue)
		if err := queue.Trigger(t.Context(), "node.unblock"); err != nil {
			t.Fatal(err)
		}
		if got := ips("/func/unblock_ip"); strings.Join(got, " ") != "9.9.9.9" {
			t.Errorf("after a day %v are let go", got)
		}
	})
}

func TestSpeedTest_LatestIsStored(t *testing.T) {
	each(t, func(s *site) {
		const one = `{"telecomping":"31.2","telecomeupload":"80","telecomedownload":"90","unicomping":"1","unicomupload":"2","unicomdownload":"3","cmccping":"4","cmccupload":"5","cmccdownload":"%d"}`
		for i := range 30 {
			if got := s.data("ss", "POST", "/func/speedtest",
				`{"data":[`+fmt.Sprintf(one, i)+`]}`); string(got) != `"ok"` {
				t.Fatalf("answered %s", got)
			}
		}
		if got := s.data("ss", "POST", "/func/speedtest",
			`{"data":[{"unknown":"1"},{"cmccping":"`+strings.Repeat("9",
				65)+`"},{},{"cmccping":4},{"cmccping":"\u0000"}]}`); string(got) != `"took 0 of 5 rows"` {
			t.Errorf("answered %s", got)
		}
		tests, err := s.Nodes.Monitor.SpeedTests(t.Context(), s.IDs["ss"])
		if err != nil || len(tests) != 20 || tests[0].Results["cmccdownload"] != "29" ||
			tests[0].Results["telecomping"] != "31.2" {
			t.Errorf("%d tests, %v", len(tests), err)
		}
	})
}

// On an error at its start XrayR exits, with all of its nodes. Later it keeps its state.
func TestDatabaseAway_LastAnswersAreRepeated(t *testing.T) {
	each(t, func(s *site) {
		info := fmt.Sprintf("/nodes/%d/info", s.IDs["reality"])
		_, _, infoBefore := s.call("reality", "GET", info, "")
		_, header, usersBefore := s.call("reality", "GET", "/users", "")
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		if status, _, got := s.call("reality", "GET", info, ""); status != 200 || string(got) != string(infoBefore) {
			t.Errorf("info: %d %s", status, got)
		}
		if status, _, got := s.call("reality", "GET", "/users", ""); status != 200 ||
			string(got) != string(usersBefore) {
			t.Errorf("users: %d %s", status, got)
		}
		if status, _, _ := s.call("reality", "GET", "/users", "", "If-None-Match", header.Get("ETag")); status != 304 {
			t.Errorf("users with the ETag: %d", status)
		}
		status, _, got := s.call("ss", "GET", "/users", "") // Never requested before.
		s.envelope(status, 200, 0, got)
		status, _, got = s.call("reality", "POST", "/users/traffic", `{"data":[{"user_id":1,"u":1,"d":1}]}`)
		s.envelope(status, 200, 0, got) // An error, so that the agent keeps its counters.
		status, _, got = s.raw("GET", "/mod_mu/users?key=guess", "")
		s.envelope(status, 200, 0, got)
	})
}
