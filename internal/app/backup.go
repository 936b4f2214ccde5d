package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"airstrip/internal/backup"
	"airstrip/internal/db"
	"airstrip/internal/seal"
)

// Backup writes the database into a new file and verifies it in a scratch database next to it. Servers may run.
func Backup(ctx context.Context, cfg Config, version, file string) (*backup.Restored, error) {
	c, err := cfg.read()
	if err != nil {
		return nil, err
	}
	key, err := c.fingerprint()
	if err != nil {
		return nil, err
	}
	if err := backup.Free(file); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, c.DatabaseURL, c.Data)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.CheckSchema(ctx); err != nil {
		return nil, err
	}
	var verified *backup.Restored
	err = backup.Create(file, func(w io.Writer) error {
		_, err := backup.Write(ctx, d, w, backup.Header{Program: version, Key: key})
		return err
	}, func(unfinished string) error {
		written, err := backup.Open(unfinished)
		if err != nil {
			return err
		}
		if verified, err = written.Verify(ctx, filepath.Dir(file), Check); err != nil {
			return fmt.Errorf("the backup was not verified and was removed: %w", err)
		}
		return nil
	})
	return verified, err
}

// Restore fills the database of the configuration, which must be empty, from a backup. No server may run on it.
func Restore(ctx context.Context, cfg Config, file string) (*backup.Restored, error) {
	c, err := cfg.read()
	if err != nil {
		return nil, err
	}
	b, err := backup.Open(file)
	if err != nil {
		return nil, err
	}
	key, err := c.findKey()
	if err != nil {
		return nil, err
	}
	if key != nil && b.Key != "" && fingerprint(*key) != b.Key {
		return nil, fmt.Errorf("the secret key here (%s) is not the one that this backup needs (%s); put that one "+
			"in its place first: nothing that the database has sealed opens with another", fingerprint(*key), b.Key)
	}
	if c.DatabaseURL != "" {
		return b.RestorePostgres(ctx, c.DatabaseURL, key, Check)
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, err
	}
	held, err := lock(c.Data)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	return b.RestoreSQLite(ctx, c.Data, key, Check)
}

// Diagnosis is what the doctor found.
type Diagnosis struct {
	Broken []db.Violation
	NoKey  bool // the secret key is not there, so that what is sealed could not be checked
}

// Examine checks the database without changing it. A server may run.
func Examine(ctx context.Context, cfg Config) (*Diagnosis, error) {
	c, err := cfg.read()
	if err != nil {
		return nil, err
	}
	d, err := db.OpenReadOnly(ctx, c.DatabaseURL, c.Data)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.CheckSchema(ctx); err != nil {
		return nil, err
	}
	schema, err := d.SchemaVersion(ctx)
	if err != nil {
		return nil, err
	}
	if schema < db.ProgramSchema() {
		return nil, fmt.Errorf("the database has schema %d, and this program checks schema %d: run airstrip "+
			"migrate first, or airstrip doctor of the version that wrote it", schema, db.ProgramSchema())
	}
	if err := d.Sound(ctx); err != nil {
		return nil, err
	}
	found := &Diagnosis{}
	if found.Broken, err = Check(ctx, d); err != nil {
		return nil, err
	}
	key, err := c.findKey()
	if err != nil {
		return nil, err
	}
	if found.NoKey = key == nil; key != nil {
		sealed, err := checkKey(ctx, d, *key)
		if err != nil {
			return nil, err
		}
		found.Broken = append(found.Broken, sealed...)
	}
	if d.Changed() {
		return nil, errors.New("a program began to use the database while it was checked: run airstrip doctor again")
	}
	return found, nil
}

// fingerprint identifies the secret key without disclosing it; empty if there is no key.
func (c checked) fingerprint() (string, error) {
	key, err := c.findKey()
	if err != nil || key == nil {
		return "", err
	}
	return fingerprint(*key), nil
}

func fingerprint(key seal.Key) string { return hex.EncodeToString(key.For("fingerprint")[:8]) }

// KeyLocation returns where the secret key of this configuration is stored.
func (c Config) KeyLocation() string {
	switch {
	case c.SecretKey != "":
		return "AIRSTRIP_SECRET_KEY"
	case os.Getenv("AIRSTRIP_SECRET_KEY_FILE") != "":
		return os.Getenv("AIRSTRIP_SECRET_KEY_FILE")
	}
	return filepath.Join(c.Data, "secret.key")
}
