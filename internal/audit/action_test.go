package audit_test

import (
	"slices"
	"testing"

	"airstrip/internal/audit"
)

func TestActions_AreSortedAndHaveWords(t *testing.T) {
	actions := audit.Actions()
	if !slices.IsSorted(actions) || !slices.Contains(actions, "user.ban") {
		t.Errorf("got %v, want all of them sorted", actions)
	}
	for _, action := range actions {
		if says := audit.ActionText(action); says.ZH == "" || says.EN == "" {
			t.Errorf("%s says %+v, want words in both languages", action, says)
		}
	}
}

func TestActionsSaying_FindsWordsOfBothLanguagesInAnyCase(t *testing.T) {
	for words, want := range map[string][]string{
		"banned a USER": {"user.ban"},
		"webhook 的密钥":   {"webhook.rotate"},
		"节点密钥":          {"node.secret.rotate"},
		"no such words": nil,
	} {
		if found := audit.ActionsSaying(words); !slices.Equal(found, want) {
			t.Errorf("%q finds %v, want %v", words, found, want)
		}
	}
}
