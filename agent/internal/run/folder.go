package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"airstrip/agent/internal/durable"
)

var errInUse = errors.New("another agent works on the data folder")

// lockFolder creates the data folder if necessary, and ensures that only one agent uses it, until the file is closed or
// the process ends.
func lockFolder(data string) (*os.File, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	f, err := os.Open(data) // The lock is on the folder itself: a full disk has no room for a lock file.
	if err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	for range 5 { // A check holds the lock for a moment.
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return f, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.Close()
	return nil, fmt.Errorf("%w %s", errInUse, data)
}

// missingFolders returns the folders on the way to path that do not exist, path first.
func missingFolders(path string) (folders []string) {
	for _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(path) {
		folders = append(folders, path)
		path = filepath.Dir(path)
	}
	return folders
}

// removeEmptyFolders removes those folders that are empty.
func removeEmptyFolders(folders []string) {
	for _, path := range folders {
		_ = os.Remove(path)
	}
}

// checkFolder writes into the data folder of an agent that does not run, and examines its content.
func checkFolder(c Config) error {
	path := filepath.Join(c.Data, "check.tmp")
	err := os.WriteFile(path, []byte("check"), 0o600)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("nothing can be kept in it: %w", err)
	}
	saved, err := readState(c.Data)
	if err == nil && saved != nil && saved.Snapshot.Node.ID != c.Node {
		var s Summary
		if s.addReports(c.Data, nil); s.Waiting > 0 {
			return fmt.Errorf("it is that of node %d, of which %d reports wait: they would be counted as this node's",
				saved.Snapshot.Node.ID, s.Waiting)
		}
	}
	return nil
}

// failureFile holds why the last agent ended.
const failureFile = "failure"

// writeFailure stores why the agent ended.
func writeFailure(data string, why error) {
	text := time.Now().Format(time.RFC3339) + " " + why.Error() + "\n"
	_ = durable.WriteFile(filepath.Join(data, failureFile), []byte(text)) // The log contains it as well.
}
