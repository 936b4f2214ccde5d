package cli

import (
	"strings"
	"testing"
)

func TestCommand_BlankReason_IsRefused(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.mustRun(nil, "user", "add", "--email", "someone@example.com")
		for _, args := range [][]string{
			{"wallet", "adjust", "someone@example.com", "10.00", " "},
			{"user", "sign-in-as", "someone@example.com", "--reason", "\t"},
			{"payment-case", "dismiss", "1", ""},
		} {
			if err := s.run(nil, args...); err == nil || !strings.Contains(err.Error(), "reason") {
				s.Errorf("%q: %v", args, err)
			}
		}
		var made []struct{}
		s.mustRun(&made, "wallet", "list")
		if len(made) > 0 {
			s.Errorf("adjusted with a blank reason: %d", len(made))
		}
	})
}
