package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func TestWhatNoListHasIsRefusedByItsFlag(t *testing.T) {
	for _, wrong := range [][]string{
		{"node", "history", "1", "--hours=0"},
		{"node", "history", "1", "--hours=2161"},
		{"node", "users", "1", "--hours=-1"},
		{"node", "users", "1", "--limit=0"},
		{"node", "blocked", "--offset=-1"},
		{"rule", "hits", "--limit=-1"},
		{"refund", "list", "--limit=0"},
		{"recharge", "refunds", "--offset=-1"},
		{"approval", "list", "--limit=-1"},
	} {
		var c commands
		k, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		flag, _, _ := strings.Cut(wrong[len(wrong)-1], "=")
		if _, err := k.Parse(wrong); err == nil || !strings.Contains(err.Error(), flag) ||
			!strings.Contains(err.Error(), "must") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
