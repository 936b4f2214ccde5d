package v2_test

import (
	"encoding/json"
	"os"
	"testing"
	"unicode"
)

// The reference that users read is in their language: every operation that is not staff's has a summary in both.
func TestContract_EveryOperationOfUsers_HasASummaryInBothLanguages(t *testing.T) {
	committed, err := os.ReadFile("../../../openapi.json") // that it is current is tested where it is written
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths map[string]map[string]struct {
			ID        string `json:"operationId"`
			Summary   string
			SummaryZH string `json:"x-summary-zh-CN"`
			Tags      []string
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
			ofUsers := o.Tags[0] != "staff"
			if isChinese(o.SummaryZH) != ofUsers {
				t.Errorf("%s, an operation of %s: the Chinese summary is %q", o.ID, o.Tags[0], o.SummaryZH)
			}
			if ofUsers {
				seen++
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d operations of users were seen", seen)
	}
}
