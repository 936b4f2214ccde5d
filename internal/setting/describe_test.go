package setting_test

import (
	"encoding/json"
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
