// Package chtest gives tests an empty database of a real ClickHouse server, which runs on loopback in a temporary
// folder and ends with the test binary. There is no stand-in: a test that asks for ClickHouse on a machine without it
// fails. AIRSTRIP_TEST_CLICKHOUSE_URL names another server to use, such as a newer one.
package chtest

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"
)

// Password is that of the server's user "default".
const Password = "a password of the tests"

// A Database is an empty one of the server.
type Database struct {
	URL    string // clickhouse://… without the password
	TLSURL string // the same over TLS; the certificate is signed by CAFile. Empty on another server
	CAFile string
	Conn   clickhouse.Conn
}

// New returns an empty database, which ends with the test.
func New(t testing.TB) Database {
	t.Helper()
	server.once.Do(func() { server.err = server.start() })
	if server.err != nil {
		t.Fatal("ClickHouse for tests: ", server.err)
	}
	name := "t" + uuid.NewString()[:8]
	admin := open(t, "")
	exec := func(ctx context.Context, query string) {
		t.Helper()
		if err := admin.Exec(ctx, query); err != nil {
			t.Error(err)
		}
	}
	exec(t.Context(), "CREATE DATABASE "+name)
	t.Cleanup(func() {
		exec(context.Background(), "DROP DATABASE "+name)
		admin.Close()
	})
	d := Database{URL: server.url("tcp", name), Conn: open(t, name)}
	if server.secure != "" {
		d.TLSURL, d.CAFile = server.url("tls", name), server.caFile
	}
	t.Cleanup(func() { d.Conn.Close() })
	return d
}

func open(t testing.TB, database string) clickhouse.Conn {
	t.Helper()
	c, err := server.open(database)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// server is one ClickHouse per test binary. A small shell beside it ends it and removes the folder when the test binary
// is gone, however it ended.
var server clickHouse

type clickHouse struct {
	once          sync.Once
	err           error
	dir           string
	plain, secure string // addresses
	caFile        string
	given         *url.URL
	// alive is the write end of the pipe by which the watcher knows that this process lives.
	alive *os.File
}

// url gives the address of a database without the password.
func (s *clickHouse) url(kind, database string) string {
	if s.given != nil {
		u := *s.given
		u.Path = "/" + database
		return u.String()
	}
	if kind == "tls" {
		return "clickhouse://default@" + s.secure + "/" + database + "?secure=true"
	}
	return "clickhouse://default@" + s.plain + "/" + database
}

func (s *clickHouse) open(database string) (clickhouse.Conn, error) {
	o, err := clickhouse.ParseDSN(s.url("tcp", database))
	if err != nil {
		return nil, err
	}
	if s.given == nil {
		o.Auth.Password = Password
	}
	return clickhouse.Open(o)
}

func (s *clickHouse) start() (err error) {
	if text := os.Getenv("AIRSTRIP_TEST_CLICKHOUSE_URL"); text != "" {
		s.given, err = url.Parse(text)
		return err
	}
	program, err := binary()
	if err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "airstrip-ch-"); err != nil {
		return err
	}
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	s.plain, s.secure = ports[0], ports[1]
	if err := s.certificate(); err != nil {
		return err
	}
	if err := s.configure(); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.alive = w
	watch := exec.Command("/bin/sh", append([]string{"-c", `dir=$1; shift
"$@" >"$dir/log" 2>&1 & pid=$!
cat >/dev/null; kill -KILL $pid; wait $pid; rm -rf "$dir"`, "clickhouse", s.dir}, program...)...)
	watch.Stdin, watch.SysProcAttr, watch.Dir = r, &syscall.SysProcAttr{Setpgid: true}, s.dir
	if err := watch.Start(); err != nil {
		return err
	}
	r.Close()
	return s.await()
}

// await waits until the server answers.
func (s *clickHouse) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := s.open("")
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		if err = c.Ping(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("%w\n%s", err, log)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *clickHouse) configure() error {
	_, plain, _ := net.SplitHostPort(s.plain)
	_, secure, _ := net.SplitHostPort(s.secure)
	config := `<?xml version="1.0"?>
<yandex>
	<logger><level>warning</level><console>1</console></logger>
	<listen_host>127.0.0.1</listen_host>
	<tcp_port>` + plain + `</tcp_port>
	<tcp_port_secure>` + secure + `</tcp_port_secure>
	<openSSL><server>
		<certificateFile>` + s.dir + `/server.crt</certificateFile>
		<privateKeyFile>` + s.dir + `/server.key</privateKeyFile>
		<verificationMode>none</verificationMode>
		<disableProtocols>sslv2,sslv3</disableProtocols>
	</server></openSSL>
	<path>` + s.dir + `/data/</path>
	<tmp_path>` + s.dir + `/tmp/</tmp_path>
	<user_files_path>` + s.dir + `/files/</user_files_path>
	<format_schema_path>` + s.dir + `/formats/</format_schema_path>
	<users_config>users.xml</users_config>
	<default_profile>default</default_profile>
	<default_database>default</default_database>
	<mark_cache_size>67108864</mark_cache_size>
	<timezone>Asia/Shanghai</timezone>
	<query_log>
		<database>system</database><table>query_log</table><flush_interval_milliseconds>100</flush_interval_milliseconds>
	</query_log>
</yandex>`
	users := `<?xml version="1.0"?>
<yandex>
	<profiles><default/></profiles>
	<quotas><default/></quotas>
	<users><default>
		<password>` + Password + `</password>
		<networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile>
		<quota>default</quota>
	</default></users>
</yandex>`
	return errors.Join(os.WriteFile(filepath.Join(s.dir, "config.xml"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(s.dir, "users.xml"), []byte(users), 0o600))
}

// certificate makes the server's certificate, which signs itself.
func (s *clickHouse) certificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ClickHouse"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	s.caFile = filepath.Join(s.dir, "server.crt")
	var crt, pk bytes.Buffer
	return errors.Join(pem.Encode(&crt, &pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.Encode(&pk, &pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		os.WriteFile(s.caFile, crt.Bytes(), 0o600),
		os.WriteFile(filepath.Join(s.dir, "server.key"), pk.Bytes(), 0o600))
}

// freePorts gives addresses on loopback that nobody listens on.
func freePorts(n int) (addresses []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// binary finds the server: the one program of today's packages, or Debian's clickhouse-server.
func binary() ([]string, error) {
	for _, name := range []string{"clickhouse-server", "/usr/sbin/clickhouse-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path, "--config-file=config.xml"}, nil
		}
	}
	if path, err := exec.LookPath("clickhouse"); err == nil {
		return []string{path, "server", "--config-file=config.xml"}, nil
	}
	return nil, errors.New("no clickhouse-server found; install the Debian package clickhouse-server")
}
