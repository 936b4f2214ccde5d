package backup_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airstrip/internal/backup"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// A file counts only when it was verified: what happens to it on the disk before that is noticed.
func TestCreate_FileThatIsNotAsItWasWritten_IsRefusedAndRemoved(t *testing.T) {
	errCheck, errDisk := errors.New("the check failed"), errors.New("the disk failed")
	rewrite := func(change func(b []byte) []byte) func(string) error {
		return func(file string) error {
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, change(b), 0o600)
		}
	}
	asItIs := rewrite(func(b []byte) []byte { return b })
	cut := rewrite(func(b []byte) []byte { return b[:len(b)-1] })
	flip := rewrite(func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	empty := rewrite(func([]byte) []byte { return nil })
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, c := range map[string]struct {
			damage func(file string) error
			check  error
			want   error
			says   string
		}{
			"cut":         {cut, nil, backup.ErrFile, "is cut short or damaged"},
			"changed":     {flip, nil, backup.ErrFile, "is cut short or damaged"},
			"emptied":     {empty, nil, backup.ErrFile, "is not a backup"},
			"removed":     {os.Remove, nil, os.ErrNotExist, "no such file"},
			"not checked": {asItIs, errCheck, errCheck, "the check failed"},
			"not written": {nil, nil, errDisk, "the unfinished file was removed"},
		} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				err := backup.Create(filepath.Join(dir, "site.backup"), func(w io.Writer) error {
					if c.damage == nil {
						w = failing{errDisk}
					}
					_, err := backup.Write(t.Context(), d, w, backup.Header{Program: "test"})
					return err
				}, func(unfinished string) error {
					if err := c.damage(unfinished); err != nil {
						t.Fatal(err)
					}
					written, err := backup.Open(unfinished)
					if err != nil {
						return err
					}
					_, err = written.Verify(t.Context(), dir, func(context.Context, *db.DB) ([]db.Violation, error) {
						return nil, c.check
					})
					return err
				})
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %v that says %q", err, c.want, c.says)
				}
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left: %v, %v", left, err)
				}
			})
		}
	})
}

// failing is a disk that takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
