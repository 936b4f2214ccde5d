// Package durable writes files that are there whole or not at all, also after the power failed.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// IsDiskFull says whether an error means that the disk, or the process's share of it, has no room.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// WriteFile replaces the file at path, mode 0600. On an error the old content is still there.
func WriteFile(path string, data []byte) error {
	tmp := path + ".tmp"
	if err := writeTemporaryFile(tmp, data); err != nil {
		os.Remove(tmp)
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	// The new content is in place and callers act on that. If the folder can't be synced a power cut may bring
	// the old one back, but an error here would say that nothing had happened.
	_ = SyncFolder(filepath.Dir(path))
	return nil
}

// SyncFolder makes what was created, renamed and deleted in a folder outlive a power cut.
func SyncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

func writeTemporaryFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
