package agent_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/api/agent"
	"airstrip/internal/api/nodetest"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
)

// site is a server with one node and three users: 1 and 2 may use it, 3 has no service.
type site struct {
	nodetest.Site
	node   node.Node
	secret string
}

const quota = int64(1 << 30)

func each(t *testing.T, test func(s *site)) { eachWithTimeout(t, time.Minute, test) }

// eachWithTimeout bounds how long addresses wait until another node has cut an older one.
func eachWithTimeout(t *testing.T, placeWithin time.Duration, test func(s *site)) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &site{Site: nodetest.Open(t, d)}
		draft := node.Draft("HK 01", node.VLESS, "hk.example", 443)
		draft.RatePermille, draft.Class = 2000, 1
		draft.Settings = node.Settings{
			Security: "reality", Flow: "xtls-rprx-vision",
			Reality: &node.Reality{Dest: "127.0.0.1:8443", ServerNames: []string{"www.example"}},
		}
		s.node = s.Add(draft)
		s.secret = s.Keys[draft.Name]
		s.start(1)
		s.start(2)
		done := make(chan struct{})
		go func() { defer close(done); d.Follow(t.Context()) }()
		t.Cleanup(func() { <-done })
		mux := http.NewServeMux()
		agent.RegisterWaiting(mux, s.Nodes, s.Traffic, s.Settings, placeWithin)
		s.Serve(mux)
		s.URL += "/api/agent/v1/"
		test(s)
	})
}

func (s *site) start(userID int64) {
	s.Helper()
	s.Give(service.Terms{UserID: userID, QuotaBytes: new(quota)})
}

// call sends a request with the secret of the node.
func (s *site) call(method, path, body string, headers ...string) (int, http.Header, []byte) {
	s.Helper()
	return s.Send(method, path, body, append([]string{"Authorization", "Bearer " + s.secret}, headers...)...)
}

func (s *site) report(body string) (int, map[string]any) {
	s.Helper()
	status, _, got := s.call("POST", "reports", body, digestOf(body)...)
	var out map[string]any
	if err := json.Unmarshal(got, &out); err != nil {
		s.Fatalf("%d %s", status, got)
	}
	return status, out
}

// digestOf returns the digest header of a report.
func digestOf(body string) []string {
	sum := sha256.Sum256([]byte(body))
	return []string{"Content-Digest", "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"}
}

func batch(boot uuid.UUID, sequence int, rows string) string {
	now := time.Now().UTC()
	return fmt.Sprintf(`{"boot":%q,"sequence":%d,"from":%q,"to":%q,"rows":[%s]}`, boot, sequence,
		now.Add(-time.Minute).Format(time.RFC3339), now.Format(time.RFC3339), rows)
}

type line struct {
	Revision int64
	Node     *struct {
		ID            int64
		Name          string
		Port          int
		Settings      node.Settings
		ReportSeconds int `json:"report_seconds"`
		Forwards      []node.Forward
	}
	Users []struct {
		ID        int64
		UUID      uuid.UUID
		Password  string
		Remaining *int64
	}
	Removed []int64
	Rules   []struct {
		ID      int64
		Pattern string
		Exempt  []int64
	}
	Blocked   []string
	Unblocked []string
	Heartbeat bool
	Reset     bool
}

func TestSnapshot_IsCompleteAndHasETag(t *testing.T) {
	each(t, func(s *site) {
		status, header, body := s.call("GET", "snapshot", "")
		var got line
		if err := json.Unmarshal(body, &got); err != nil || status != 200 {
			t.Fatal(status, string(body))
		}
		if got.Node.ID != s.node.ID || got.Node.Port != 443 || got.Node.Settings.Reality.PrivateKey == "" ||
			got.Node.ReportSeconds != 60 {
			t.Fatalf("the node is %+v", got.Node)
		}
		if len(got.Users) != 2 || got.Users[0].ID != 1 || got.Users[1].ID != 2 || *got.Users[0].Remaining != quota/2 {
			t.Fatalf("the users are %+v; half the quota is raw bytes at rate 2", got.Users)
		}
		for _, must := range []string{`"rules":[]`, `"blocked":[]`, `"speed_mbps":null`, `"device_limit":null`} {
			if !strings.Contains(string(body), must) {
				t.Errorf("the snapshot lacks %s", must)
			}
		}
		if status, _, body := s.call("GET", "snapshot", "", "If-None-Match", header.Get("ETag")); status != 304 ||
			len(body) != 0 {
			t.Fatalf("with its ETag: %d %q", status, body)
		}
	})
}

