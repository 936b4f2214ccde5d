package ppanel_test

import (
	"fmt"
	"strings"
	"testing"
)

// invalidRows returns ten thousand invalid rows after the given valid ones.
func invalidRows(kinds []string, good ...string) string {
	rows := good
	for i := range 10_000 - len(good) {
		kind := kinds[i%len(kinds)]
		if strings.Contains(kind, "%") {
			kind = fmt.Sprintf(kind, 5000+i)
		}
		rows = append(rows, kind)
	}
	return "[" + strings.Join(rows, ",") + "]"
}

type refusal struct {
	Row  int
	UID  *int64
	Code string
}

type receipt struct {
	Code int
	Data struct{ Refused []refusal }
}

func TestReport_ManyInvalidRows_OthersCount(t *testing.T) {
	each(t, func(s *site) {
		kinds := []string{
			`{"uid":%d,"upload":1,"download":1}`, `{"uid":1,"upload":5,"download":5}`,
			`{"uid":2,"upload":-5,"download":1}`, `{"uid":2,"upload":9223372036854775808,"download":1}`,
			`{"uid":"two","upload":1,"download":1}`, `{"uid":1,"upload":"x","download":1}`,
			`{"uid":2,"upload":1.5,"download":1}`, `{"uid":2,"upload":null,"download":1}`,
			`null`, `[]`, `{}`, `7`, `"x"`, `{"uid":-9223372036854775809,"upload":1,"download":1}`,
		}
		var got receipt
		s.ok(&got, "vmess", "POST", "/v1/server/push",
			`{"traffic":`+invalidRows(kinds, `{"uid":1,"upload":100,"download":200}`,
				`{"uid":2,"upload":7,"download":0}`)+`}`)
		if s.Used(1) != 300 || s.Used(2) != 7 || s.Used(3) != 0 {
			t.Errorf("counted %d, %d, %d", s.Used(1), s.Used(2), s.Used(3))
		}
		codes := map[string]int{}
		for _, r := range got.Data.Refused {
			if codes[r.Code]++; (r.UID == nil) != (r.Code == "unreadable") || (r.Row > 0) != (r.Code == "unreadable") {
				t.Fatalf("refused %+v", r)
			}
		}
		if len(got.Data.Refused) != 9_998 || codes["duplicate_user"] != 715 || codes["negative"] != 714 ||
			codes["absurd"] != 714 {
			t.Errorf("refused %d: %v", len(got.Data.Refused), codes)
		}

		kinds = []string{
			`{"UID":%d,"IP":"1.1.1.1"}`, `{"UID":1,"IP":"999.1.1.1"}`, `{"UID":"x","IP":"1.1.1.1"}`,
			`{"UID":2,"IP":7}`, `{"UID":1,"IP":null}`, `null`, `[]`, `{}`, `{"UID":3,"IP":"1.1.1.1"}`,
			`{"UID":9223372036854775808,"IP":"1.1.1.1"}`,
		}
		s.ok(&got, "vmess", "POST", "/v1/server/online",
			`{"users":`+invalidRows(kinds, `{"UID":1,"IP":"9.9.9.9"}`, `{"UID":2,"IP":"::ffff:9.9.9.9"}`)+`}`)
		for user, want := range map[int64]int{1: 1, 2: 1, 3: 0} {
			if devices, err := s.Nodes.Presence.DeviceCount(t.Context(), user); err != nil || devices != want {
				t.Errorf("user %d is at %d addresses, %v", user, devices, err)
			}
		}
	})
}

// Values take a hundred times as much memory as in the post.
func TestPost_TooManyValues_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		for path, body := range map[string]string{
			"push": `{"traffic":[%s0]}`, "online": `{"users":[%s0]}`,
			"status": `{"cpu":[%s0]}`,
		} {
			if status, _, got := s.call("vmess", "POST", "/v1/server/"+path,
				fmt.Sprintf(body, strings.Repeat("0,", 300_000))); status != 413 {
				t.Errorf("%s: %d %s", path, status, got)
			}
		}
	})
}

func TestRefusals_NameUser(t *testing.T) {
	each(t, func(s *site) {
		var got receipt
		s.ok(&got, "vmess", "POST", "/v1/server/push",
			`{"traffic":[{"uid":1,"upload":-1,"download":1},{"uid":1,"upload":3,"download":4},{"uid":1},{"uid":0,"upload":1,"download":1},{"uid":2,"upload":1,"download":1},{"uid":1,"upload":1,"download":1}]}`)
		var said []string
		for _, r := range got.Data.Refused {
			if r.UID != nil {
				said = append(said, fmt.Sprint(*r.UID, " ", r.Code))
			} else {
				said = append(said, fmt.Sprint("row ", r.Row, " ", r.Code))
			}
		}
		if want := "row 3 unreadable, 1 negative, 0 not_on_list, 1 duplicate_user"; strings.Join(said,
			", ") != want || s.Used(1) != 7 || s.Used(2) != 2 {
			t.Errorf("counted %d and %d, refused %s, want %s", s.Used(1), s.Used(2), strings.Join(said, ", "), want)
		}
	})
}
