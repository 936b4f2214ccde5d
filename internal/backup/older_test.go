package backup_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/backup"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
)

// Each release's backups are restored by all later ones.
func TestABackupOfAnOlderSchemaIsMigrated(t *testing.T) {
	const older = 70 // the last migration of version 0.1
	dbtest.EachAt(t, older, func(t *testing.T, d *db.DB) {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO revision (name, value) VALUES ('kept', 7)`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "old.backup")
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Write(t.Context(), d, f, backup.Header{Program: "0.1"}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := backup.Open(file)
		if err != nil || b.Schema != older {
			t.Fatal(b, err)
		}
		sound := func(context.Context, *db.DB) ([]db.Violation, error) { return nil, nil }
		dir, target := t.TempDir(), dbtest.EmptyPostgresURL(t)
		if _, err := b.RestoreSQLite(t.Context(), dir, nil, sound); err != nil {
			t.Fatal(err)
		}
		if _, err := b.RestorePostgres(t.Context(), dbtest.PgBouncer(t, target, ""), nil, sound); !errors.Is(err,
			db.ErrPooler) {
			t.Fatalf("through a pooler: %v, want ErrPooler", err)
		}
		if _, err := b.RestorePostgres(t.Context(), target, nil, sound); err != nil {
			t.Fatal(err)
		}
		for _, to := range [][2]string{{"", dir}, {target, ""}} {
			restored, err := db.Open(t.Context(), to[0], to[1])
			if err != nil {
				t.Fatal(err)
			}
			defer restored.Close()
			kept, err := db.Revision(t.Context(), restored, "kept")
			migrated, err2 := restored.Migrated(t.Context())
			if kept != 7 || !migrated || err != nil || err2 != nil {
				t.Errorf("restored %d, migrated %t, %v, %v", kept, migrated, err, err2)
			}
		}
	})
}
