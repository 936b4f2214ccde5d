package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/uptrace/bun"

	"airstrip/internal/app"
	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
)

// asProgram is the environment variable with which the test binary runs as airstrip itself.
const asProgram = "AIRSTRIP_TEST_PROGRAM"

// TestMain lets the test binary be the program, for tests that need several processes.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Run(context.Background()))
	}
	os.Exit(m.Run())
}

// program returns a command that runs airstrip in a process of its own.
func program(ctx context.Context, c app.Config, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1",
		"AIRSTRIP_DATA="+c.Data, "AIRSTRIP_DATABASE_URL="+c.DatabaseURL, "AIRSTRIP_SECRET_KEY="+c.SecretKey)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// testSite is the configuration of a site on which a test runs commands.
type testSite struct {
	*testing.T
	config app.Config
}

// forEachDatabase runs test on a new site with SQLite and on one with PostgreSQL.
func forEachDatabase(t *testing.T, test func(s testSite)) {
	config := app.Config{
		Listen: "127.0.0.1:0", SiteURL: "http://localhost:8080",
		TelegramAPI: "https://api.telegram.org",
	}
	migrated := func(s testSite) testSite {
		s.mustRun(nil, "migrate")
		return s
	}
	t.Run("sqlite", func(t *testing.T) {
		config.Data = t.TempDir()
		dbtest.SQLiteFile(t, config.Data)
		if _, err := seal.LoadKey(config.Data); err != nil {
			t.Fatal(err)
		}
		test(migrated(testSite{t, config}))
	})
	t.Run("postgres", func(t *testing.T) {
		config.Data, config.DatabaseURL, config.SecretKey = t.TempDir(), dbtest.PostgresURL(t),
			strings.Repeat("ab12", 16)
		test(migrated(testSite{t, config}))
	})
}

// run runs a command in this process and decodes the JSON that it prints into into, unless that is nil.
func (s testSite) run(into any, args ...string) error {
	s.Helper()
	var c commands
	k, err := kong.New(&c, kong.Configuration(kong.JSON), kong.BindTo(audit.Prepare(s.Context()),
		(*context.Context)(nil)))
	if err != nil {
		s.Fatal(err)
	}
	parsed, err := k.Parse(append(args, "--data", s.config.Data, "--database-url", s.config.DatabaseURL, "--secret-key",
		s.config.SecretKey))
	if err != nil {
		return err
	}
	printed, err := os.Create(filepath.Join(s.TempDir(), "printed"))
	if err != nil {
		s.Fatal(err)
	}
	defer printed.Close()
	terminal := os.Stdout
	os.Stdout = printed
	failed := parsed.Run(&c.Config)
	os.Stdout = terminal
	text, err := os.ReadFile(printed.Name())
	if err != nil {
		s.Fatal(err)
	}
	if failed == nil && into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			s.Fatalf("%v prints %s: %v", args, text, err)
		}
	}
	return failed
}

// mustRun runs the command and requires that it succeeds.
func (s testSite) mustRun(into any, args ...string) {
	s.Helper()
	if err := s.run(into, args...); err != nil {
		s.Fatal(args, err)
	}
}

// mustPrint runs a command in a process of its own, which must succeed, and returns what it prints.
func (s testSite) mustPrint(t *testing.T, args ...string) string {
	t.Helper()
	out, err := program(t.Context(), s.config, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

// mustFail runs a command in a process of its own, which must fail, and returns what it prints.
func (s testSite) mustFail(t *testing.T, args ...string) string {
	t.Helper()
	out, err := program(t.Context(), s.config, args...).CombinedOutput()
	if err == nil {
		t.Fatalf("%v succeeds: %s", args, out)
	}
	return string(out)
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// emptySites returns the configuration of a site that is not made yet, for each database.
func emptySites(t *testing.T) map[string]app.Config {
	key := strings.Repeat("0123456789abcdef", 4)
	return map[string]app.Config{
		"sqlite":   {Data: filepath.Join(t.TempDir(), "new"), SecretKey: key},
		"postgres": {Data: t.TempDir(), DatabaseURL: dbtest.EmptyPostgresURL(t), SecretKey: key},
	}
}

// newDemoSites returns a site with the demonstration, for each database.
func newDemoSites(t *testing.T) map[string]testSite {
	sites := map[string]testSite{}
	for engine, c := range emptySites(t) {
		s := testSite{t, c}
		s.mustPrint(t, "seed", "--demo", "--users=5")
		sites[engine] = s
	}
	return sites
}

// applyNewerMigration applies a migration that this program does not have.
func applyNewerMigration(s testSite) {
	s.Helper()
	site, err := db.Open(s.Context(), s.config.DatabaseURL, s.config.Data)
	if err != nil {
		s.Fatal(err)
	}
	defer site.Close()
	if err := site.Tx(s.Context(), func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, `CREATE TABLE future (id BIGINT PRIMARY KEY);
			INSERT INTO goose_db_version (version_id, is_applied) VALUES (29991231235959, TRUE)`)
		return err
	}); err != nil {
		s.Fatal(err)
	}
}

// databaseFile returns the content of the SQLite file, or nil with PostgreSQL.
func (s testSite) databaseFile() []byte {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.config.Data, db.SQLiteFile))
	if err != nil && s.config.DatabaseURL == "" {
		s.Fatal(err)
	}
	return text
}
