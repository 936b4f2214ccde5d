package setting_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/setting"
)

// The same pairs are in web/src/lib/accent.test.ts: the pages and the server make the same colour.
var buttons = map[string]string{
	"#ff0000": "#cf0000", "#ffff00": "#6a6a00", "#00ff00": "#007700", "#0000ff": "#4848ff", "#c2410c": "#b63d0b",
	"#808080": "#666666", "#FFFFFF": "#666666", "#000000": "#666666", "#7c3aed": "#7b39ed", "#146f87": "#146f87",
}

func TestButtonColour_WhiteTextOnAnyAccent_IsReadable(t *testing.T) {
	for accent, want := range buttons {
		got := setting.Site{Accent: accent}.ButtonColour()
		if got != want {
			t.Errorf("%s makes %s, want %s", accent, got, want)
		}
		if contrast := 1.05 / (luminanceOf(t, got) + 0.05); contrast < 4.5 {
			t.Errorf("white on %s, of %s, has a contrast of %.2f", got, accent, contrast)
		}
	}
	for _, none := range []string{"", "red", "#12345", `#14"f87`} {
		if got := (setting.Site{Accent: none}).ButtonColour(); got != "" {
			t.Errorf("%q makes %s", none, got)
		}
	}
}

func luminanceOf(t *testing.T, colour string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		channel, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		sum += weight * math.Pow((float64(channel)/255+0.055)/1.055, 2.4)
	}
	return sum
}

func TestSet_Look_TakesColoursAndTexts(t *testing.T) {
	s, err := setting.New(t.Context(), dbtest.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	set := func(name, value string) error {
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return s.Set(t.Context(), map[string]json.RawMessage{name: raw})
	}
	for _, c := range []struct{ name, value, code string }{
		{"accent", "#146f87", ""},
		{"accent", "#FF6600", ""},
		{"accent", "", ""},
		{"accent", "red", "colour"},
		{"accent", "#fff", "colour"},
		{"accent", "#146f87;background:url(//a)", "colour"},
		{"footer_en", "ICP 12345\nAll rights reserved", ""},
		{"footer_zh", strings.Repeat("长", 2001), "length"},
		{"terms_zh", strings.Repeat("长", 50_000), ""},
		{"privacy_en", strings.Repeat("a", 50_001), "length"},
		{"terms_en", "a\u202eb", "characters"},
	} {
		code := ""
		if wrong, ok := fault.As(set(c.name, c.value)); ok && len(wrong.Fields) == 1 && wrong.Fields[0].Name == c.name {
			code = wrong.Fields[0].Code
		}
		if code != c.code {
			t.Errorf("%s = %.40q answers %q, want %q", c.name, c.value, code, c.code)
		}
	}
}

func TestLegalVersion_FollowsTheTexts(t *testing.T) {
	if v := (setting.Site{TermsZH: " \u3000\n", PrivacyEN: "\t"}).LegalVersion(); v != "" {
		t.Errorf("texts of spaces have the version %q", v)
	}
	seen := map[string]setting.Site{}
	for _, s := range []setting.Site{
		{TermsZH: "a"}, {TermsEN: "a"}, {PrivacyZH: "a"}, {PrivacyEN: "a"}, {TermsZH: "a", PrivacyZH: "a"}, {TermsZH: "aa"},
	} {
		v := s.LegalVersion()
		if other, ok := seen[v]; ok || v == "" {
			t.Errorf("%+v and %+v have the version %q", s, other, v)
		}
		seen[v] = s
	}
	if a, b := (setting.Site{TermsZH: "a\n"}), (setting.Site{TermsZH: "a"}); a.LegalVersion() != b.LegalVersion() {
		t.Error("a line break at the end makes another version")
	}
}

func TestTerms_OfOneLanguage_AreShownInTheOther(t *testing.T) {
	s := setting.Site{TermsZH: "条款", PrivacyZH: "隐私", PrivacyEN: "Privacy"}
	for _, c := range []struct{ got, want string }{
		{s.Terms(fault.EN), "条款"}, {s.Privacy(fault.EN), "Privacy"}, {s.Privacy(fault.ZH), "隐私"},
	} {
		if c.got != c.want {
			t.Errorf("%q is shown, want %q", c.got, c.want)
		}
	}
}
