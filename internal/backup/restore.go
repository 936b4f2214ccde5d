package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/detached"
	"airstrip/internal/seal"
)

// Check returns what is not as it must be in a database of this program's schema.
type Check func(ctx context.Context, d *db.DB) ([]db.Violation, error)

// Restored is what became of a restored file.
type Restored struct {
	Header
	Bytes    int64
	Contents Contents
	Broken   []db.Violation // rules that the database broke already when it was backed up
}

// Verify restores the file to a scratch SQLite database in the folder dir, and removes that again.
//
// What an earlier version kept in clear is sealed there with a key that nobody has.
func (b *File) Verify(ctx context.Context, dir string, check Check) (*Restored, error) {
	var r *Restored
	err := b.scratch(ctx, dir, (*db.DB).SealForScratch, check,
		func(done *Restored, _ string) error { r = done; return nil })
	return r, err
}

// scratch restores the file to a SQLite database in a new folder within dir and calls fn with its path when it is
// closed.
func (b *File) scratch(ctx context.Context, dir string, key func(*db.DB), check Check,
	fn func(r *Restored, file string) error,
) error {
	scratch, err := os.MkdirTemp(dir, ".airstrip-scratch-*") // with mode 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	d, err := db.Open(ctx, "", scratch)
	if err != nil {
		return err
	}
	key(d)
	r, err := b.into(ctx, d, check)
	if err := errors.Join(err, d.Close()); err != nil {
		return err
	}
	return fn(r, filepath.Join(scratch, db.SQLiteFile))
}

func (b *File) into(ctx context.Context, d *db.DB, check Check) (*Restored, error) {
	contents, err := b.Restore(ctx, d)
	if err != nil {
		return nil, err
	}
	broken, err := check(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Restored{b.Header, b.Bytes, contents, broken}, nil
}

// RestoreSQLite makes the SQLite database of the folder dir from the file. It becomes visible when it is whole and on
// the disk. There must be no database yet, nor what is left of one. key seals what an earlier version kept in clear;
// without it such a file is not restored.
func (b *File) RestoreSQLite(ctx context.Context, dir string, key *seal.Key, check Check) (*Restored, error) {
	target := filepath.Join(dir, db.SQLiteFile)
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := Free(target + end); err != nil {
			return nil, fmt.Errorf("restore needs an empty place: %w", err)
		}
	}
	var restored *Restored
	err := b.scratch(ctx, dir, sealWith(key), check, func(r *Restored, file string) error {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		restored = r
		return Publish(file, target)
	})
	if err != nil {
		return nil, err
	}
	return restored, nil
}

func sealWith(key *seal.Key) func(*db.DB) {
	return func(d *db.DB) {
		if key != nil {
			d.SealWith(*key)
		}
	}
}

// scratchSchema holds the tables until all of them are moved at once.
const scratchSchema = "airstrip_restore"

// RestorePostgres fills the empty PostgreSQL database at url from the file. Its tables appear all at once, when they
// are whole. key is that of RestoreSQLite.
func (b *File) RestorePostgres(ctx context.Context, url string, key *seal.Key, check Check) (restored *Restored,
	err error,
) {
	target, err := db.Open(ctx, url, "")
	if err != nil {
		return nil, err
	}
	defer target.Close()
	if target.Pooled() { // the lock below is of a session
		return nil, db.ErrPooler
	}
	conn, err := target.DB.DB.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var alone bool
	var tables int
	if err := conn.QueryRowContext(ctx,
		`SELECT pg_try_advisory_lock(hashtext($1)), (SELECT COUNT(*) FROM pg_tables
			WHERE schemaname = current_schema())`, scratchSchema).Scan(&alone, &tables); err != nil {
		return nil, err
	}
	if !alone {
		return nil, errors.New("another restore into this database is running")
	}
	if tables > 0 {
		return nil, fmt.Errorf("restore needs an empty place: the database has %d tables already; make a new one "+
			"with CREATE DATABASE", tables)
	}
	// What a restore that was killed has left is in nobody's use, since the lock is ours.
	const clear = `DROP SCHEMA IF EXISTS ` + scratchSchema + ` CASCADE`
	if _, err := conn.ExecContext(ctx, clear+`; CREATE SCHEMA `+scratchSchema); err != nil {
		return nil, err
	}
	defer func() {
		clearing, cancel := detached.WithTimeout(ctx, time.Minute)
		defer cancel()
		_, dropped := conn.ExecContext(clearing, clear)
		err = errors.Join(err, dropped)
	}()
	d, err := db.OpenSchema(ctx, url, scratchSchema)
	if err != nil {
		return nil, err
	}
	sealWith(key)(d)
	restored, err = b.into(ctx, d, check)
	if err := errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	return restored, moveTables(ctx, conn)
}

// moveTables moves all tables out of the scratch schema at once, and the functions that their triggers call: the schema
// goes with what depends on what is left in it.
func moveTables(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT p.proname FROM pg_proc p WHERE p.pronamespace = '`+scratchSchema+`'::regnamespace
		LOOP EXECUTE format('ALTER FUNCTION `+scratchSchema+`.%I() SET SCHEMA %I', t, current_schema()); END LOOP;
		FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = '`+scratchSchema+`'
		LOOP EXECUTE format('ALTER TABLE `+scratchSchema+`.%I SET SCHEMA %I', t, current_schema()); END LOOP; END $$`)
	return err
}
