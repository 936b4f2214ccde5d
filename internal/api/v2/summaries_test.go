package v2_test

import (
	"encoding/json"
	"os"
	"testing"
	"unicode"
)

// The reference is in the language of its reader.
func TestContract_EveryOperation_HasASummaryInBothLanguages(t *testing.T) {
	committed, err := os.ReadFile("../../../openapi.json") // that it is current is tested where it is written
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths map[string]map[string]struct {
			ID        string `json:"operationId"`
			Summary   string
			SummaryZH string `json:"x-summary-zh-CN"`
		}
	}
	if err := json.Unmarshal(committed, &contract); err != nil {
		t.Fatal(err)
	}
	isChinese := func(text string) bool {
		for _, r := range text {
			if unicode.Is(unicode.Han, r) {
				return true
			}
		}
		return false
	}
	seen := 0
	for _, methods := range contract.Paths {
		for _, o := range methods {
			if o.Summary == "" || isChinese(o.Summary) {
				t.Errorf("%s: the English summary is %q", o.ID, o.Summary)
			}
			if !isChinese(o.SummaryZH) {
				t.Errorf("%s: the Chinese summary is %q", o.ID, o.SummaryZH)
			}
			seen++
		}
	}
	if seen < 400 {
		t.Errorf("only %d operations were seen", seen)
	}
}
