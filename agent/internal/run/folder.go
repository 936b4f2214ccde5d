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

// lockFolder makes the data folder, if it is not there, and sees that only one agent works on it, until the folder is closed
// or the process ends.
func lockFolder(data string) (*os.File, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	f, err := os.Open(data) // the folder itself: on a full disk there is no room for a file
	if err != nil {
		return nil, fmt.Errorf("the data folder: %w", err)
	}
	for range 5 { // who looks whether it is claimed holds it for a moment
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			return f, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.Close()
	return nil, fmt.Errorf("%w %s", errInUse, data)
}

// missingFolders folders on the way to one, that one first.
func missingFolders(path string) (folders []string) {
	for _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(path) {
		folders = append(folders, path)
		path = filepath.Dir(path)
	}
	return folders
}

// removeEmptyFolders removes those that are empty.
func removeEmptyFolders(folders []string) {
	for _, path := range folders {
		_ = os.Remove(path)
	}
}

// checkFolder writes into the data folder, where no agent works, and looks at what one left there.
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
			return fmt.Errorf("it is that of node %d, of which %d reports wait: they would be counted as this node's", saved.Snapshot.Node.ID, s.Waiting)
		}
	}
	return nil
}

// failureFile says why the last agent ended.
const failureFile = "failure"

// writeFailure keeps why the agent ended.
func writeFailure(data string, why error) {
	text := time.Now().Format(time.RFC3339) + " " + why.Error() + "\n"
	_ = durable.WriteFile(filepath.Join(data, failureFile), []byte(text)) // the log has it, too
}
