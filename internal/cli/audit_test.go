package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"airstrip/internal/audit"
)

type auditedList struct {
	Total   int
	Entries []struct {
		Actor     audit.Kind
		ActorID   *int64 `json:"actor_id"`
		ActorName string `json:"actor_name"`
		Action    string
		After     json.RawMessage
	}
}

// The commands that change nothing of the site, and those that change what a staff operation changes too: the walk over
// the staff operations in internal/app covers these.
var (
	readingCommands = []string{
		"serve", "migrate", "doctor", "backup", "restore", "openapi", "version", "seed", "mail test", "user list",
		"node list", "node blocked", "role list", "role show",
		"node history", "node online", "node users", "node held", "node speed-tests", "rule list", "rule hits",
		"plan list", "gateway kinds",
		"gateway list", "coupon list", "cdkey list", "recharge refunds", "refund list", "refund show",
		"payout list",
		"payment-case list", "payment-case show",
		"audit list", "approval list", "wallet list", "setting list", "mail list", "mail show",
		"announcement list", "announcement broadcast list",
	}
	staffCommands = []string{
		"node unblock", "node count-held", "node dismiss-held", "recharge refund", "recharge confirm",
		"recharge decline", "refund approve",
		"refund decline", "refund order", "payment-case credit", "payment-case refund", "payment-case dismiss",
		"payment-case confirm",
		"payment-case decline", "approval approve", "approval decline", "wallet confirm", "wallet decline",
		"cdkey confirm", "payout pay", "payout refuse",
	}
)

// Each command that changes something leaves an entry that names the user of the machine, and the member who gave it.
func TestAudit_EachCommandThatChangesSomething_NamesTheOperator(t *testing.T) {
	forEachDatabase(t, func(s testSite) {
		t.Setenv("SUDO_USER", "carol")
		users := filepath.Join(t.TempDir(), "users.csv")
		if err := os.WriteFile(users,
			[]byte("email,name,hash,kind\nimported@example.com,Imported,0cc175b9c0f1b6a831c399e269772661,md5\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
		credentials := filepath.Join(t.TempDir(), "credentials.json")
		if err := os.WriteFile(credentials,
			[]byte(`{"instructions_zh":"转账","instructions_en":"transfer to account-of-the-bank-4711"}`),
			0o600); err != nil {
			t.Fatal(err)
		}
		changing := [][]string{
			{"user", "add", "--email", "ann@example.com"},
			{"user", "role", "ann@example.com", "admin"},
			{"user", "password", "ann@example.com"},
			{"role", "make", "Night shift", "ticket.read"},
			{"role", "change", "Night shift", "ticket.read", "ticket.answer"},
			{"role", "remove", "Night shift"},
			{"user", "import", users},
			{"user", "sign-in-token", "ann@example.com"},
			{"user", "sign-in-url", "ann@example.com"},
			{"user", "ban", "ann@example.com"},
			{"user", "unban", "ann@example.com"},
			{"user", "add", "--email", "carol@example.com"},
			{"user", "sign-in-as", "carol@example.com", "--reason", "an empty dashboard"},
			{"user", "email", "carol@example.com", "carola@example.com"},
			{"user", "add", "--email", "twin@example.com"},
			{"user", "merge", "twin@example.com", "carola@example.com", "--reason", "one person"},
			{
				"node", "add", "--protocol", "vmess", "--name", "hk", "--address", "hk.example", "--port", "80",
				"--group-host", "1=a.example",
			},
			{"node", "change", "1", "--port", "81"},
			{"node", "secret", "1"},
			{"node", "shared", "--key", "aVeryLong1SharedKey9zQ"},
			{"node", "deal"},
			{"node", "add", "--protocol", "trojan", "--name", "sg", "--address", "sg.example", "--port", "443"},
			{"node", "certificate", "2"},
			{
				"node", "add", "--protocol", "shadowsocks", "--name", "old", "--address", "old.example", "--port",
				"8388",
				"--method", "aes-256-gcm",
			},
			{"node", "rebuild", "--apply"},
			{"node", "remove", "1"},
			{"rule", "add", "mail", ":25$"},
			{"rule", "change", "1", "--name", "smtp"},
			{"rule", "remove", "1"},
			{"plan", "add", "--name", "Standard", "--quota-gb", "100", "--price", "1=15.00"},
			{"plan", "change", "1", "--price", "1=16.00"},
			{"plan", "remove", "1"},
			{"gateway", "add", "manual", "bank", "--credentials", credentials},
			{"gateway", "change", "bank", "--title-en", "Bank"},
			{"gateway", "remove", "bank"},
			{"coupon", "add", "SPRING", "--amount", "1.00"},
			{"coupon", "change", "1", "--no-enabled"},
			{"cdkey", "make", "--amount", "1.00"},
			{"cdkey", "void", "1"},
			{"wallet", "adjust", "ann@example.com", "1.00", "an outage"},
			{"wallet", "rate", "ann@example.com", "100"},
			{"announcement", "add", "Welcome", "--body", "Hello **you**", "--audience", "plan", "--ids", "1,2"},
			{"announcement", "change", "1", "--title-en", "Hello", "--until", "2099-01-01T00:00:00Z"},
			{"announcement", "add", "News"},
			{"announcement", "broadcast", "start", "2"},
			{"announcement", "broadcast", "stop", "2"},
			{"announcement", "remove", "1"},
			{"setting", "set", "site_name=Other"},
			{"setting", "secret", "smtp_password"},
			{"signing-key", "rotate"},
		}
		input, err := os.Open(users) // of which the secret is the first line
		if err != nil {
			t.Fatal(err)
		}
		defer input.Close()
		terminal := os.Stdin
		defer func() { os.Stdin = terminal }()
		os.Stdin = input
		for i, args := range changing {
			var before, after auditedList
			s.mustRun(&before, "audit", "list")
			member := i > 1
			if member {
				args = append(slices.Clone(args), "--member", "ann@example.com")
			}
			s.mustRun(nil, args...)
			s.mustRun(&after, "audit", "list")
			if after.Total == before.Total {
				t.Errorf("%v leaves no entry", args)
				continue
			}
			e := after.Entries[0]
			if e.Actor != audit.Operator || !strings.HasPrefix(e.ActorName, "carol as ") ||
				(e.ActorID != nil) != member {
				t.Errorf("%v leaves %+v", args, e)
			}
			for _, secret := range []string{
				"account-of-the-bank-4711", "aVeryLong1SharedKey9zQ", "email,name,hash",
				"0cc175b9c0f1b6a831c399e269772661",
			} {
				if strings.Contains(string(e.After), secret) {
					t.Errorf("%v leaves a secret: %s", args, e.After)
				}
			}
		}
		s.mustRun(nil, "doctor")
		if err := s.run(nil, "user", "list", "--member", "imported@example.com"); err == nil {
			t.Error("somebody who is not of the staff gives a command")
		}

		aliases := regexp.MustCompile(` \(.*?\)`)
		var c commands
		k, err := kong.New(&c, kong.Configuration(kong.JSON))
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range k.Model.Leaves(false) {
			path := aliases.ReplaceAllString(leaf.Path(), "")
			tried := slices.ContainsFunc(changing,
				func(args []string) bool { return strings.HasPrefix(strings.Join(args, " ")+" ", path+" ") })
			if !tried && !slices.Contains(readingCommands, path) && !slices.Contains(staffCommands, path) {
				t.Errorf("nothing says whether %q changes something", path)
			}
		}
	})
}
