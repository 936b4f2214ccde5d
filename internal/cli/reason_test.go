package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommand_InvisibleArgument_IsRefused(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		err := s.run(nil, "user", "add", "--email", "someone@example.com", "--name", "\u202ename")
		if err == nil || !strings.Contains(err.Error(), `\u202ename`) {
			s.Errorf("a name that changes the direction of writing: %v", err)
		}
		file := filepath.Join(s.TempDir(), "users.csv")
		hash := "$2a$04$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
		lines := "email,name,hash,kind\nseen@example.com,Seen," + hash + ",bcrypt\nunseen@example.com,\u202ename," + hash +
			",bcrypt\n"
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			s.Fatal(err)
		}
		if err := s.run(nil, "user", "import", file); err == nil || !strings.Contains(err.Error(), "invisible") {
			s.Errorf("such a name in a file: %v", err)
		}
	})
}

func TestCommand_BlankReason_IsRefused(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		s.mustRun(nil, "user", "add", "--email", "someone@example.com")
		for _, args := range [][]string{
			{"wallet", "adjust", "someone@example.com", "10.00", " "},
			{"user", "sign-in-as", "someone@example.com", "--reason", "\t"},
			{"payment-case", "dismiss", "1", ""},
			{"payment-case", "dismiss", "1", "\u200b"},
		} {
			if err := s.run(nil, args...); err == nil || !strings.Contains(err.Error(), "reason") &&
				!strings.Contains(err.Error(), "invisible") {
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
