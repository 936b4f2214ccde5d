package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/backup"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/emby"
	"airstrip/internal/node"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/token"
)

// beforeSealing is a schema of before proxy credentials were sealed.
const beforeSealing = 20261123054953

// laterColumns are the columns of table node that came after beforeSealing.
var laterColumns = []string{"client_secrets", "names"}

// oldSite is a database of beforeSealing.
type oldSite struct {
	config   Config
	accesses map[int64]service.Access
	settings map[int64]node.Settings
	media    uuid.UUID // token of user 2's link to the media server
	secrets  needles
}

// eachOldSite runs test on a site of so many users on each engine, as the program of then left it.
func eachOldSite(t *testing.T, users int, test func(t *testing.T, s *oldSite)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			c.SecretKey = keyText
			if engine == "postgres" {
				c.DatabaseURL = dbtest.EmptyPostgresURL(t)
			}
			d, err := db.Open(t.Context(), c.DatabaseURL, c.Data)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			s := &oldSite{
				config: c, accesses: map[int64]service.Access{}, settings: map[int64]node.Settings{},
				secrets: needles{},
			}
			if err := d.MigrateTo(t.Context(), beforeSealing); err != nil {
				t.Fatal(err)
			}
			if _, err := token.New(t.Context(), d, s.key(t)); err != nil { // the server made its signing key
				t.Fatal(err)
			}
			if err := d.LongTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				return s.fill(ctx, tx,
					users)
			}); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			test(t, s)
		})
	}
}

func (s *oldSite) key(t *testing.T) seal.Key {
	t.Helper()
	key, err := seal.ParseKey(keyText)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (s *oldSite) fill(ctx context.Context, tx bun.Tx, users int) error {
	key, err := seal.ParseKey(keyText)
	if err != nil {
		return err
	}
	var nodes []node.Node
	for i, n := range nodesWithSecrets() {
		n.ID, n.Settings.Path = int64(i)+1, "/a&b<c"
		n.PublishedPermille = n.Rate(time.Now()) // else the server publishes the rate, and completes the settings
		switch n.Protocol {
		case node.Shadowsocks:
			n.Settings.ServerKey = base64.StdEncoding.EncodeToString([]byte("the key of the server of 32 byte"))
		case node.Hysteria2:
			n.Settings.ObfsPassword = "obfuscation&<password>"
		}
		s.settings[n.ID], nodes = n.Settings, append(nodes, n)
		s.secrets.secrets(n)
		if _, err := tx.NewInsert().Model(&n).ExcludeColumn(laterColumns...).
			Value("private", "?", key.Seal("node settings", []byte("{}"))).Exec(ctx); err != nil {
			return err
		}
	}
	type plainAccess struct {
		bun.BaseModel `bun:"table:access"`
		UserID        int64
		UUID          uuid.UUID `bun:"type:uuid"`
		Password      string
		State         string
		Class         int
		Groups        []int `bun:"type:jsonb"`
		Banned        bool
		Allowed       bool
		Devices       *int
		WasUntil      *time.Time
		Sources       string
		WasClass      int
		WasGroups     []int `bun:"type:jsonb"`
		Revision      int64
	}
	until := time.Date(2026, 2, 3, 4, 5, 6, 789000000, time.UTC)
	for from := 1; from <= users; from += 500 {
		var rows []plainAccess
		for id := int64(from); id <= int64(min(users, from+499)); id++ {
			a := service.Access{
				UserID: id, UUID: uuid.New(), Password: fmt.Sprintf("password-of-%08d", id), State: service.Expired,
				Class: 3, Groups: []int{4, 5},
				Devices: new(2), WasUntil: &until, Sources: "package:1", WasClass: 1, WasGroups: []int{6}, Revision: 7,
			}
			if id == int64(users) {
				a.Password = s.accesses[1].Password // two chose it before the schema kept them from it
			}
			s.accesses[id] = a
			if id%int64(users/10) == 0 { // looking for all takes minutes
				s.secrets.credentials(fmt.Sprint("user ", id), a, nodes)
			}
			rows = append(rows, plainAccess{
				UserID: id, UUID: a.UUID, Password: a.Password, State: string(a.State), Class: a.Class,
				Groups: a.Groups, Devices: a.Devices,
				WasUntil: a.WasUntil, Sources: a.Sources, WasClass: a.WasClass, WasGroups: a.WasGroups,
				Revision: a.Revision,
			})
		}
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return err
		}
	}
	s.media = uuid.New()
	s.secrets["media"] = s.media[:]
	s.secrets.text("media as text", s.media.String())
	if _, err := tx.NewRaw(`INSERT INTO emby_account (user_id, token, name, password, emby_id, wanted, state, held, last_error, created_at, updated_at)
		VALUES (2, ?0, 'user-2', ?1, 'e2', 'enabled', 'disabled', ?2, 'x', ?3, ?3)`, s.media, key.Seal("emby password", []byte("media")), true, until).
		Exec(ctx); err != nil {
		return err
	}
	_, err = tx.NewRaw(`INSERT INTO chosen_password (user_id, hash) SELECT 1, ?`, []byte{1}).Exec(ctx)
	return err
}

