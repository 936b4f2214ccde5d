// Package durable writes files atomically. After a crash or a power cut a file has either its old content or its new
// one, never a part. It also tells errors that mean a full disk from others, because callers go on in memory after
// those.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// IsDiskFull reports whether err means that the disk, or the quota of the process, has no space left.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// WriteFile replaces the file at path, with mode 0600. If it fails, the old content is unchanged.
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
	// The new content is in place and callers act on it. If the folder cannot be synced, a power cut may restore the
	// old content, but an error here would claim that nothing had changed.
	_ = SyncFolder(filepath.Dir(path))
	return nil
}

// SyncFolder makes files created, renamed and deleted in a folder survive a power cut.
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
