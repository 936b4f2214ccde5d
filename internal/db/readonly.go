package db

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// OpenReadOnly is Open for commands that must not change anything: it creates no file, and writes fail.
func OpenReadOnly(ctx context.Context, databaseURL, dir string) (*DB, error) {
	if databaseURL == "" {
		return opened(ctx, func(d *DB) error { return d.openFile(dir) })
	}
	return opened(ctx, func(d *DB) error { return d.openPostgres(ctx, databaseURL, session{readOnly: true}) })
}

// openFile opens a SQLite file for reading. Where a server runs, its write-ahead log and the log's index are next to
// the file and are read with it. Where neither exists, the file is read as it is, since SQLite would create both. A log
// without its index was copied from elsewhere: SQLite would create the index, so a copy of both files is read.
func (d *DB) openFile(dir string) error {
	path, mode := filepath.Join(dir, SQLiteFile), "mode=ro"
	log, err := os.Stat(path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, noIndex := os.Stat(path + "-shm")
	switch {
	case noIndex == nil:
	case log == nil || log.Size() == 0:
		mode = "immutable=1"
		if d.unused, err = os.Stat(path); err != nil {
			return err
		}
	default:
		if d.scratch, err = os.MkdirTemp("", "airstrip-copy-*"); err != nil {
			return err
		}
		copied := filepath.Join(d.scratch, SQLiteFile)
		if err := errors.Join(copyFile(copied, path), copyFile(copied+"-wal", path+"-wal")); err != nil {
			return errors.Join(err, os.RemoveAll(d.scratch))
		}
		path = copied
	}
	file := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}).String()
	r, err := sql.Open("sqlite",
		file+"?"+mode+"&_pragma=busy_timeout(10000)&_pragma=trusted_schema(0)&_pragma=cache_size(-32000)&_pragma=temp_store(memory)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	d.DB, d.sqlite, d.dir, d.writeSlots = bun.NewDB(r, sqlitedialect.New()), true, dir, make(chan struct{}, 1)
	d.write, d.long = d.DB, d.DB
	return nil
}

// Changed tells whether a process began to use a SQLite file that OpenReadOnly took for unused, so that what was read
// may be of two moments.
func (d *DB) Changed() bool {
	if d.unused == nil {
		return false
	}
	path := filepath.Join(d.dir, SQLiteFile)
	now, err := os.Stat(path)
	_, noLog := os.Stat(path + "-wal")
	return err != nil || noLog == nil || !now.ModTime().Equal(d.unused.ModTime()) || now.Size() != d.unused.Size()
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
