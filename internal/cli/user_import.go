package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"airstrip/internal/account"
	"airstrip/internal/app"
)

type userImport struct {
	File string `arg:"" type:"existingfile" help:"CSV whose first line names the columns: email, hash and, where there are any, name, kind and salt; at most 10,000 lines and 4 MB."`
}

// Run adds all users of the file, or none where some line is wrong. Users who have an account already are left as they
// are, so that an import can be run again.
func (c userImport) Run(ctx context.Context, cfg *app.Config) error {
	users, err := readUsers(c.File)
	if err != nil {
		return err
	}
	if len(users.Wrong) > 0 {
		var wrong []error
		for _, w := range users.Wrong {
			wrong = append(wrong, fmt.Errorf("line %d: %s: %s", w.Line, w.Field, w.Text.EN))
		}
		return errors.Join(append(wrong, errors.New("nothing was imported"))...)
	}
	return open(ctx, cfg, func(a *app.App) error {
		done, err := a.Accounts.ImportFile(ctx, users)
		if err != nil {
			return err
		}
		return printJSON(map[string]any{"imported": done.Added, "present_already": done.Present})
	})
}

func readUsers(path string) (*account.UserFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, account.MaxImportBytes+1))
	if err != nil {
		return nil, err
	}
	return account.ReadUserFile(string(content))
}
