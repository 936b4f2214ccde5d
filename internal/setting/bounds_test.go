package setting_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/setting"
)

// extremes are values that some settings take and others refuse.
var extremes = []string{
	`0`, `-1`, `-2`, `1`, `2147483647`, `9223372036854775807`, `-9223372036854775808`, `1e9`, `1e999`, `0.001`,
	`1000000000000000`,
	`1000000000000000000000000000000`, `"0"`, `"-0.01"`, `"0.001"`, `"1e9"`, `"NaN"`, `"1000000000000000"`,
	`"92233720368547758.07"`,
	`"1000000000000000000000000000000"`, `""`, `" "`, `"x"`, `"a\u0000b"`, `"\u202ea"`, `null`, `true`, `[]`, `["x"]`,
	`["-1"]`, `[""]`, `{}`,
}

// A value that a setting cannot have is refused with the name of that setting, whichever it is; one that is taken keeps
// every number within bounds that no sum of them overflows.
func TestSet_ExtremesOfEveryField_AreTakenOrRefusedByName(t *testing.T) {
	d := dbtest.SQLite(t)
	s, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	site := reflect.TypeFor[setting.Site]()
	for i := range site.NumField() {
		name := site.Field(i).Tag.Get("json")
		before, err := json.Marshal(reflect.ValueOf(s.Get()).Field(i).Interface())
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range extremes {
			err := s.Set(t.Context(), map[string]json.RawMessage{name: json.RawMessage(value)})
			if err == nil {
				checkBounds(t, name, value, reflect.ValueOf(s.Get()).Field(i))
				if err := s.Set(t.Context(), map[string]json.RawMessage{name: before}); err != nil {
					t.Fatalf("%s back to %s: %v", name, before, err)
				}
				continue
			}
			f, ok := fault.As(err)
			// or another that must be set first
			named := func(f fault.Field) bool { return f.Name == name || f.Code == "required" }
			if !ok || !slices.ContainsFunc(f.Fields, named) {
				t.Errorf("%s = %s: %v, which does not name the setting", name, value, err)
			}
		}
	}
	for _, name := range []string{"SITE_NAME", "Site_Name", "site_name "} {
		err := s.Set(t.Context(), map[string]json.RawMessage{name: json.RawMessage(`"A"`)})
		if f, ok := fault.As(err); !ok || f.Fields[0].Name != name || f.Fields[0].Code != "unknown" {
			t.Errorf("a setting called %q: %v", name, err)
		}
	}
}

func checkBounds(t *testing.T, name, value string, field reflect.Value) {
	t.Helper()
	switch v := field.Interface().(type) {
	case money.Amount:
		if v < 0 || v > money.Max {
			t.Errorf("%s = %s was taken as %s", name, value, v)
		}
	case []money.Amount:
		for _, amount := range v {
			if amount <= 0 || amount > money.Max {
				t.Errorf("%s = %s was taken as %s", name, value, amount)
			}
		}
	case int:
		if v < -1 || v > 1_000_000_000 {
			t.Errorf("%s = %s was taken as %d", name, value, v)
		}
	case string:
		if value == `"a\u0000b"` || value == `"\u202ea"` {
			t.Errorf("%s = %s was taken", name, value)
		}
	}
}
