package meter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airstrip/agent/internal/api"
	"airstrip/agent/internal/durable"
)

const batchSuffix = ".batch"

// mark is the position of a user's counter when a batch was sealed.
type mark struct {
	User     int64 `json:"user"`
	Up, Down int64
}

// Batch is a sealed report. Body is sent unchanged on every attempt.
type Batch struct {
	Body   []byte
	Report api.Report

	name  string
	marks []mark
}

// spool is the folder of batches that no answer has named yet. A file holds one line of marks, followed by the body.
type spool struct {
	dir  string
	last int64
}

// openSpool creates the folder if the disk has space. Otherwise write creates it later.
func openSpool(dir string) (*spool, error) {
	s := &spool{dir: dir}
	if err := s.make(); err != nil && !durable.IsDiskFull(err) {
		return nil, err
	}
	// A process that died while writing leaves unfinished files. Their bytes are still in the counters.
	unfinished, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil {
		return nil, err
	}
	for _, name := range unfinished {
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		fmt.Sscanf(names[len(names)-1], "%d", &s.last)
	}
	return s, nil
}

func (s *spool) make() error { return os.MkdirAll(filepath.Join(s.dir, "refused"), 0o700) }

// names returns the waiting batches, oldest first.
func (s *spool) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), batchSuffix) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// write stores a batch on the disk and returns once it is safe there.
func (s *spool) write(b *Batch) error {
	if err := s.make(); err != nil {
		return fmt.Errorf("making the spool: %w", err)
	}
	marks, err := json.Marshal(b.marks)
	if err != nil {
		return err
	}
	next := max(s.last+1, time.Now().UnixNano())
	b.name = fmt.Sprintf("%020d%s", next, batchSuffix)
	path := filepath.Join(s.dir, b.name)
	if err := durable.WriteFile(path, slices.Concat(marks, []byte("\n"), b.Body)); err != nil {
		return fmt.Errorf("spooling a batch: %w", err)
	}
	s.last = next
	return nil
}

func (s *spool) read(name string) (*Batch, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	head, body, found := bytes.Cut(data, []byte("\n"))
	b := &Batch{Body: body, name: name}
	if !found {
		return nil, errUnreadable
	}
	if json.Unmarshal(head, &b.marks) != nil || json.Unmarshal(body, &b.Report) != nil {
		return nil, errUnreadable
	}
	return b, nil
}

var errUnreadable = errors.New("the batch is not readable")

func (s *spool) remove(name string) error {
	err := os.Remove(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// setAside moves a batch that will never be accepted to a folder for the operator.
func (s *spool) setAside(name string) error {
	if err := s.make(); err != nil {
		return err
	}
	return os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, "refused", name))
}
