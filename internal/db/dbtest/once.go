package dbtest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// madeOnce has make make the file or folder at path, or copies there what another test binary of the same go test has
// made under this name: each package would migrate a database otherwise, which takes longer than the tests of most.
func madeOnce(name, path string, make func() error) error {
	work := workFolder()
	if work == "" {
		return make()
	}
	lock, err := os.OpenFile(filepath.Join(work, name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	made := filepath.Join(work, name)
	if _, err := os.Stat(made); err == nil {
		return copyAll(made, path)
	}
	if err := make(); err != nil {
		return err
	}
	if err := copyAll(path, made+".new"); err != nil {
		return err
	}
	return os.Rename(made+".new", made)
}

// workFolder returns the folder of the go test that runs this test binary, which go removes at its end: a test binary
// is at go-build…/b…/name.test. It returns "" where go test does not run it.
func workFolder() string {
	work := filepath.Dir(filepath.Dir(os.Args[0]))
	if !strings.HasPrefix(filepath.Base(work), "go-build") {
		return ""
	}
	return work
}

// copyAll copies a file or a folder with its owners, which PostgreSQL demands of its data.
func copyAll(from, to string) error { return run(nil, "cp", "-a", from, to) }
