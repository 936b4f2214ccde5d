package agent_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"airstrip/internal/node"
)

// A stolen secret must not block the server for other nodes, however many requests are sent with it.
func TestRequestSlots_OfOneNode_AreBounded(t *testing.T) {
	each(t, func(s *site) {
		other := s.Add(node.Draft("HK 02", node.VLESS, "hk.example", 444))
		var held []func()
		for range 4 {
			done, err := s.Nodes.Limits.RequestSlot(t.Context(), s.node)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, done)
		}
		ask := func(secret, method, path string) (int, error) {
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(`{"boot":"b"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+secret)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return 0, err
			}
			return res.StatusCode, res.Body.Close()
		}
		// After the release the requests wait for each other, one slot for three of them.
		answers := make(chan string, 3)
		for path, method := range map[string]string{"snapshot": "GET", "status": "POST", "reports": "POST"} {
			go func() {
				status, err := ask(s.secret, method, path)
				answers <- fmt.Sprint(path, " ", status, " ", err)
			}()
		}
		if status, err := ask(s.Keys[other.Name], "GET", "snapshot"); err != nil || status != 200 {
			t.Errorf("another node: %d, %v", status, err)
		}
		if status, err := ask(s.secret, "GET", "changes?poll=1&since=1"); err != nil || status != 200 {
			t.Errorf("a poll: %d, %v", status, err)
		}
		if n := len(answers); n > 0 {
			t.Errorf("%d requests were answered with four others of the node in progress", n)
		}
		held[0]()
		var got []string
		for range 3 {
			got = append(got, <-answers)
		}
		slices.Sort(got)
		if want := []string{"reports 400 <nil>", "snapshot 200 <nil>", "status 200 <nil>"}; !slices.Equal(got, want) {
			t.Errorf("after one of the four was answered: %q, want %q", got, want)
		}
	})
}

func TestStream_TooMany_EndsOldest(t *testing.T) {
	each(t, func(s *site) {
		since := s.revision()
		oldest := s.stream(since)
		s.next(oldest)
		var others []<-chan line
		for range 32 {
			lines := s.stream(since)
			s.next(lines)
			others = append(others, lines)
		}
		for more := true; more; {
			select {
			case _, more = <-oldest:
			case <-time.After(time.Minute):
				t.Fatal("the oldest of 33 streams goes on")
			}
		}
		s.start(3)
		for i, lines := range others {
			if l := s.next(lines); len(l.Users) != 1 {
				t.Errorf("the stream %d says %+v", i+2, l)
			}
		}
	})
}