func TestSecret_Wrong_IsRefusedBeforeAnythingElse(t *testing.T) {
	each(t, func(s *site) {
		for _, secret := range []string{"", "x", s.secret + "x"} {
			s.secret = secret
			for _, path := range []string{"GET snapshot", "GET changes", "POST reports", "POST status"} {
				method, path, _ := strings.Cut(path, " ")
				status, _, body := s.call(method, path, "")
				var failure struct{ Code, Message string }
				if json.Unmarshal(body, &failure); status != 401 || failure.Code != "bad_secret" ||
					failure.Message == "" {
					t.Errorf("%s with secret %q: %d %s", path, secret, status, body)
				}
			}
		}
	})
}

func TestSecret_Rotated_OldOneIsValidForItsTime(t *testing.T) {
	each(t, func(s *site) {
		old := s.secret
		fresh, err := s.Nodes.Secrets.Rotate(t.Context(), s.node.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{old, fresh} {
			if s.secret = secret; first(s.call("GET", "snapshot", "")) != 200 {
				t.Fatal("a good secret was refused")
			}
		}
		now := time.Now().Add(2 * time.Hour)
		s.DB.SetClock(func() time.Time { return now })
		if s.secret = old; first(s.call("GET", "snapshot", "")) != 401 {
			t.Fatal("the old secret is good after its time")
		}
		if _, err := s.Nodes.Secrets.Rotate(t.Context(), s.node.ID, 0); err != nil {
			t.Fatal(err)
		}
		if s.secret = fresh; first(s.call("GET", "snapshot", "")) != 401 {
			t.Fatal("a secret that was replaced at once is still good")
		}
	})
}

// A stream with a leaked secret must end when the secret is replaced.
func TestStream_SecretEnds_StreamEnds(t *testing.T) {
	each(t, func(s *site) {
		since := s.revision()
		lines := s.stream(since)
		s.next(lines)
		fresh, err := s.Nodes.Secrets.Rotate(t.Context(), s.node.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		s.start(3)
		if l := s.next(lines); len(l.Users) != 1 {
			t.Fatalf("while it is honoured %+v", l)
		}
		s.secret = fresh
		present := s.stream(since)
		s.next(present)
		if _, err := s.Nodes.Secrets.Rotate(t.Context(), s.node.ID, 0); err != nil {
			t.Fatal(err)
		}
		s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.SetBanned(ctx, tx, 2, true) })
		for name, lines := range map[string]<-chan line{"honoured": lines, "present": present} {
			select {
			case l, ok := <-lines:
				if ok {
					t.Errorf("the stream of the %s secret goes on with %+v", name, l)
				}
			case <-time.After(time.Minute):
				t.Errorf("the stream of the %s secret is still open", name)
			}
		}
	})
}

func first(status int, _ http.Header, _ []byte) int { return status }

// stream opens the stream of changes and returns a channel with its lines.
func (s *site) stream(since int64) <-chan line {
	s.Helper()
	req, _ := http.NewRequestWithContext(s.Context(), "GET", fmt.Sprintf("%schanges?since=%d", s.URL, since), nil)
	req.Header.Set("Authorization", "Bearer "+s.secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		s.Fatal(res, err)
	}
	s.Cleanup(func() { res.Body.Close() })
	lines := make(chan line, 100)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			var l line
			if json.Unmarshal(scan.Bytes(), &l) == nil {
				lines <- l
			}
		}
	}()
	return lines
}

// next returns the next line that is not a heartbeat.
func (s *site) next(lines <-chan line) line {
	s.Helper()
	for deadline := time.After(time.Minute); ; {
		select {
		case l, ok := <-lines:
			if !ok {
				s.Fatal("the stream ended")
			}
			if !l.Heartbeat {
				return l
			}
		case <-deadline:
			s.Fatal("no line")
		}
	}
}

func (s *site) revision() int64 {
	s.Helper()
	var got line
	_, _, body := s.call("GET", "snapshot", "")
	if err := json.Unmarshal(body, &got); err != nil {
		s.Fatal(err)
	}
	return got.Revision
}

