package text_test

import (
	"testing"

	"airstrip/internal/text"
)

func TestIsVisible(t *testing.T) {
	for _, s := range []string{
		"", "Ming", "小明", "two\nlines\tand a tab\r\n", "e\u0301", "Zoë", "한국어", "العربية", "½ © ™",
		"👨\u200d👩\u200d👧\u200d👦", "👩🏽\u200d💻", "🏳\ufe0f\u200d🌈", "❤\ufe0f\u200d🔥", "❤\ufe0f", "☎\ufe0e",
		"1\ufe0f\u20e3", "🇭🇰 HK",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏃🏽\u200d♀\ufe0f", "↔\ufe0f", "‼\ufe0f",
	} {
		if !text.IsVisible(s) {
			t.Errorf("%+q is refused", s)
		}
	}
	for _, s := range []string{
		"\u202eadmin", "a\u202a", "a\u2066b\u2069", "\u200eab", "\u061c", "ad\u200bmin", "ad\u200cmin", "ad\u200dmin",
		"\ufeffadmin", "ad\u00admin", "\u2060a",
		"admin\ufe0f", "a\ufe0e", "👨\u200d", "\u200d👨", "👨\u200da", "👨\u200d\u200d👩", "👨\ufe0f\ufe0f", "\U000e0001",
		"a\U000e0061\U000e007f",
		"🏴\U000e0067", "葛\U000e0100", "\u3164", "\u115f", "\u2800", "\u2028", "a\u034fb", "\u0007", "\u009b", "a\x00",
	} {
		if text.IsVisible(s) {
			t.Errorf("%+q is taken", s)
		}
	}
}

func TestIsStorable(t *testing.T) {
	for s, want := range map[string]bool{"": true, "小明": true, "a\x00": false, "\xff": false, "\xed\xa0\x80": false} {
		if got := text.IsStorable(s); got != want {
			t.Errorf("%+q: %t", s, got)
		}
	}
}
