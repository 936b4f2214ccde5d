package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airstrip/internal/app"
	"airstrip/internal/backup"
	"airstrip/internal/db"
)

type backupCommand struct {
	File string `arg:"" help:"Name of the new file." type:"path"`
}

func (c backupCommand) Run(ctx context.Context, cfg *app.Config) error {
	if cfg.Missing() {
		return noSite(cfg)
	}
	made, err := app.Backup(ctx, *cfg, version, c.File)
	if err != nil {
		return err
	}
	fmt.Printf("%s holds %s. It was restored to a scratch database and is the same there.\n", c.File, describe(made))
	if made.Key == "" {
		fmt.Printf("The secret key was not found at %s. Find it: a restored site needs it, and it is not in the "+
			"backup.\n", cfg.KeyLocation())
	} else {
		fmt.Printf("The secret key is not in it. A restored site needs the key %s from %s: keep a copy of that in "+
			"another place.\n", made.Key, cfg.KeyLocation())
	}
	return broken("The backup is complete, but the database is not as it must be", made.Broken)
}

type restoreCommand struct {
	File string `arg:"" help:"A file that airstrip backup made." type:"path"`
}

func (c restoreCommand) Run(ctx context.Context, cfg *app.Config) error {
	made, err := app.Restore(ctx, *cfg, c.File)
	if err != nil {
		return err
	}
	fmt.Printf("Restored %s.\n", describe(made))
	if made.Key != "" {
		fmt.Printf("The site needs the secret key %s, which is not in the backup: before it starts, the key must "+
			"be at %s.\n", made.Key, cfg.KeyLocation())
	}
	return broken("The restored database is the one that was backed up, but it is not as it must be", made.Broken)
}

func describe(r *backup.Restored) string {
	return fmt.Sprintf("%d rows of %d tables in %d bytes, schema %d, read from %s by airstrip %s at %s",
		r.Contents.Rows(), len(r.Contents), r.Bytes, r.Schema, r.Engine, r.Program, r.CreatedAt.Format(time.RFC3339))
}

// broken prints the rules that a database breaks and gives an error that begins with what.
func broken(what string, rules []db.Violation) error {
	for _, v := range rules {
		fmt.Printf("%s\n  %s\n", v.Rule, v.What)
	}
	if len(rules) > 0 {
		return errors.New(what + "; see above")
	}
	return nil
}
