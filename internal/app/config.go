package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"airstrip/internal/clickhouse"
	"airstrip/internal/db"
	"airstrip/internal/seal"
	"airstrip/internal/text"
)

// Config is what must be known before the database opens. Each value comes from a flag, from the environment or from
// the JSON file named by --config, in that order. A secret may be given as a file: NAME_FILE.
type Config struct {
	Data               string   `help:"Folder of the SQLite file, its key and kept assets." default:"./data" env:"AIRSTRIP_DATA" type:"path"`
	DatabaseURL        string   `help:"PostgreSQL, as postgres://…; empty: SQLite in the data folder. Also as _FILE." env:"AIRSTRIP_DATABASE_URL"`
	SecretKey          string   `help:"32 bytes in hex or base64 that seal what the database keeps secret; required with PostgreSQL, made in the data folder with SQLite. Also as _FILE." env:"AIRSTRIP_SECRET_KEY"`
	Listen             string   `help:"Address to serve on." default:"127.0.0.1:8080" env:"AIRSTRIP_LISTEN"`
	SiteURL            string   `help:"Address that users see, for links in pages, mails and subscriptions." default:"http://localhost:8080" env:"AIRSTRIP_SITE_URL"`
	TrustedProxies     []string `help:"Addresses or networks whose X-Forwarded-For counts." env:"AIRSTRIP_TRUSTED_PROXIES"`
	GeoFile            string   `help:"MMDB file of countries or cities that tells the areas of addresses; empty: the one in the program." env:"AIRSTRIP_GEO_FILE"`
	ClickHouseURL      string   `help:"ClickHouse that gets a copy of the logs for analysis, as clickhouse://user@host:9000/database, with ?secure=true for TLS. Also as _FILE." name:"clickhouse-url" env:"AIRSTRIP_CLICKHOUSE_URL"`
	ClickHousePassword string   `help:"Password of the user of ClickHouse. Also as _FILE." name:"clickhouse-password" env:"AIRSTRIP_CLICKHOUSE_PASSWORD"`
	ClickHouseCAFile   string   `help:"PEM file of the authorities that sign ClickHouse's certificate; empty: those of the system." name:"clickhouse-ca-file" env:"AIRSTRIP_CLICKHOUSE_CA_FILE"`
	TelegramAPI        string   `help:"Address of Telegram's Bot API, or of a server that stands in for it." default:"https://api.telegram.org" env:"AIRSTRIP_TELEGRAM_API"`
	TrustClock         bool     `help:"Begin with the machine's time, whenever a server ran last." env:"AIRSTRIP_TRUST_CLOCK"`
	Demo               bool     `help:"Allow the sandbox payment gateway. Never on a real site: anybody can pay with it." env:"AIRSTRIP_DEMO"`
	MetricsListen      string   `help:"Address of a listener of its own for /metrics." env:"AIRSTRIP_METRICS_LISTEN"`
	MetricsToken       string   `help:"Bearer token that opens /metrics on the main listener. Also as _FILE." env:"AIRSTRIP_METRICS_TOKEN"`
	LogLevel           string   `help:"debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"AIRSTRIP_LOG_LEVEL"`
	Member             string   `help:"E-mail of the member of staff who gives a command, for the audit log, beside the machine's user." env:"AIRSTRIP_MEMBER"`
	// PasswordMemory is that of account.Config. No flag and no variable sets it.
	PasswordMemory uint32 `kong:"-"`
	// AgentFolder holds the node agents that the server gives away. No flag and no variable sets it; empty: the folder
	// of the program.
	AgentFolder string `kong:"-"`
	LogFormat   string `help:"text or json." enum:"text,json" default:"text" env:"AIRSTRIP_LOG_FORMAT"`
}

// Missing reports whether the configuration names a SQLite file that does not exist yet.
func (c Config) Missing() bool {
	if c.DatabaseURL != "" || os.Getenv("AIRSTRIP_DATABASE_URL_FILE") != "" {
		return false
	}
	_, err := os.Stat(filepath.Join(c.Data, db.SQLiteFile))
	return errors.Is(err, fs.ErrNotExist)
}

// checked is a valid configuration with its files read.
type checked struct {
	Config
	key     seal.Key
	site    string // without closing slash
	proxies []netip.Prefix
}

