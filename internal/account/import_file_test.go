package account_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

// md5OfPassword is that of "letmein-please".
const md5OfPassword = "f4a124188f53422f98b3451bf03a8f28"

func (w *testSite) read(lines ...string) *account.UserFile {
	w.Helper()
	f, err := account.ReadUserFile(strings.Join(lines, "\n") + "\n")
	w.must(err)
	return f
}

// wrongIn returns what is wrong in a file, as line.field.
func wrongIn(f *account.UserFile) (found []string) {
	for _, one := range f.Wrong {
		found = append(found, fmt.Sprintf("%d.%s", one.Line, one.Field))
	}
	return found
}

func (w *testSite) users() (count int) {
	w.Helper()
	w.must(w.db.NewRaw(`SELECT COUNT(*) FROM account`).Scan(w.Context(), &count))
	return count
}

func TestImportFile_AddsWhoHasNoAccountAndLeavesTheOthers(t *testing.T) {
	own, err := bcrypt.GenerateFromPassword([]byte("letmein-please"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(w *testSite) {
		w.signUp("old@example.com")
		before := w.stored("old@example.com")
		f := w.read("\ufeffid, Email ,hash,kind,salt,name",
			"1, New@Example.com ,"+md5OfPassword+",md5,,\"Li, Wei\"",
			"2,old@example.com,"+md5OfPassword+",md5,,Old", "",
			"3,bcrypt@example.com,"+string(own)+",,,")
		preview, err := w.PreviewImport(w.Context(), f)
		w.must(err)
		if preview.Added != 2 || preview.Rehashed != 1 || w.users() != 1 {
			w.Errorf("preview %+v, and there are %d users", preview, w.users())
		}
		done, err := w.ImportFile(w.Context(), f)
		w.must(err)
		if done.Added != 2 || !slices.Equal(done.Present, []string{"old@example.com"}) || w.users() != 3 {
			w.Errorf("import %+v, and there are %d users", done, w.users())
		}
		if w.stored("old@example.com") != before {
			w.Error("the password of a user who had an account was changed")
		}
		for email, name := range map[string]string{"new@example.com": "Li, Wei", "bcrypt@example.com": "bcrypt"} {
			in := account.SignIn{Email: email, Password: "letmein-please"}
			g, err := w.SignIns.ByPassword(w.Context(), in, home)
			w.must(err)
			if g.User.Name != name {
				w.Errorf("%s is called %s, want %s", email, g.User.Name, name)
			}
			if b, err := w.wallets.Balance(w.Context(), g.User.ID); err != nil || b.Posted != 0 {
				w.Errorf("balance %+v, %v", b, err)
			}
			if a, err := w.services.Access(w.Context(), g.User.ID); err != nil || a.State != service.None {
				w.Errorf("access %+v, %v", a, err)
			}
		}
		again, err := w.ImportFile(w.Context(), f)
		w.must(err)
		if again.Added != 0 || len(again.Present) != 3 || w.users() != 3 {
			w.Errorf("once more: %+v, and there are %d users", again, w.users())
		}
	})
}

func TestImportFile_WrongLines_NameLineAndFieldAndAddNobody(t *testing.T) {
	each(t, func(w *testSite) {
		f := w.read("email,name,hash,kind,salt",
			"good@example.com,Good,"+md5OfPassword+",md5,",
			"nobody,Nobody,"+md5OfPassword+",md5,",
			"kind@example.com,Kind,"+md5OfPassword+",crypt,",
			"hash@example.com,Hash,f4a1,md5,",
			"salt@example.com,Salt,"+md5OfPassword+",md5salt,",
			"\"two\nlines@example.com\","+strings.Repeat("n", 33)+","+md5OfPassword+",md5,",
			"short@example.com,Short",
			"GOOD@example.com,Again,"+md5OfPassword+",md5,",
			"last@example.com,La\"st,"+md5OfPassword+",md5,")
		want := []string{
			"3.email", "4.kind", "5.hash", "6.salt", "7.email", "7.name", "9.line", "10.email", "11.line",
		}
		if got := wrongIn(f); !slices.Equal(got, want) {
			w.Errorf("wrong is %v, want %v", got, want)
		}
		_, err := w.ImportFile(w.Context(), f)
		failure, ok := fault.As(err)
		if !ok || failure.Code != "import_lines_wrong" || len(failure.Fields) != len(want) ||
			failure.Fields[1].Name != "lines.4.kind" || failure.Fields[1].Text.ZH == "" {
			w.Errorf("the import fails by %+v", failure)
		}
		if w.users() != 0 {
			w.Errorf("%d users were added", w.users())
		}
		if preview, err := w.PreviewImport(w.Context(), f); err != nil || preview.Added != 1 {
			w.Errorf("preview %+v, %v", preview, err)
		}
	})
}

// Users are added by several statements, and the last of these fails here.
func TestImportFile_AFailureAtTheEnd_LeavesNothing(t *testing.T) {
	each(t, func(w *testSite) {
		own, err := bcrypt.GenerateFromPassword([]byte("letmein-please"), bcrypt.MinCost)
		w.must(err)
		lines := []string{"email,name,hash"}
		for i := range 1_100 {
			lines = append(lines, fmt.Sprintf("u%d@example.com,%d,%s", i, i%1_099, own))
		}
		change := func(statement string) {
			w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw(statement).Exec(ctx)
				return err
			}))
		}
		change(`CREATE UNIQUE INDEX one_of_a_name ON account (name)`)
		f := w.read(lines...)
		if _, err := w.ImportFile(w.Context(), f); !errors.Is(err, account.ErrEmailTaken) {
			w.Errorf("the import fails by %v", err)
		}
		if w.users() != 0 {
			w.Errorf("%d users were added", w.users())
		}
		change(`DROP INDEX one_of_a_name`)
		done, err := w.ImportFile(w.Context(), f)
		w.must(err)
		var wallets, accesses, digests int
		w.must(w.db.NewRaw(`SELECT COUNT(*) FROM ledger_account WHERE user_id IS NOT NULL`).Scan(w.Context(), &wallets))
		w.must(w.db.NewRaw(`SELECT COUNT(*), COUNT(DISTINCT password_digest) FROM access`).
			Scan(w.Context(), &accesses, &digests))
		if done.Added != 1_100 || w.users() != 1_100 || wallets != 2_200 || accesses != 1_100 || digests != 1_100 {
			w.Errorf("%+v: %d users, %d accounts of the ledger, %d accesses, %d passwords", done, w.users(), wallets,
				accesses, digests)
		}
	})
}

