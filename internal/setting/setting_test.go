package setting_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/seal"
	"airstrip/internal/setting"
)

func TestSettingsAreChangedTogetherOrNotAtAll(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Get().SiteName; got != setting.Defaults().SiteName {
			t.Fatalf("a new site is called %q", got)
		}
		set := func(pairs ...string) error {
			values := map[string]json.RawMessage{}
			for i := 0; i < len(pairs); i += 2 {
				values[pairs[i]] = json.RawMessage(pairs[i+1])
			}
			return s.Set(t.Context(), values)
		}
		for _, bad := range [][]string{
			{"site_name", `"A"`, "no_such", `1`},
			{"site_name", `"A"`, "sign_up_mode", `"maybe"`},
			{"site_name", `5`},
			{"site_name", `"A"`, "recharge_min", `"-1"`},
			{"site_name", `"A"`, "time_zone", `"Mars/Olympus"`},
			{"smtp_host", `"mail.example.com"`},
			{"smtp_from", `"nobody"`},
			{"smtp_port", `0`},
			{"smtp_tls", `"maybe"`},
			{"about_en", `"` + strings.Repeat("a", 2001) + `"`},
			{"contact_email", `"Ann <ann@example.com>"`},
			{"contact_url", `"t.me/airport"`},
			{"contact_url", `"http://t.me/airport"`},
			{"contact_url", `"javascript:alert(1)"`},
			{"contact_url", `"https://ann:secret@t.me/airport"`},
			{"terms_url", `"javascript:alert(1)"`},
			{"staff_credit_limit", `"-0.01"`},
			{"commission_permille", `1001`},
			{"commission_days", `-1`},
			{"recharge_minutes", `0`},
			{"recharge_minutes", `1321`},
			{"invite_quota", `-2`},
			{"privacy_url", `"/privacy"`},
			{"source_url", `"example.com/source"`},
			{"captcha_login", `"sometimes"`},
			{"captcha_provider", `"turnstile"`},
			{"captcha_provider", `"none"`},
			{"captcha_verify_url", `"verify"`},
			{"captcha_puzzles", `0`},
			{"captcha_zeros", `7`},
			{"captcha_zeros", `9`},
			{"link_notices", `["` + strings.Repeat("长", 65) + `"]`},
			{"link_notices", `[" "]`},
			{"link_notices", `["a\nb"]`},
			{"link_notices", `["1", "2", "3", "4", "5", "6"]`},
			{"loki_push_url", `"loki:3100"`},
			{"language", `"fr"`},
			{"class_names", `[{"class": -1, "name": "A"}]`},
			{"class_names", `[{"class": 1, "name": "A"}, {"class": 1, "name": "B"}]`},
			{"class_names", `[{"class": 1, "name": " "}]`},
			{"class_names", `[{"class": 1, "name": "A", "names": {"fr": "B"}}]`},
			{"class_names", `[{"class": 1, "name": "A", "names": {"en": "` + strings.Repeat("b", 41) + `"}}]`},
			{"crisp_website_id", `"not one"`},
			{"crisp_website_id", `"{0f8fad5b-d9cb-469f-a165-70867728950e}"`},
		} {
			if f, ok := fault.As(set(bad...)); !ok || len(f.Fields) != 1 {
				t.Errorf("%v: %v", bad, f)
			}
		}
		for code, wrong := range map[string][]string{"unknown": {"site_nam", `"A"`}, "format": {"site_name", `5`}} {
			if f, ok := fault.As(set(wrong...)); !ok || f.Fields[0].Name != wrong[0] || f.Fields[0].Code != code {
				t.Errorf("%v: %+v", wrong, f)
			}
		}
		if got := s.Get().SiteName; got != setting.Defaults().SiteName {
			t.Fatalf("a refused change renamed the site to %q", got)
		}
		if err := set("site_name", `"Runway"`, "recharge_min", `"5.00"`); err != nil {
			t.Fatal(err)
		}
		again, err := setting.New(t.Context(), d)
		if err != nil || again.Get().SiteName != "Runway" || again.Get().RechargeMin != 500 {
			t.Fatalf("read again: %+v, %v", again.Get(), err)
		}
	})
}

func TestSet_List_IsRecordedAsItWasBefore(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		log, err := audit.Open(t.Context(), d, seal.Key{1})
		if err != nil {
			t.Fatal(err)
		}
		s, err := setting.New(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		ctx := log.As(t.Context(), audit.Actor{Kind: audit.Operator, Name: "me"})
		for _, list := range []string{`["a.example", "b.example"]`, `["c.example"]`} {
			if err := s.Set(ctx, map[string]json.RawMessage{"sign_up_domains": json.RawMessage(list)}); err != nil {
				t.Fatal(err)
			}
		}
		entries, _, err := log.Find(t.Context(), audit.Filter{Limit: 1})
		if err != nil || len(entries) != 1 || entries[0].Before != `{"sign_up_domains":["a.example","b.example"]}` {
			t.Errorf("%+v, %v", entries, err)
		}
	})
}

func TestSite_ClassName_IsInLanguageOfReader(t *testing.T) {
	site := setting.Site{ClassNames: []setting.ClassName{
		{Class: 1, Name: "基础", Names: fault.ByLang{fault.EN: "Basic"}}, {Class: 2, Name: "Plus"},
	}}
	for class, want := range map[int][2]string{1: {"基础", "Basic"}, 2: {"Plus", "Plus"}, 3: {"", ""}} {
		if zh, en := site.ClassName(class, fault.ZH), site.ClassName(class, fault.EN); zh != want[0] || en != want[1] {
			t.Errorf("class %d is %q and %q", class, zh, en)
		}
	}
}

// Third-party agents show a sign of life with each report only.
func TestSet_OfflineBeforeTwoReports_IsRefusedByBothNames(t *testing.T) {
	s, err := setting.New(t.Context(), dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	set := func(seconds, minutes string) error {
		return s.Set(t.Context(), map[string]json.RawMessage{
			"node_report_seconds": json.RawMessage(seconds), "node_offline_minutes": json.RawMessage(minutes),
		})
	}
	f, ok := fault.As(set("300", "9"))
	if !ok || len(f.Fields) != 2 || f.Fields[0].Name != "node_report_seconds" ||
		f.Fields[1].Name != "node_offline_minutes" {
		t.Errorf("9 minutes with reports each 5 minutes: %+v", f)
	}
	if err := set("300", "10"); err != nil {
		t.Errorf("10 minutes with reports each 5 minutes: %v", err)
	}
}
