package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/app"
)

type userImport struct {
	File string `arg:"" type:"existingfile" help:"CSV whose first line names the columns: email, name, hash, kind and, where there is one, salt."`
}

// imported is one line of the file that holds a user.
type imported struct {
	line                          int
	email, name, hash, kind, salt string
}

// Run adds all users of the file, or none where some line is wrong. Users who have an account already are left as they
// are, so that a broken import can be run again.
func (c userImport) Run(ctx context.Context, cfg *app.Config) error {
	users, err := readUsers(c.File)
	if err != nil {
		return err
	}
	return open(ctx, cfg, func(a *app.App) error {
		stored := make([]string, len(users))
		var wrong []error
		for i, u := range users {
			var err error
			if err = account.CheckImport(u.email, u.name); err == nil {
				stored[i], err = a.Accounts.Accept(ctx, account.HashKind(u.kind), u.hash, u.salt)
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("line %d: %s", u.line, errorText(err)))
			}
		}
		if len(wrong) > 0 {
			return errors.Join(append(wrong, errors.New("nothing was imported"))...)
		}
		added, present := 0, []string{}
		for i, u := range users {
			err := a.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
				_, err := a.Accounts.Import(ctx, tx, u.email, u.name, stored[i])
				return err
			})
			switch {
			case errors.Is(err, account.ErrEmailTaken):
				present = append(present, u.email)
			case err != nil:
				return fmt.Errorf("line %d, after %d users were imported: %w", u.line, added, err)
			default:
				added++
			}
		}
		return printJSON(map[string]any{"imported": added, "present_already": present})
	})
}

func readUsers(path string) ([]imported, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := csv.NewReader(file)
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("read the first line: %w", err)
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff") // spreadsheets put it there
	column := func(row []string, name string) string {
		if at := slices.Index(head, name); at >= 0 {
			return row[at]
		}
		return ""
	}
	for _, name := range []string{"email", "name", "hash"} {
		if !slices.Contains(head, name) {
			return nil, fmt.Errorf("the first line names no column %q", name)
		}
	}
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	users := make([]imported, len(rows))
	for i, row := range rows {
		users[i] = imported{
			i + 2, strings.TrimSpace(column(row, "email")), strings.TrimSpace(column(row, "name")),
			strings.TrimSpace(column(row, "hash")), strings.TrimSpace(column(row, "kind")), column(row, "salt"),
		}
		if users[i].name == "" {
			users[i].name, _, _ = strings.Cut(users[i].email, "@")
		}
	}
	return users, nil
}