func TestReadUserFile_AFileThatCannotBeRead_IsAFaultOfTheFile(t *testing.T) {
	line := "u%d@example.com,$2a$04$" + strings.Repeat("a", 53) + "\n"
	var many strings.Builder
	many.WriteString("email,hash\n")
	for i := range account.MaxImportLines + 1 {
		fmt.Fprintf(&many, line, i)
	}
	for name, c := range map[string]struct{ content, code string }{
		"nothing":            {"", "head"},
		"no column of hash":  {"email,name\na@example.com,a\n", "head"},
		"no column of email": {"user,hash\na@example.com,a\n", "head"},
		"no users":           {"email,hash\n", "empty"},
		"a column twice":     {"email,hash, Email\na@example.com,a,b@example.com\n", "head"},
		"no text":            {"email,hash\n\xff\xfe,a\n", "encoding"},
		"too many lines":     {many.String(), "too_many"},
		"too many bytes":     {"email,hash\n" + strings.Repeat("x", account.MaxImportBytes), "too_large"},
	} {
		_, err := account.ReadUserFile(c.content)
		if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != "csv" || f.Fields[0].Code != c.code {
			t.Errorf("%s: %v, want csv:%s", name, err, c.code)
		}
	}
	most := strings.TrimSuffix(many.String(), fmt.Sprintf(line, account.MaxImportLines))
	if f, err := account.ReadUserFile(most); err != nil || len(f.Wrong) != 0 {
		t.Errorf("a file of %d lines: %v", account.MaxImportLines, err)
	}
}

func TestReadUserFile_TextThatCannotBeStored_IsFoundByItsLine(t *testing.T) {
	for content, line := range map[string]string{
		"email\xff,hash\n": "line 1 ",
		"email,hash\na@example.com,a\nb@example.com,\x00": "line 3 ",
	} {
		_, err := account.ReadUserFile(content)
		f, ok := fault.As(err)
		if !ok || len(f.Fields) != 1 || !strings.Contains(f.Fields[0].Text.EN, line) {
			t.Errorf("%q: %v, want %s", content, err, line)
		}
	}
}