// check compares what the parts read now with what the site had, and looks for what is left of it in clear.
func (s *oldSite) check(t *testing.T) {
	t.Helper()
	d, err := db.Open(t.Context(), s.config.DatabaseURL, s.config.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	settings, err := setting.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	services := service.New(d, s.key(t), settings)
	rows, _, err := services.Changed(t.Context(), 0)
	if err != nil || len(rows) != len(s.accesses) {
		t.Fatalf("%d users, %v; want %d", len(rows), err, len(s.accesses))
	}
	for _, got := range rows {
		if got, want := inWords(t, got), inWords(t, s.accesses[got.UserID]); got != want {
			t.Fatalf("there is\n%s, want\n%s", got, want)
		}
	}
	nodes := node.New(d, s.key(t), settings, services)
	listed, err := nodes.List(t.Context())
	if err != nil || len(listed) != len(s.settings) {
		t.Fatal(listed, err)
	}
	for _, n := range listed {
		if !reflect.DeepEqual(n.Settings, s.settings[n.ID]) {
			t.Errorf("node %d has %+v, want %+v", n.ID, n.Settings, s.settings[n.ID])
		}
		if n, err := nodes.Get(t.Context(), n.ID); err != nil || !reflect.DeepEqual(n.Settings, s.settings[n.ID]) {
			t.Errorf("its agent receives %+v, %v", n.Settings, err)
		}
	}
	media, err := emby.New(d, s.key(t), settings, secret.New(d, s.key(t)), services, nil).
		OfToken(t.Context(), s.media.String())
	if err != nil || media.UserID != 2 || media.Account.Token != s.media || media.Account.EmbyID != "e2" ||
		!media.Account.Held {
		t.Errorf("the link to the media server opens %+v, %v", media, err)
	}
	broken, err := checkKey(t.Context(), d, s.key(t))
	if err != nil || len(broken) > 0 {
		t.Error(broken, err)
	}
	if found := s.secrets.found(stolen(t, d, s.config.Data)); len(found) > 0 {
		t.Errorf("of %d secrets there are in clear:\n%s", len(s.secrets), strings.Join(found, "\n"))
	}
}

// inWords tells two values apart by what they say, whatever the zone of a time is called.
func inWords(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMigrate_SealsWhatEarlierVersionsKeptInClear(t *testing.T) {
	eachOldSite(t, 1203, func(t *testing.T, s *oldSite) {
		a, err := Open(t.Context(), s.config, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Services.ChooseCredentials(t.Context(), 3, "fHs.83_kWq~20xZ-p1"); err != nil {
			t.Fatal(err)
		}
		if err := a.Services.ChooseCredentials(t.Context(), 4, "fHs.83_kWq~20xZ-p1"); err == nil {
			t.Error("two users have one password")
		}
		chose, err := a.Services.Access(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		was := s.accesses[3]
		was.UUID, was.Password, was.Revision = chose.UUID, chose.Password, chose.Revision
		s.accesses[3] = was
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		s.check(t)
	})
}

// forgetLock ends the lock of a process that was killed while it migrated PostgreSQL, which otherwise lasts for 30 s.
func (s *oldSite) forgetLock(t *testing.T) {
	t.Helper()
	if s.config.DatabaseURL == "" {
		return
	}
	d, err := db.Open(t.Context(), s.config.DatabaseURL, "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.ExecContext(t.Context(),
		`UPDATE goose_lock SET locked = false, lease_expires_at = NULL`); err != nil {
		t.Fatal(err)
	}
}

// A process that is killed at any moment of the migration leaves a database with which the next one does all of it.
func TestMigrate_KilledWhileItSeals_LosesNobodysCredentials(t *testing.T) {
	eachOldSite(t, 20_000, func(t *testing.T, s *oldSite) {
		p := &process{config: s.config}
		kills, ready := 0, false
		for wait := 60 * time.Millisecond; !ready; wait += wait / 3 {
			p.start(t)
			for deadline := time.Now().Add(wait); !ready && time.Now().
				Before(deadline); time.Sleep(10 * time.Millisecond) {
				if res, err := http.Get("http://" + s.config.Listen + "/health"); err == nil {
					res.Body.Close()
					ready = true
				}
			}
			p.kill()
			kills++
			s.forgetLock(t)
			if wait > time.Minute {
				t.Fatalf("it never gets ready: %s", p.log.Bytes())
			}
		}
		t.Logf("%d kills", kills)
		s.check(t)
	})
}

// A process that dies after it sealed PostgreSQL's rows and before it removed the samples of them from the planner's
// statistics leaves that to the next one.
func TestMigrate_KilledBeforeItRemovedTheStatistics_RemovesThemAtTheNextStart(t *testing.T) {
	eachOldSite(t, 100, func(t *testing.T, s *oldSite) {
		if s.config.DatabaseURL == "" {
			t.Skip("SQLite has no such statistics")
		}
		d, err := db.Open(t.Context(), s.config.DatabaseURL, s.config.Data)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.ExecContext(t.Context(), `ANALYZE access`); err != nil {
			t.Fatal(err)
		}
		reader, err := d.BeginTx(t.Context(), nil) // keeps the statistics from being written anew
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Rollback()
		if _, err := reader.ExecContext(t.Context(), `LOCK TABLE pg_statistic IN ACCESS SHARE MODE`); err != nil {
			t.Fatal(err)
		}
		p := &process{config: s.config}
		p.start(t)
		for waiting := false; !waiting; time.Sleep(10 * time.Millisecond) {
			if err := reader.NewRaw(`SELECT EXISTS (SELECT FROM pg_locks
				WHERE relation = 'pg_statistic'::regclass AND NOT granted)`).Scan(t.Context(), &waiting); err != nil {
				t.Fatal(err)
			}
		}
		p.kill()
		if _, err := reader.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
			WHERE relation = 'pg_statistic'::regclass AND NOT granted`); err != nil { // it would still do it
			t.Fatal(err)
		}
		if err := reader.Rollback(); err != nil {
			t.Fatal(err)
		}
		s.forgetLock(t)
		a, err := Open(t.Context(), s.config, "test")
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		s.check(t)
	})
}

func TestMigrate_WithoutTheSitesKey_ChangesNothing(t *testing.T) {
	eachOldSite(t, 10, func(t *testing.T, s *oldSite) {
		for name, c := range map[string]struct {
			key  *seal.Key
			says string
		}{
			"without a key":    {nil, "AIRSTRIP_SECRET_KEY"},
			"with another key": {&seal.Key{1, 2, 3}, "not the one that this database was made with"},
		} {
			d, err := db.Open(t.Context(), s.config.DatabaseURL, s.config.Data)
			if err != nil {
				t.Fatal(err)
			}
			if c.key != nil {
				d.SealWith(*c.key)
			}
			err = d.Migrate(t.Context())
			schema, schemaErr := d.SchemaVersion(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.says) || schemaErr != nil ||
				schema >= db.ProgramSchema() {
				t.Errorf("%s: %v, schema %d, %v", name, err, schema, schemaErr)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Open(t.Context(), s.config, "test")
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		s.check(t)
	})
}

func TestABackupOfBeforeSealing_IsSealedAsItIsRestored(t *testing.T) {
	eachOldSite(t, 10, func(t *testing.T, s *oldSite) {
		file := filepath.Join(t.TempDir(), "old.backup")
		keyless := s.config
		keyless.SecretKey = ""
		if _, err := Backup(t.Context(), keyless, "test", file); err != nil { // the key is not asked for
			t.Fatal(err)
		}
		written, err := backup.Open(file)
		if err != nil || written.Schema != beforeSealing {
			t.Fatal(written, err)
		}
		for _, engine := range []string{"sqlite", "postgres"} {
			there := *s
			there.config = config(t)
			if engine == "postgres" {
				there.config.DatabaseURL = dbtest.EmptyPostgresURL(t)
			}
			if _, err := Restore(t.Context(), there.config, file); err == nil ||
				!strings.Contains(err.Error(), "secret.key") {
				t.Errorf("%s without the key: %v", engine, err)
			}
			there.config.SecretKey = keyText
			if _, err := Restore(t.Context(), there.config, file); err != nil {
				t.Fatal(engine, err)
			}
			t.Run("to "+engine, there.check)
		}
	})
}

// Damage to one row keeps nobody else's from the nodes, and the doctor finds it.
func TestARowThatDoesNotOpen_IsFoundAndShutsOutItsUserAlone(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		a := h.add("vmess", "")
		sick, well := h.users[0].id, h.users[1].id
		if ids := h.userList(a.Secret); len(ids) != 3 {
			h.Fatal(ids)
		}
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error { // bound to its row
			if _, err := tx.NewRaw(`UPDATE access SET password_digest = NULL, credentials = (SELECT credentials
				FROM access WHERE user_id = ?)
				WHERE user_id = ?`, well, sick).Exec(ctx); err != nil {
				return err
			}
			return h.Services.SetBanned(ctx, tx, sick, false)
		}); err != nil {
			h.Fatal(err)
		}
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			revision, err := db.Bump(ctx, tx, service.Revision)
			if err != nil {
				return err
			}
			_, err = tx.NewRaw(`UPDATE access SET revision = ? WHERE user_id = ?`, revision, sick).Exec(ctx)
			return err
		}); err != nil {
			h.Fatal(err)
		}
		if ids := h.userList(a.Secret); len(ids) != 2 || ids[0] == sick || ids[1] == sick {
			h.Errorf("nodes let in %v, want all but %d", ids, sick)
		}
		if _, err := h.Services.Access(h.Context(), sick); err == nil {
			h.Error("a user got another's credentials")
		}
		broken, err := checkKey(h.Context(), h.DB, h.cfg.key)
		if err != nil || len(broken) != 1 || broken[0].What != fmt.Sprintf("proxy credentials of user %d", sick) {
			h.Errorf("the doctor finds %v, %v", broken, err)
		}
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error { // another pair mends it
			return h.Services.ResetCredentials(ctx, tx, sick)
		}); err != nil {
			h.Fatal(err)
		}
		if ids := h.userList(a.Secret); len(ids) != 3 {
			h.Errorf("nodes let in %v", ids)
		}
	})
}

func TestANodeWhoseSecretsDoNotOpen_IsFound(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		n, _, err := h.Nodes.Add(h.Context(), nodesWithSecrets()[1])
		if err != nil {
			h.Fatal(err)
		}
		if err := h.DB.Tx(h.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.NewRaw(`UPDATE node SET client_secrets = ? WHERE id = ?`, bytes.Repeat([]byte{1}, 60), n.ID).
				Exec(ctx)
			return err
		}); err != nil {
			h.Fatal(err)
		}
		broken, err := checkKey(h.Context(), h.DB, h.cfg.key)
		if err != nil || len(broken) != 1 || broken[0].What != fmt.Sprintf("secrets of node %d", n.ID) {
			h.Errorf("the doctor finds %v, %v", broken, err)
		}
		if _, err := h.Nodes.List(h.Context()); err != nil {
			h.Errorf("one node keeps all from being listed: %v", err)
		}
	})
}
