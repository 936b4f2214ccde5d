// Package backup writes the whole database into one file while servers run, and fills an empty database from it. The
// file holds rows and not pages, so what was written on one engine can be restored on the other. It is consistent,
// since all of it is read in one transaction; it counts only after it was restored to a scratch database that has the
// same rows; and a cut or damaged file restores nothing, since its checksum is tested before its first row is read. The
// secret key is not in it.
package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// format is the version of the file's layout: a line of JSON, the Header; a zstd stream of records; the SHA-256 of all
// before. A record is a letter and what it announces: T a table as JSON, R a row of the table as cells, E the Contents
// as JSON, which end the stream.
const format = 1

// Header says what a backup is. It is the first line of the file, readable with head -n 1.
type Header struct {
	Format    int       `json:"airstrip_backup"`
	Schema    int64     `json:"schema"`     // newest migration of the database
	Program   string    `json:"program"`    // version that wrote it
	Engine    string    `json:"engine"`     // that it was read from: sqlite or postgres
	CreatedAt time.Time `json:"created_at"` // when the reading began
	Key       string    `json:"key"`        // fingerprint of the secret key that the database needs; empty: not known
}

// Contents counts what a backup holds, by table.
type Contents map[string]Count

// Rows returns the rows of all tables.
func (c Contents) Rows() (rows int64) {
	for _, table := range c {
		rows += table.Rows
	}
	return rows
}

// ErrFile is the cause of each refusal of a file that is cut, damaged or no backup at all.
var ErrFile = errors.New("backup: the file cannot be used")

// refuse words what is wrong with the file at path.
func refuse(path, what string) error {
	return fmt.Errorf("%s %s%w", path, what, silent{ErrFile})
}

// silent is an error that errors.Is finds and that adds nothing to the text.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// File is a backup whose checksum is right.
type File struct {
	Header
	Bytes int64
	path  string
	from  int64 // where the records begin
}

const checksumBytes = sha256.Size

// Open reads the header of the backup at path and tests the checksum of all of it.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refuse(path, "is no file")
	}
	line, err := bufio.NewReader(io.LimitReader(f, 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	b := &File{Bytes: info.Size(), path: path, from: int64(len(line))}
	if !strings.HasPrefix(line, `{"airstrip_backup":`) || json.Unmarshal([]byte(line), &b.Header) != nil {
		return nil, refuse(path, "is not a backup of airstrip, or its beginning is damaged")
	}
	if b.Format != format {
		return nil, refuse(path,
			fmt.Sprintf("is a backup of format %d, and this program reads format %d only: restore it with airstrip "+
				"%s or later", b.Format, format, b.Program))
	}
	sum := sha256.New()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	stored := make([]byte, checksumBytes)
	if b.Bytes >= b.from+checksumBytes {
		if _, err := io.CopyN(sum, f, b.Bytes-checksumBytes); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(f, stored); err != nil {
			return nil, err
		}
	}
	if string(sum.Sum(nil)) != string(stored) {
		return nil, refuse(path,
			"is cut short or damaged: its checksum is wrong. Nothing was restored from it; copy it again from "+
				"where it came, or take another backup")
	}
	return b, nil
}

// records opens the records of the file.
func (b *File) records() (*reader, error) {
	f, err := os.Open(b.path)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(io.NewSectionReader(f, b.from, b.Bytes-checksumBytes-b.from))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &reader{Reader: bufio.NewReaderSize(z, 1<<20), close: func() { z.Close(); f.Close() }}, nil
}

// writer writes a file: the header first, then records, then Close.
type writer struct {
	*bufio.Writer
	to   io.Writer
	sum  hash.Hash
	zstd *zstd.Encoder
}

func newWriter(to io.Writer, h Header) (*writer, error) {
	w := &writer{to: to, sum: sha256.New()}
	both := io.MultiWriter(to, w.sum)
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if _, err := both.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	if w.zstd, err = zstd.NewWriter(both); err != nil {
		return nil, err
	}
	w.Writer = bufio.NewWriterSize(w.zstd, 1<<20)
	return w, nil
}

// document writes a record whose content is JSON.
func (w *writer) document(letter byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(appendBytes([]byte{letter}, text))
	return err
}

// Close ends the file with its checksum; it does not close what it was written to.
func (w *writer) Close() error {
	if err := errors.Join(w.Flush(), w.zstd.Close()); err != nil {
		return err
	}
	_, err := w.to.Write(w.sum.Sum(nil))
	return err
}

// Create writes a file at path that nobody else may read, under another name until fill and verify have succeeded and
// it is on the disk. It never replaces a file. Where it fails nothing remains.
func Create(path string, fill func(io.Writer) error, verify func(unfinished string) error) error {
	if err := Free(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".unfinished-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = fill(f)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the backup: %w; the unfinished file was removed", err)
	}
	if err := verify(f.Name()); err != nil {
		return err
	}
	return Publish(f.Name(), path)
}

// Free refuses a path where something is already.
func Free(path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("%s is there already and is not replaced: give another name or move it away", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Publish returns the finished file at from the name path, unless there is such a file, and has the disk keep it.
func Publish(from, path string) error {
	err := os.Link(from, path) // unlike a rename it never replaces
	switch {
	case errors.Is(err, fs.ErrExist):
		return Free(path)
	case err != nil: // a file system without links
		if err := Free(path); err != nil {
			return err
		}
		if err := os.Rename(from, path); err != nil {
			return err
		}
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