func TestStream_SendsOnlyChanges(t *testing.T) {
	each(t, func(s *site) {
		lines := s.stream(s.revision())
		if l := s.next(lines); l.Node == nil || len(l.Users) > 0 || len(l.Removed) > 0 {
			t.Fatalf("the first line is %+v", l)
		}
		s.start(3)
		if l := s.next(lines); len(l.Users) != 1 || l.Users[0].ID != 3 || len(l.Users[0].Password) < 20 ||
			*l.Users[0].Remaining != quota/2 || l.Node != nil {
			t.Fatalf("a new user came as %+v", l)
		}
		s.Do(func(ctx context.Context, tx bun.Tx) error { return s.Services.SetBanned(ctx, tx, 2, true) })
		if l := s.next(lines); !slices.Equal(l.Removed, []int64{2}) || len(l.Users) > 0 {
			t.Fatalf("a ban came as %+v", l)
		}
		rule, err := s.Nodes.Rules.Add(t.Context(), "no mail", "", `:25$`, 2)
		if err != nil {
			t.Fatal(err)
		}
		if l := s.next(lines); len(l.Rules) != 1 || l.Rules[0].Pattern != ":25$" ||
			!slices.Equal(l.Rules[0].Exempt, []int64{2}) {
			t.Fatalf("a rule came as %+v", l)
		}
		if err := s.Nodes.Rules.Remove(t.Context(), rule.ID); err != nil {
			t.Fatal(err)
		}
		if l := s.next(lines); l.Rules == nil || len(l.Rules) != 0 {
			t.Fatalf("the removal of the last rule came as %+v", l)
		}
		for range 2 { // Two nodes may request the same.
			if _, err := s.Nodes.Blocklist.Block(t.Context(), s.node, []string{"8.8.8.8", "10.0.0.1"}); err != nil {
				t.Fatal(err)
			}
			if l := s.next(lines); !slices.Equal(l.Blocked, []string{"8.8.8.8"}) || len(l.Unblocked) > 0 {
				t.Fatalf("a blocked address came as %+v", l)
			}
		}
		var all line
		_, _, body := s.call("GET", "snapshot", "")
		if err := json.Unmarshal(body, &all); err != nil || !slices.Equal(all.Blocked, []string{"8.8.8.8"}) {
			t.Fatalf("the snapshot says that blocked are %v, %v", all.Blocked, err)
		}
		if err := s.Nodes.Blocklist.Unblock(t.Context(), "8.8.8.8"); err != nil {
			t.Fatal(err)
		}
		if l := s.next(lines); !slices.Equal(l.Unblocked, []string{"8.8.8.8"}) || len(l.Blocked) > 0 {
			t.Fatalf("an address that was let go came as %+v", l)
		}
		if _, err := s.Nodes.Change(t.Context(), s.node.ID, func(n *node.Node) { n.Name = "HK 02" }); err != nil {
			t.Fatal(err)
		}
		if l := s.next(lines); l.Node == nil || l.Node.Name != "HK 02" ||
			l.Node.Settings.Reality.PrivateKey != s.node.Settings.Reality.PrivateKey {
			t.Fatalf("a change of the node came as %+v", l)
		}
		if err := s.Settings.Set(t.Context(),
			map[string]json.RawMessage{"node_report_seconds": []byte("5")}); err != nil {
			t.Fatal(err)
		}
		if l := s.next(lines); l.Node == nil || l.Node.ReportSeconds != 5 {
			t.Fatalf("a change of the settings came as %+v", l)
		}
		if _, err := s.Nodes.Change(t.Context(), s.node.ID, func(n *node.Node) { n.Class = 2 }); err != nil {
			t.Fatal(err)
		}
		if l := s.next(lines); !l.Reset {
			t.Fatalf("another class came as %+v", l)
		}
		if _, open := <-lines; open {
			t.Fatal("the stream goes on after a reset")
		}
	})
}

