package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/node"
	"airstrip/internal/secret"
	"airstrip/internal/service"
)

// nodesWithSecrets are drafts of nodes with secrets of each kind.
func nodesWithSecrets() []node.Node {
	reality := node.Draft("reality", node.VLESS, "r.example", 443)
	reality.Settings = node.Settings{Security: "reality", Reality: &node.Reality{
		Dest:        "www.example:443",
		ServerNames: []string{"www.example"},
	}}
	ss2022 := node.Draft("ss2022", node.Shadowsocks, "s.example", 443)
	ss2022.Settings = node.Settings{Method: "2022-blake3-aes-256-gcm"}
	trojan := node.Draft("trojan", node.Trojan, "t.example", 443)
	trojan.Settings = node.Settings{Security: "tls"}
	hysteria := node.Draft("hysteria", node.Hysteria2, "h.example", 443)
	hysteria.Settings = node.Settings{Obfs: "salamander"}
	return []node.Node{reality, ss2022, trojan, hysteria}
}

// needles are secrets by what they are.
type needles map[string][]byte

func (n needles) text(what, secret string) { n[what] = []byte(secret) }

// credentials adds all that nodes know a user by.
func (n needles) credentials(what string, a service.Access, nodes []node.Node) {
	n[what+": UUID"], n[what+": password"] = a.UUID[:], []byte(a.Password)
	n.text(what+": UUID as text", a.UUID.String())
	sum := sha256.Sum256([]byte(a.Password))
	n[what+": SHA-256 of the password"] = sum[:] // a guess could be tested against it
	for _, of := range nodes {
		n.text(fmt.Sprint(what, " on ", of.Name), node.UserSecret(of, a.UUID, a.Password))
	}
}

// secrets adds all that a node's settings hold.
func (n needles) secrets(of node.Node) {
	s := of.Settings
	if s.Reality != nil && s.Reality.PrivateKey != "" {
		n.text(of.Name+": private key", s.Reality.PrivateKey)
		raw, _ := base64.RawURLEncoding.DecodeString(s.Reality.PrivateKey)
		n[of.Name+": private key's bytes"] = raw
	}
	if s.TLS != nil && s.TLS.Key != "" {
		n.text(of.Name+": key of the certificate", strings.Split(s.TLS.Key, "\n")[1])
	}
	if s.ServerKey != "" {
		n.text(of.Name+": server key", s.ServerKey)
		raw, _ := base64.StdEncoding.DecodeString(s.ServerKey)
		n[of.Name+": server key's bytes"] = raw
	}
	if s.ObfsPassword != "" {
		n.text(of.Name+": obfuscation", s.ObfsPassword)
	}
}

// found names the secrets whose ends are in the haystack as they are, in hex or in base64. Ends are enough, and the
// search for more than 63 bytes is many times slower.
func (n needles) found(haystack []byte) (what []string) {
	lower := bytes.ToLower(haystack)
	for name, secret := range n {
		if len(secret) < 8 {
			panic(name + " is too short to be looked for")
		}
		end := secret[max(0, len(secret)-24)/3*3:] // base64 depends on where groups of three begin
		cut := end[:len(end)/3*3]                  // and that of more on what follows
		if bytes.Contains(haystack, end) || bytes.Contains(lower, []byte(hex.EncodeToString(end))) ||
			bytes.Contains(haystack, []byte(base64.StdEncoding.EncodeToString(cut))) ||
			bytes.Contains(haystack, []byte(base64.URLEncoding.EncodeToString(cut))) {
			what = append(what, name)
		}
	}
	return what
}

// stolen returns all that is in the database: the files of SQLite, the rows of PostgreSQL and the files of its tables,
// after a checkpoint.
func stolen(t *testing.T, d *db.DB, dir string) []byte {
	t.Helper()
	var all bytes.Buffer
	add := func(path string) {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // PostgreSQL removes caches such as pg_internal.init at any time
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	if d.SQLite() {
		files, err := filepath.Glob(filepath.Join(dir, db.SQLiteFile+"*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			add(file)
		}
		return all.Bytes()
	}
	var tables []string
	if err := d.NewRaw(`SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()`).
		Scan(t.Context(), &tables); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		var rows []string
		if err := d.NewRaw(`SELECT CAST(t AS TEXT) FROM ? AS t`, bun.Safe(table)).Scan(t.Context(), &rows); err != nil {
			t.Fatal(table, err)
		}
		all.WriteString(strings.Join(rows, "\n"))
	}
	var folder string
	if _, err := d.ExecContext(t.Context(), `CHECKPOINT`); err != nil {
		t.Fatal(err)
	}
	if err := d.NewRaw(`SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database
		WHERE datname = current_database()`).Scan(t.Context(), &folder); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		add(file)
	}
	return all.Bytes()
}

func TestAStolenDatabase_WithoutItsKey_HasNoCredentials(t *testing.T) {
	eachEngine(t, func(t *testing.T, c Config) {
		f := newTestServer(t, c)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		secrets, nodes := needles{}, []node.Node{}
		for _, draft := range nodesWithSecrets() {
			n, key, err := f.Nodes.Add(t.Context(), draft)
			must(err)
			n, err = f.Nodes.Get(t.Context(), n.ID)
			must(err)
			nodes = append(nodes, n)
			secrets.secrets(n)
			secrets.text(n.Name+": secret of its agent", key)
		}
		made, reset, chose := f.addUser(t, "made", 0), f.addUser(t, "reset", 0), f.addUser(t, "chose", 0)
		note := func(what string, who testUser) {
			a, err := f.Services.Access(t.Context(), who.id)
			must(err)
			secrets.credentials(what, a, nodes)
			token, err := f.Links.Token(t.Context(), who.id)
			must(err)
			secrets.text(what+": link", token.Token)
			secrets.text(what+": session", who.bearer)
		}
		note("made", made)
		note("before the reset", reset)
		note("before the choice", chose)
		_, err := f.Links.Reset(t.Context(), reset.id, true)
		must(err)
		must(f.Services.ChooseCredentials(t.Context(), chose.id, "kJ3-9x_pQ2v~Lm8.Zt"))
		note("after the reset", reset)
		note("after the choice", chose)
		for _, name := range secret.Names {
			secrets.text(name, "the-secret-of-"+name)
			must(f.Secrets.Set(t.Context(), name, "the-secret-of-"+name))
		}
		must(f.Settings.Set(t.Context(),
			map[string]json.RawMessage{"emby_url": json.RawMessage(`"https://media.example"`)}))
		media, password, err := f.Emby.Own(t.Context(), made.id)
		must(err)
		secrets["link to the media server"] = media.Token[:]
		secrets.text("link to the media server as text", media.Token.String())
		secrets.text("password of the media server", password)
		if found := secrets.found(stolen(t, f.DB, c.Data)); len(found) > 0 {
			t.Errorf("of %d secrets there are in clear:\n%s", len(secrets), strings.Join(found, "\n"))
		}
	})
}
