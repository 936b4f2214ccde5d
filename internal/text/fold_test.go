package text_test

import (
	"testing"

	"airstrip/internal/text"
)

func TestFolded_CaseWidthAndSpaces_MakeNoDifference(t *testing.T) {
	for _, s := range []string{
		"po-17 a", "PO-17A", " PO-17A\t", "ＰＯ－１７Ａ", "PO\u00a0-17\u3000a", "PO-\u200b17\u00ada", "ＰＯ-17 Ａ",
	} {
		if got := text.Folded(s); got != "po-17a" {
			t.Errorf("%q is compared as %q", s, got)
		}
	}
	for s, want := range map[string]string{
		" \u200b\u3000": "", "流水 号": "流水号", "PO_17a": "po_17a",
		"PO\ufe0f-17\u2800a": "po-17a", "PO-17a\u034f\a": "po-17a",
	} {
		if got := text.Folded(s); got != want {
			t.Errorf("%q is compared as %q, want %q", s, got, want)
		}
	}
}