func TestQuota_UsedUp_ReachesAllNodes(t *testing.T) {
	each(t, func(s *site) {
		lines := s.stream(s.revision())
		s.next(lines)
		status, out := s.report(batch(uuid.New(), 1,
			fmt.Sprintf(`{"user_id":1,"up":1,"down":%d},{"user_id":2,"up":1,"down":1}`, quota/2)))
		if stop, _ := out["stop"].([]any); status != 200 || out["result"] != "counted" || len(stop) != 1 ||
			stop[0] != 1.0 {
			t.Fatalf("the report was answered %d %v", status, out)
		}
		if l := s.next(lines); !slices.Equal(l.Removed, []int64{1}) {
			t.Fatalf("it was sent as %+v", l)
		}
		s.Do(func(ctx context.Context, tx bun.Tx) error {
			_, err := s.Services.AddPackage(ctx, tx,
				service.PackageTerms{UserID: 1, Name: "more", Kind: service.Bought, Bytes: 1000})
			return err
		})
		if l := s.next(lines); len(l.Users) != 1 || *l.Users[0].Remaining != 500 {
			t.Fatalf("a package came as %+v", l)
		}
	})
}

func TestChanges_Poll_GivesSameAndEnds(t *testing.T) {
	each(t, func(s *site) {
		since := s.revision()
		poll := func(since int64) []byte {
			_, _, body := s.call("GET", fmt.Sprintf("changes?poll=1&since=%d", since), "")
			return body
		}
		if body := poll(since); len(body) != 0 {
			t.Fatalf("nothing changed, but: %s", body)
		}
		s.start(3)
		var l line
		if err := json.Unmarshal(poll(since), &l); err != nil || len(l.Users) != 1 || l.Revision <= since {
			t.Fatalf("polled %+v, %v", l, err)
		}
		for _, wrong := range []int64{0, -1, l.Revision + 1} {
			if body := string(poll(wrong)); strings.TrimSpace(body) != `{"reset":true}` {
				t.Errorf("since %d: %s", wrong, body)
			}
		}
		if status := first(s.call("GET", "changes?since=x", "")); status != 422 {
			t.Errorf("a revision that is none: %d", status)
		}
	})
}

func TestReport_SentTwice_CountsOnce(t *testing.T) {
	each(t, func(s *site) {
		boot := uuid.New()
		body := batch(boot, 1, `{"user_id":1,"up":100,"down":2000}`)
		for i, want := range []string{"counted", "already_counted", "already_counted"} {
			if status, out := s.report(body); status != 200 || out["result"] != want {
				t.Fatalf("sent %d times: %d %v", i+1, status, out)
			}
		}
		if used := s.Used(1); used != 4200 {
			t.Fatalf("counted %d, want (100 + 2000) × 2", used)
		}
		if status, out := s.report(batch(boot, 1, `{"user_id":1,"up":5,"down":5}`)); status != 409 ||
			out["code"] != "batch_conflict" {
			t.Fatalf("the same sequence with another body: %d %v", status, out)
		}
		if status, out := s.report(fmt.Sprintf(`{"boot":%q,"sequence":2,"from":"2020-01-01T00:00:00Z","to":"2020-01-01T00:01:00Z","rows":[]}`, boot)); status != 410 || out["code"] != "batch_too_old" {
			t.Fatalf("years late: %d %v", status, out)
		}
		if used := s.Used(1); used != 4200 {
			t.Fatalf("refused reports were counted: %d", used)
		}
	})
}

func TestReport_InvalidRows_AreNamedAndOthersCount(t *testing.T) {
	each(t, func(s *site) {
		status, out := s.report(batch(uuid.New(), 1, `{"user_id":1,"up":10,"down":0},{"user_id":1,"up":10,"down":0},{"user_id":2,"up":-1,"down":0},
			{"user_id":3,"up":1,"down":1},{"user_id":99,"up":1,"down":1},{"user_id":2,"up":0,"down":9007199254740993},{"user_id":2,"up":99999999999999999999,"down":0},
			{"user_id":-1,"up":1,"down":1},{"user_id":2,"up":3,"down":4}`))
		var codes []string
		for _, r := range out["refused"].([]any) {
			codes = append(codes, fmt.Sprintf("%v %v", r.(map[string]any)["user_id"], r.(map[string]any)["code"]))
		}
		want := []string{
			"1 duplicate_user", "2 negative", "3 not_on_list", "99 not_on_list", "2 absurd", "2 absurd",
			"-1 not_on_list",
		}
		if status != 200 || !slices.Equal(codes, want) {
			t.Fatalf("%d refused %v", status, codes)
		}
		if s.Used(1) != 20 || s.Used(2) != 14 || s.Used(3) != 0 {
			t.Fatalf("counted %d, %d, %d", s.Used(1), s.Used(2), s.Used(3))
		}
	})
}

