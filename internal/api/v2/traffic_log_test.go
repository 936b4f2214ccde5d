package v2_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

const subscribeLog = "/api/v2/user/services/subscribe-log/"

type logPage struct {
	Records []struct {
		NodeID    int64     `json:"node_id"`
		CreatedAt time.Time `json:"created_at"`
		Total     int64     `json:"total_traffic"`
	}
	TotalCount int64 `json:"total_count"`
	Sum        struct {
		Total int64 `json:"total_traffic"`
	}
	NextAfter *string `json:"next_after"`
}

func (f *field) logPage(t *testing.T, query string) (page logPage) {
	t.Helper()
	a := f.call(t, f.user, "GET", subscribeLog+"pages?"+query, "")
	if err := json.Unmarshal(a.Result, &page); err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: %d %s", query, a.status, a.raw)
	}
	return page
}

// moveOn has the user move bytes on both nodes in each of the hours.
func (f *field) moveOn(t *testing.T, nodes []node.Node, hours int) {
	t.Helper()
	for range hours {
		for i, n := range nodes {
			_, err := f.traffic.Record(t.Context(), traffic.Report{
				Node: n, ID: fmt.Sprint(f.now, i), From: f.now.Add(-time.Minute), To: f.now,
				Rows: []traffic.Row{{UserID: f.user, Up: int64(i + 1), Down: 10}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		f.now = f.now.Add(time.Hour)
	}
}

// twoNodes returns the first node and another, whose name a spreadsheet would calculate.
func (f *field) twoNodes(t *testing.T) []node.Node {
	t.Helper()
	draft := node.Draft("=1+2", node.Shadowsocks, "jp.example", 8388)
	draft.Class, draft.Country, draft.Settings.Method = 1, "JP", "aes-128-gcm"
	other, _, err := f.nodes.Add(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	return []node.Node{f.node, other}
}

func TestTrafficLog_PagesByCursor_NameEachRowOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		nodes := f.twoNodes(t)
		f.moveOn(t, nodes, 7)
		seen, after, pages := map[string]bool{}, "", 0
		for {
			page := f.logPage(t, "limit=4"+after)
			if page.TotalCount != 14 || page.Sum.Total != 7*(11+12) {
				t.Fatalf("the page counts %d rows of %d bytes, want 14 of 161", page.TotalCount, page.Sum.Total)
			}
			for _, r := range page.Records {
				seen[fmt.Sprint(r.NodeID, r.CreatedAt)] = true
			}
			pages++
			if page.NextAfter == nil {
				break
			}
			after = "&after=" + *page.NextAfter
		}
		if len(seen) != 14 || pages != 4 {
			t.Errorf("%d rows on %d pages, want 14 on 4", len(seen), pages)
		}
	})
}

func TestTrafficLog_Filters_NarrowRowsSumsChartAndFile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		nodes := f.twoNodes(t)
		f.moveOn(t, nodes, 3) // 23:00 of January in Shanghai, then 00:00 and 01:00 of February
		day := "from=2026-01-31T16:00:00Z&to=2026-02-01T16:00:00Z"
		other := fmt.Sprintf("&node_id=%d", nodes[1].ID)
		if page := f.logPage(t, day+other); page.TotalCount != 2 || page.Sum.Total != 24 || len(page.Records) != 2 {
			t.Errorf("the other node's rows of the day are %+v", page)
		}
		var sums []map[string]any
		a := f.call(t, f.user, "GET", subscribeLog+"nodes?"+day, "")
		var list struct {
			ResultList []map[string]any `json:"result_list"`
		}
		if err := json.Unmarshal([]byte(a.raw), &list); err != nil || len(list.ResultList) != 2 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		sums = list.ResultList
		want(t, sums[0], map[string]any{"node_id": int(nodes[1].ID), "node_name": "=1+2", "total_traffic": 24})
		want(t, sums[1], map[string]any{"node_id": int(nodes[0].ID), "node_name": "HK 01", "effective_traffic": 32})
		for bucket, points := range map[string]int{"hour": 3, "day": 2, "month": 2} {
			var got []map[string]any
			a := f.call(t, f.user, "GET", subscribeLog+"area-time-axis?from=2025-12-31T16:00:00Z&bucket="+bucket+other, "")
			if err := json.Unmarshal(a.Result, &got); err != nil || len(got) != points {
				t.Errorf("%s: %d %s, want %d points", bucket, a.status, a.raw, points)
				continue
			}
			want(t, got[0], map[string]any{"total_traffic": 12})
		}
		file := f.file(t, "detail-record/csv?"+day)
		if len(file) != 5 || file[1][2] != "'=1+2" || file[1][0] != "2026-02-01T01:00:00+08:00" {
			t.Errorf("the file is %q", file)
		} else if got := strings.Join(file[1][3:6], " "); got != "2 10 12" {
			t.Errorf("upload, download and their sum are %s, want 2 10 12", got)
		}
		if file := f.file(t, "area-time-axis/csv?bucket=day"); len(file) != 3 ||
			strings.Join(file[2], " ") != "2026-02-01T00:00:00+08:00 6 40 46 56" {
			t.Errorf("the days are %q", file)
		}
		if file := f.file(t, "calendar-pie/csv?year_month=2026-01"); len(file) != 2 {
			t.Errorf("January is %q", file)
		}
	})
}

// file returns the rows of a file.
func (f *field) file(t *testing.T, path string) [][]string {
	t.Helper()
	a := f.call(t, f.user, "GET", subscribeLog+path, "")
	rows, err := csv.NewReader(strings.NewReader(a.raw)).ReadAll()
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, a.status, a.raw)
	}
	return rows
}

func TestTrafficLog_WrongInput_NamesItsField(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := newField(t, d)
		for query, field := range map[string]string{
			"pages?after=yesterday":             "after",
			"pages?after=1.2.3.4":               "after",
			"detail-record?node_id=0":           "node_id",
			"detail-record?node_id=HK":          "node_id",
			"detail-record?from=1":              "from",
			"detail-record/csv?to=1":            "to",
			"nodes?node_id=-1":                  "node_id",
			"area-time-axis/csv?limit=0":        "limit",
			"calendar-pie/csv?year_month=2026":  "year_month",
			"detail-record/csv?" + backwards:    "to",
			"nodes?" + backwards:                "to",
			"detail-record?" + backwards:        "to",
			"area-time-axis/csv?" + backwards:   "to",
			"area-time-axis?node_id=1.5":        "node_id",
			"area-time-axis?bucket=year":        "bucket",
			"detail-record?limit=50&offset=1e3": "offset",
		} {
			a := f.call(t, f.user, "GET", subscribeLog+query, "")
			if a.status != 422 || len(a.Errors) != 1 || a.Errors[0].Field != field {
				t.Errorf("%s: %d %s, want a problem of %s", query, a.status, a.raw, field)
			}
		}
	})
}

const backwards = "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"
