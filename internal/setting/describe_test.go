package setting_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/secret"
	"airstrip/internal/setting"
)

// Each setting and secret has words in both languages, a kind, and bounds where it is a number.
func TestDescriptions_OfEachSetting_AreWhole(t *testing.T) {
	site := reflect.TypeFor[setting.Site]()
	if len(setting.Descriptions) != site.NumField() {
		t.Errorf("%d settings of %d are described", len(setting.Descriptions), site.NumField())
	}
	areas := map[setting.Area]bool{}
	for _, a := range setting.Areas {
		areas[a.Area] = true
	}
	for _, d := range setting.Descriptions {
		if d.Title.ZH == "" || d.Title.EN == "" || (d.Hint.ZH == "") != (d.Hint.EN == "") || d.Kind == "" ||
			!areas[d.Area] {
			t.Errorf("%s: %+v", d.Name, d)
		}
		field, _ := site.FieldByNameFunc(func(name string) bool {
			f, _ := site.FieldByName(name)
			return f.Tag.Get("json") == d.Name
		})
		if d.Kind == setting.KindNumber && field.Type.Kind() == reflect.Int && d.Most == "" ||
			d.Kind == setting.KindAmount && d.Most == "" {
			t.Errorf("%s has no bounds", d.Name)
		}
	}
	for _, name := range secret.Names {
		if w := setting.SecretWords[name]; w.Title.ZH == "" || w.Title.EN == "" || !areas[w.Area] {
			t.Errorf("the secret %s has no words", name)
		}
	}
}

func TestChange_Reset_GivesTheDefaultAgain(t *testing.T) {
	d := dbtest.SQLite(t)
	s, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), map[string]json.RawMessage{
		"ticket_max_open": json.RawMessage(`3`), "sign_up_domains": json.RawMessage(`["a.example"]`),
	}); err != nil {
		t.Fatal(err)
	}
	if changed, err := s.Changed(t.Context()); err != nil || len(changed) != 2 {
		t.Errorf("changed are %v, %v", changed, err)
	}
	if err := s.Change(t.Context(), setting.Change{Reset: []string{"ticket_max_open", "sign_up_domains"}}); err != nil {
		t.Fatal(err)
	}
	if now := s.Get(); now.TicketMaxOpen != setting.Defaults().TicketMaxOpen || len(now.SignUpDomains) != 0 {
		t.Errorf("after the reset: %d %v", now.TicketMaxOpen, now.SignUpDomains)
	}
	if changed, err := s.Changed(t.Context()); err != nil || len(changed) != 0 {
		t.Errorf("changed are %v, %v", changed, err)
	}
	for _, c := range []setting.Change{
		{Reset: []string{"no_such"}},
		{Reset: []string{"site_name"}, Values: map[string]json.RawMessage{"site_name": json.RawMessage(`"A"`)}},
		{Values: map[string]json.RawMessage{"checkin_max_mb": json.RawMessage(`1`)}},
	} {
		if f, ok := fault.As(s.Change(t.Context(), c)); !ok ||
			!slices.ContainsFunc(f.Fields, func(f fault.Field) bool { return slices.Contains(c.Names(), f.Name) }) {
			t.Errorf("%+v: %v", c, f)
		}
	}
}

// What is worth money, deletes something or sends data elsewhere is for owners with a recent proof, and so is a setting
// of which nobody said that it is for every day.
func TestDescriptions_OfWhatCouldHarm_AreSensitive(t *testing.T) {
	for _, name := range []string{
		"checkin", "checkin_min_mb", "checkin_max_mb", "time_zone", "crisp_website_id", "link_log_days",
		"traffic_log_days", "traffic_daily_days", "captcha_checkin", "captcha_ticket", "captcha_puzzles",
		"captcha_zeros", "security_contact", "emby_class", "commission_permille", "smtp_host", "link_urls",
	} {
		if d, ok := setting.Describe(name); !ok || !d.Sensitive {
			t.Errorf("%s is for every day", name)
		}
	}
	if d, _ := setting.Describe("site_name"); d.Sensitive {
		t.Error("the name of the site is sensitive")
	}
}

// A text of one line that has two breaks what it is written into, such as the sender of every mail.
func TestSet_TextOfOneLine_HasNoOther(t *testing.T) {
	s, err := setting.New(t.Context(), dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range setting.Descriptions {
		value := map[setting.Kind]string{setting.KindText: `"a%sb"`, setting.KindTexts: `["a%sb"]`}[d.Kind]
		if value == "" {
			continue
		}
		for _, control := range []string{`\n`, `\r\n`, `\t`, `\u0085`} {
			err := s.Set(t.Context(), map[string]json.RawMessage{
				d.Name: json.RawMessage(fmt.Sprintf(value, control)),
			})
			if !errors.Is(err, fault.ErrInvalid.In(fault.Field{Name: d.Name, Code: "line"})) {
				t.Errorf("%s takes %s: %v", d.Name, control, err)
			}
		}
	}
}
