package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/audit"
)

const importPath = "/api/v2/staff/users/import"

// md5Hash is the hash of a password of users of another panel.
const md5Hash = "5f4dcc3b5aa765d61d8327deb882cf99"

func importBody(dryRun bool, lines ...string) string {
	body, err := json.Marshal(map[string]any{"csv": strings.Join(lines, "\n") + "\n", "dry_run": dryRun})
	if err != nil {
		panic(err) // texts only
	}
	return string(body)
}

type importAnswer struct {
	Added   int
	Present []string
	Wrong   []struct {
		Line    int
		Field   string
		Message string
	}
	WrongCount int `json:"wrong_count"`
}

func (h *fixture) accounts() (count int) {
	h.Helper()
	if err := h.DB.NewRaw(`SELECT COUNT(*) FROM account`).Scan(h.Context(), &count); err != nil {
		h.Fatal(err)
	}
	return count
}

func TestUserImport_ChecksFirstThenAddsAllInOneEntry(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, before := h.staff[account.Admin], h.accounts()
		entries, _ := h.entries()
		lines := []string{
			"email,hash,kind", "new1@example.com," + md5Hash + ",md5", "user0@example.com," + md5Hash + ",md5",
			"new2@example.com," + md5Hash + ",md5",
		}
		var checked, done importAnswer
		h.ask(admin, 200, "POST", importPath, importBody(true, lines...), &checked)
		if now, _ := h.entries(); checked.Added != 2 || h.accounts() != before || now != entries {
			h.Errorf("the check finds %+v, leaves %d accounts and %d entries", checked, h.accounts(), now)
		}
		h.ask(admin, 200, "POST", importPath, importBody(false, lines...), &done)
		if done.Added != 2 || !slices.Equal(done.Present, []string{"user0@example.com"}) || h.accounts() != before+2 {
			h.Errorf("the import answers %+v and leaves %d accounts", done, h.accounts())
		}
		found, total, err := h.Audit.Find(h.Context(), audit.Filter{Action: "user.import", Limit: 2})
		if err != nil || total != 1 || !strings.Contains(found[0].After, `"users":2`) ||
			strings.Contains(found[0].After, md5Hash) {
			h.Errorf("the audit log has %+v (%v)", found, err)
		}
		h.sound(h.T)
	})
}

func TestUserImport_WrongLines_AreNamedInTheCallersLanguageAndAddNobody(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin, before := h.staff[account.Admin], h.accounts()
		lines := []string{"email,hash,kind", "new@example.com," + md5Hash + ",md5", "bad@example.com,12,md5"}
		var checked importAnswer
		h.ask(admin, 200, "POST", importPath, importBody(true, lines...), &checked)
		if len(checked.Wrong) != 1 || checked.WrongCount != 1 || checked.Wrong[0].Line != 3 ||
			checked.Wrong[0].Field != "hash" || checked.Wrong[0].Message == "" {
			h.Errorf("the check finds %+v", checked)
		}
		if text := h.ask(admin, 422, "POST", importPath, importBody(false, lines...), nil); !strings.Contains(text,
			`"lines.3.hash"`) {
			h.Error(text)
		}
		if h.accounts() != before {
			h.Errorf("there are %d accounts, want %d", h.accounts(), before)
		}
	})
}

func TestUserImport_Bounds_AreNamed(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		admin := h.staff[account.Admin]
		fast := []string{"email,hash,kind"}
		for i := range account.MaxRehashed + 1 {
			fast = append(fast, fmt.Sprintf("fast%d@example.com,%s,md5", i, md5Hash))
		}
		large := "email,hash\n" + strings.Repeat("x", account.MaxImportBytes)
		for _, c := range []struct {
			status     int
			body, code string
		}{
			{422, importBody(true, fast...), `"many_hashes"`},
			{422, importBody(true, large), `"field":"csv"`},
			{413, importBody(true, large+large), `"body_too_large"`},
		} {
			if text := h.ask(admin, c.status, "POST", importPath, c.body, nil); !strings.Contains(text, c.code) {
				h.Errorf("%s: %.300s", c.code, text)
			}
		}
	})
}

func TestUserImport_IsForOwnersAndAdminsAlone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		body := importBody(true, "email,hash,kind", "new@example.com,"+md5Hash+",md5")
		for _, role := range []account.Role{account.Support, account.Finance, account.Viewer} {
			h.ask(h.staff[role], 403, "POST", importPath, body, nil)
		}
		h.ask(h.users[0], 403, "POST", importPath, body, nil)
		h.ask(h.staff[account.Owner], 200, "POST", importPath, body, nil)
	})
}