// read reads the values that are given as files.
func (c Config) read() (checked, error) {
	out := checked{Config: c}
	for name, value := range map[string]*string{
		"AIRSTRIP_DATABASE_URL": &out.DatabaseURL, "AIRSTRIP_SECRET_KEY": &out.SecretKey,
		"AIRSTRIP_METRICS_TOKEN": &out.MetricsToken, "AIRSTRIP_CLICKHOUSE_URL": &out.ClickHouseURL,
		"AIRSTRIP_CLICKHOUSE_PASSWORD": &out.ClickHousePassword,
	} {
		file := os.Getenv(name + "_FILE")
		if file == "" || *value != "" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return out, fmt.Errorf("%s_FILE: %w", name, err)
		}
		*value = strings.TrimSpace(string(text))
	}
	return out, nil
}

// clickHouse says where ClickHouse is.
func (c checked) clickHouse() clickhouse.Config {
	return clickhouse.Config{URL: c.ClickHouseURL, Password: c.ClickHousePassword, CAFile: c.ClickHouseCAFile}
}

// findKey returns the secret key, or nil if there is none. It creates none.
func (c checked) findKey() (*seal.Key, error) {
	if c.SecretKey != "" {
		key, err := seal.ParseKey(c.SecretKey)
		if err != nil {
			return nil, fmt.Errorf("AIRSTRIP_SECRET_KEY: %w", err)
		}
		return &key, nil
	}
	key, err := seal.ReadKey(c.Data)
	if c.DatabaseURL != "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("AIRSTRIP_DATA: %w", err)
	}
	return &key, nil
}

// check reads the secrets. Its error is a sentence that names the first invalid setting.
func (c Config) check() (checked, error) {
	out, err := c.read()
	if err != nil {
		return out, err
	}
	if out.AgentFolder == "" {
		program, err := os.Executable()
		if err != nil {
			return out, err
		}
		out.AgentFolder = filepath.Dir(program)
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return out, fmt.Errorf("AIRSTRIP_LISTEN must be host:port: %w", err)
	}
	site, ok := text.WebAddress(c.SiteURL)
	if !ok || site.RawQuery != "" || site.Fragment != "" {
		return out, fmt.Errorf("AIRSTRIP_SITE_URL must be an address such as https://example.com, not %q", c.SiteURL)
	}
	out.site = strings.TrimRight(c.SiteURL, "/")
	if _, ok := text.WebAddress(c.TelegramAPI); !ok {
		return out, fmt.Errorf("AIRSTRIP_TELEGRAM_API must be an address such as https://api.telegram.org, not %q",
			c.TelegramAPI)
	}
	if out.ClickHouseURL != "" {
		if _, err := out.clickHouse().Options(); err != nil {
			return out, fmt.Errorf("AIRSTRIP_CLICKHOUSE_URL %w", err)
		}
	}
	out.TelegramAPI = strings.TrimRight(c.TelegramAPI, "/")
	for _, p := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(p)
		if err != nil {
			addr, err := netip.ParseAddr(p)
			if err != nil {
				return out, fmt.Errorf("AIRSTRIP_TRUSTED_PROXIES: %q is no address and no network", p)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		out.proxies = append(out.proxies, prefix)
	}
	switch {
	case out.SecretKey != "":
		if out.key, err = seal.ParseKey(out.SecretKey); err != nil {
			return out, fmt.Errorf("AIRSTRIP_SECRET_KEY: %w", err)
		}
	case out.DatabaseURL != "":
		return out, errors.New("AIRSTRIP_SECRET_KEY (or AIRSTRIP_SECRET_KEY_FILE) is required with PostgreSQL, the " +
			"same for all servers: 32 bytes, for example from `openssl rand -hex 32`")
	case c.Missing():
		if out.key, err = seal.LoadKey(c.Data); err != nil {
			return out, fmt.Errorf("AIRSTRIP_DATA: %w", err)
		}
	default: // A new key would open nothing of what the database has sealed.
		if out.key, err = seal.ReadKey(c.Data); errors.Is(err, fs.ErrNotExist) {
			return out, fmt.Errorf("%s is there without its key: %w", filepath.Join(c.Data, db.SQLiteFile), errNoKey)
		} else if err != nil {
			return out, fmt.Errorf("AIRSTRIP_DATA: %w", err)
		}
	}
	return out, nil
}

var errNoKey = errors.New("put the file secret.key that this database was made with next to it, or set " +
	"AIRSTRIP_SECRET_KEY. " +
	"Without that key nobody stays signed in, and subscription links, node passwords and the secrets of gateways " +
	"cannot be read")
