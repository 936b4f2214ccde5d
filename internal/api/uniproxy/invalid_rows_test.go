package uniproxy_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// invalidMembers returns ten thousand invalid members with the given valid ones among them, a tenth before each valid
// one.
func invalidMembers(kinds []string, good ...string) string {
	var rows []string
	for i := range 10_000 - len(good) {
		if i%1000 == 0 && i/1000 < len(good) {
			rows = append(rows, good[i/1000])
		}
		kind := kinds[i%len(kinds)]
		if strings.Contains(kind, "%") {
			kind = fmt.Sprintf(kind, 5000+i)
		}
		rows = append(rows, kind)
	}
	return "{" + strings.Join(rows, ",") + "}"
}

func TestReport_ManyInvalidRows_OthersCount(t *testing.T) {
	each(t, func(s *site) {
		kinds := []string{
			`"%d":[1,1]`, `"1":[5,5]`, `"2":[-5,1]`, `"2":[1,9223372036854775808]`,
			`"2":[9223372036854775807,9223372036854775807]`, `"2":["1",1]`, `"2":[1,1e300]`,
			`"two":[1,1]`, `"-9223372036854775809":[1,1]`, `"-1":[1,1]`, `"":[1,1]`, `"2":null`, `"2":[]`, `"2":[1]`,
			`"2":[[1],[1]]`, `"2":{}`, `"2":true`, `"3":[1,1]`, `"2\u0000":[1,1]`, `"２":[1,1]`,
		}
		later := s.v2()
		used := int64(0)
		for i, endpoint := range []struct {
			*site
			path, around string
		}{{s, "push", "%s"}, {later, "push", "%s"}, {later, "report", `{"type":"traffic","traffic":%s}`}, {
			later,
			"report", `{"traffic":%s,"alive":{"x":[7]},"status":{"cpu":-1}}`,
		}} {
			var receipt struct {
				Data    bool
				Refused []struct{ Code string }
			}
			good := int64(100 + i)
			body := invalidMembers(kinds, fmt.Sprintf(`"1":[%d,200]`, good), `"2":[7,0]`)
			endpoint.ok(&receipt, "ss", "shadowsocks", "POST", endpoint.path, fmt.Sprintf(endpoint.around, body))
			used += good + 200
			if s.Used(1) != used || s.Used(2) != int64(7*(i+1)) || s.Used(3) != 0 {
				t.Errorf("%s: counted %d, %d, %d", endpoint.path, s.Used(1), s.Used(2), s.Used(3))
			}
			codes := map[string]int{}
			for _, r := range receipt.Refused {
				codes[r.Code]++
			}
			each := 9_998 / len(kinds)
			few := func(kinds int, code string) bool { return codes[code] < kinds*each || codes[code] > kinds*(each+1) }
			if !receipt.Data || len(receipt.Refused) != 9_998 || few(3, "not_on_list") || few(1, "duplicate_user") ||
				few(1, "negative") || few(2, "absurd") || few(13, "unreadable") {
				t.Errorf("%s: of 10,000 rows 9,998 are junk, %d each of %d kinds; refused are %d: %v", endpoint.path,
					each, len(kinds), len(receipt.Refused), codes)
			}
		}
	})
}

// Values take a hundred times as much memory as in the post.
func TestPost_TooManyValues_IsRefused(t *testing.T) {
	each(t, func(s *site) {
		many := strings.Repeat(`"":0,`, 300_000)
		for path, body := range map[string]string{"push": `{%s"":0}`, "alive": `{%s"":0}`, "status": `{%s"":0}`} {
			if status, _, got := s.call("ss", "shadowsocks", "POST", path, fmt.Sprintf(body, many)); status != 413 {
				t.Errorf("%s: %d %.100s", path, status, got)
			}
		}
		if status, _, got := s.call("ss", "shadowsocks", "POST", "push",
			"{"+strings.Repeat(`"":0,`, 20_000)+`"":0}`); status != 422 || len(got) > 1000 {
			t.Errorf("20,001 rows that cannot be read: %d %.100s", status, got)
		}
		// Xboard-node identifies itself in the body, so anybody can send this.
		status, _, got := s.v2().Send("POST", "report", `{"token":"x","node_id":[`+strings.Repeat(`0,`, 300_000)+`0]}`)
		if status != 413 {
			t.Errorf("of nobody: %d %.100s", status, got)
		}
	})
}

func TestAlive_InvalidRows_OthersCount(t *testing.T) {
	each(t, func(s *site) {
		kinds := []string{
			`"%d":["1.1.1.1"]`, `"1":["999.1.1.1","-",""," ","1.1.1.1.1"]`, `"2":[7]`, `"1":"3.3.3.3"`,
			`"two":["1.1.1.1"]`, `"-1":["1.1.1.1"]`, `"9223372036854775808":["1.1.1.1"]`,
			`"1":null`, `"1":{}`, `"1":[null]`, `"3":["1.1.1.1"]`, `"2":["4.4.4.4\u0000"]`,
		}
		body := invalidMembers(kinds, `"1":["9.9.9.9","8.8.8.8"]`, `"2":["::ffff:9.9.9.9"]`)
		for _, endpoint := range []struct {
			*site
			path, around string
		}{{s, "alive", "%s"}, {s.v2(), "alive", "%s"}, {s.v2(), "report", `{"alive":%s}`}, {
			s.v2(), "report",
			`{"alive":%[1]s,"online":%[1]s}`,
		}, {s.v2(), "report", `{"online":%s}`}} {
			var receipt struct{ Data bool }
			endpoint.ok(&receipt, "ss", "shadowsocks", "POST", endpoint.path, fmt.Sprintf(endpoint.around, body))
			var list struct{ Alive map[int64]int }
			s.ok(&list, "ss", "shadowsocks", "GET", "alivelist", "")
			if !receipt.Data || !maps.Equal(list.Alive, map[int64]int{1: 2, 2: 1}) {
				t.Errorf("%s %.30s: %v are connected", endpoint.path, endpoint.around, list.Alive)
			}
		}
	})
}