func TestReport_Unreadable_CountsNothing(t *testing.T) {
	each(t, func(s *site) {
		good := batch(uuid.New(), 1, `{"user_id":1,"up":10,"down":0}`)
		for body, want := range map[string]int{
			`{`: 422, `null`: 422, `[]`: 422, `{"rows":[{"user_id":1,"up":1,"down":1}]}`: 422, strings.Replace(good,
				`"up":10`, `"up":"10"`, 1): 422,
			strings.Replace(good, `"up":10`, `"up":1.5`, 1): 422, strings.Replace(good, `"sequence":1`,
				`"sequence":-1`, 1): 422,
		} {
			if status, out := s.report(body); status != want || out["code"] == "" {
				t.Errorf("%.60s: %d %v", body, status, out)
			}
		}
		if status := first(s.call("POST", "reports", good)); status != 400 {
			t.Errorf("without a digest: %d", status)
		}
		if status := first(s.call("POST", "reports", good, "Content-Digest", "sha-256=:AAAA:")); status != 400 {
			t.Errorf("with a wrong digest: %d", status)
		}
		if status := first(s.call("POST", "reports", strings.Repeat("\x00", 10<<20))); status != 413 {
			t.Errorf("10 MB: %d", status)
		}
		for path, body := range map[string]string{ // Small to send and expensive to read.
			"reports": batch(uuid.New(), 1, strings.Repeat(`{},`,
				300_000)+`{}`), "status": `{"online":[{"user_id":1,"ips":[` + strings.Repeat(`"",`, 300_000) + `""]}]}`,
			"devices": `{"user_id":1,"gone":[` + strings.Repeat(`"",`, 300_000) + `""]}`,
		} {
			if status := first(s.call("POST", path, body, digestOf(body)...)); status != 413 {
				t.Errorf("%s with 300,000 empty values: %d", path, status)
			}
		}
		rows := strings.TrimSuffix(strings.Repeat(`{"user_id":1,"up":1,"down":1},`, 20_001), ",")
		if status, out := s.report(batch(uuid.New(), 1, rows)); status != 422 || out["code"] != "too_many_rows" {
			t.Errorf("20,001 rows: %d %v", status, out)
		}
		if s.Used(1) != 0 {
			t.Fatalf("counted %d", s.Used(1))
		}
	})
}

func TestReport_HitsOfUsersOfOtherNodes_AreIgnored(t *testing.T) {
	each(t, func(s *site) {
		rule, err := s.Nodes.Rules.Add(t.Context(), "mail", "", ":25$")
		if err != nil {
			t.Fatal(err)
		}
		body := strings.TrimSuffix(batch(uuid.New(), 1, ""), "}") +
			fmt.Sprintf(`,"hits":[{"user_id":1,"rule_id":%[1]d,"count":2},{"user_id":3,"rule_id":%[1]d,"count":4},{"user_id":999,"rule_id":%[1]d,"count":8}]}`, rule.ID)
		if status, out := s.report(body); status != 200 {
			t.Fatal(status, out)
		}
		sums, err := s.Nodes.Rules.HitSums(t.Context(), 0)
		if err != nil || sums[rule.ID].Count != 2 {
			t.Errorf("logged %+v, %v", sums, err)
		}
	})
}

// The agent keeps its users and its batches when the answer is an error.
func TestDatabaseAway_AnswersAreErrors(t *testing.T) {
	each(t, func(s *site) {
		_, header, _ := s.call("GET", "snapshot", "")
		since := s.revision()
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		for path, method := range map[string]string{
			"snapshot": "GET", fmt.Sprint("changes?poll=1&since=", since): "GET", fmt.Sprint("changes?since=",
				since): "GET", "status": "POST", "devices": "POST",
		} {
			status, _, got := s.call(method, path, `{"user_id":1,"ip":"127.0.0.1"}`, "If-None-Match",
				header.Get("ETag"))
			if status < 500 || strings.Contains(string(got), `"users"`) || strings.Contains(string(got), "reset") ||
				strings.Contains(string(got), "admitted") {
				t.Errorf("%s: %d %s", path, status, got)
			}
		}
		if status, out := s.report(batch(uuid.New(), 1, `{"user_id":1,"up":1,"down":1}`)); status < 500 ||
			out["result"] != nil {
			t.Errorf("report: %d %v", status, out)
		}
	})
}
