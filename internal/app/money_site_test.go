package app

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/shop"
)

// megabyte is the quota of the plans that the money model sells: small enough that a report uses it up.
const megabyte = int64(1_000_000)

// moneyPlans is what the shop of the money model sells: with each way of resetting a quota, unlimited traffic, a price
// of zero and prices that do not divide evenly.
func moneyPlans() []shop.Plan {
	priced := func(months int, amount money.Amount) shop.Price { return shop.Price{Months: months, Amount: amount} }
	plan := func(name string, reset service.Reset, traffic *int64, prices ...shop.Price) shop.Plan {
		return shop.Plan{
			Name: name, Kind: shop.KindPlan, TrafficBytes: traffic, Reset: reset, Visible: true, Renewable: true,
			Prices: prices,
		}
	}
	pack := func(name string, days *int, amount money.Amount) shop.Plan {
		p := plan(name, service.Never, new(megabyte), priced(0, amount))
		p.Kind, p.Renewable, p.ValidDays = shop.KindPackage, false, days
		return p
	}
	trial := plan("Trial", service.Anniversary, new(megabyte), priced(1, 0), priced(3, 1))
	trial.PerUser = new(2)
	few := plan("Few", service.Anniversary, new(megabyte), priced(2, 801))
	few.Stock = new(int64(1))
	return []shop.Plan{
		plan("Light", service.Anniversary, new(megabyte), priced(1, 1200), priced(12, 12_000)),
		plan("Standard", service.CalendarMonth, new(megabyte), priced(1, 2000), priced(3, 5701)),
		plan("Prepaid", service.Never, new(megabyte), priced(1, 999), priced(24, 7003)),
		plan("Endless", service.Never, nil, priced(1, 3001), priced(6, 15_000)),
		trial,
		pack("Package", nil, 301),
		pack("Package of a month", new(30), 1999),
		few,
	}
}

// moneyCoupons are the coupons of the money model.
func moneyCoupons() []shop.Coupon {
	return []shop.Coupon{
		{Code: "HALF", Percent: new(50), Enabled: true},
		{Code: "TEN", Amount: 1000, Enabled: true},
		{Code: "FREE", Percent: new(100), Enabled: true, PerUser: new(int64(2))},
		{Code: "FIRST", Percent: new(33), Enabled: true, FirstOnly: true},
		{Code: "SCARCE", Percent: new(90), Enabled: true, Total: new(int64(1))},
	}
}

// moneyTemplate is a site of the money model on which nothing happened yet; open copies it.
type moneyTemplate struct {
	config  Config
	file    []byte // the SQLite database; nil: PostgreSQL
	key     []byte // its secret.key
	folder  string // of the copies, in memory where the system has room
	users   []int64
	plans   []shop.Plan
	coupons []shop.Coupon
	nodes   []node.Node
	copies  atomic.Int64
	// runsTwice says that each transaction is repeated, as where its session ends at the commit.
	runsTwice bool
	// trace, where it is not nil, returns the address by which a copy's database is opened.
	trace func(url string) string

	// Of PostgreSQL, where making and removing a database takes longer than a sequence.
	restore string // statements that bring a copy back to the start
	mu      sync.Mutex
	idle    []*moneyCopy // copies that are at the start again
}

// moneyCopy is a copy of the template. Its database serves one sequence after the other.
type moneyCopy struct {
	*App
	remove    func() error
	sequences int
}

// sequencesOfCopy is how many sequences a copy serves. Parts that are built again for each leave prepared statements
// behind, which end with the connections.
const sequencesOfCopy = 40

// moneyStart is a day whose number not every month has.
var moneyStart = time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC)

// newMoneyTemplate makes a site with three users, each invited by the one before, and two nodes.
func newMoneyTemplate(t *testing.T, engine string) *moneyTemplate {
	t.Helper()
	m := &moneyTemplate{config: config(t)}
	m.config.Demo = true
	folder := "/dev/shm"
	if _, err := os.Stat(folder); err != nil {
		folder = ""
	}
	var err error
	if m.folder, err = os.MkdirTemp(folder, "airstrip-money-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(m.folder) })
	m.config.Data = m.folder
	if engine == "postgres" {
		m.config.DatabaseURL, m.config.SecretKey = dbtest.PostgresURL(t), keyText
	}
	a, err := Open(t.Context(), m.config, "test")
	if err != nil {
		t.Fatal(err)
	}
	a.DB.SetClock(func() time.Time { return moneyStart })
	m.fill(t, a)
	if engine == "postgres" {
		if err := m.keepStart(t.Context(), a.DB); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			for _, c := range m.idle {
				if err := errors.Join(c.Close(), c.remove()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if engine == "sqlite" {
		if m.file, err = os.ReadFile(filepath.Join(m.folder, db.SQLiteFile)); err != nil {
			t.Fatal(err)
		}
		if m.key, err = os.ReadFile(filepath.Join(m.folder, "secret.key")); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

const moneyPassword = "a long enough password"

func (m *moneyTemplate) fill(t *testing.T, a *App) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(a.Settings.Set(ctx, settings(`{"recharge_min": "0.01", "recharge_minutes": 600,
		"commission_permille": 100, "commission_days": 1,
		"invite_quota": 3, "invite_price": "1.50", "payout_min": "0.01", "staff_credit_limit": "`+staffLimit.String()+`"}`)))
	hash, err := a.Accounts.Hash(ctx, moneyPassword)
	must(err)
	for i := range 3 {
		must(a.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			name := fmt.Sprintf("user%d", i)
			u, err := a.Accounts.Import(ctx, tx, name+"@example.com", name, hash)
			if err != nil {
				return err
			}
			if i > 0 {
				_, err = tx.NewRaw(`UPDATE account SET invited_by = ? WHERE id = ?`, m.users[i-1], u.ID).Exec(ctx)
			}
			m.users = append(m.users[:i], u.ID)
			return err
		}))
	}
	for _, p := range moneyPlans() {
		added, err := a.Shop.AddPlan(ctx, p)
		must(err)
		m.plans = append(m.plans, *added)
	}
	for _, c := range moneyCoupons() {
		added, err := a.Shop.AddCoupon(ctx, c, nil)
		must(err)
		m.coupons = append(m.coupons, added)
	}
	for _, rate := range []int64{1000, 500} {
		n, _, err := a.Nodes.Add(ctx, node.Node{
			Name: fmt.Sprint("node", rate), Protocol: node.VMess, Address: "node.example", Port: 443, Listen: "0.0.0.0",
			ResetDay: 1, Country: "ZZ", RatePermille: rate, LinkMbps: 10_000, Visible: true, Enabled: true,
		})
		must(err)
		m.nodes = append(m.nodes, n)
	}
}

// open returns a copy of the site at the start. close takes it back.
func (m *moneyTemplate) open(ctx context.Context) (*moneyCopy, error) {
	if m.file == nil {
		return m.openPostgres(ctx)
	}
	c := m.config
	c.Data = filepath.Join(m.folder, fmt.Sprint(m.copies.Add(1)))
	if err := os.Mkdir(c.Data, 0o700); err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{db.SQLiteFile: m.file, "secret.key": m.key} {
		if err := os.WriteFile(filepath.Join(c.Data, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	a, err := Open(ctx, c, "test")
	return &moneyCopy{App: a, remove: func() error { return os.RemoveAll(c.Data) }}, err
}

// close keeps the copy for another sequence, or removes it.
func (m *moneyTemplate) close(ctx context.Context, c *moneyCopy) error {
	if c.sequences++; m.file != nil || c.sequences == sequencesOfCopy {
		return errors.Join(c.Close(), c.remove())
	}
	err := c.DB.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, m.restore)
		return err
	})
	if err != nil {
		return err
	}
	// The memory of the parts is reset, too.
	c.App = &App{cfg: c.cfg, version: c.version, DB: c.DB}
	if err := c.build(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.idle = append(m.idle, c)
	return nil
}

func (m *moneyTemplate) openPostgres(ctx context.Context) (*moneyCopy, error) {
	m.mu.Lock()
	if last := len(m.idle) - 1; last >= 0 {
		c := m.idle[last]
		m.idle = m.idle[:last]
		m.mu.Unlock()
		return c, nil
	}
	m.mu.Unlock()
	template, err := url.Parse(m.config.DatabaseURL)
	if err != nil {
		return nil, err
	}
	name := "m" + uuid.NewString()[:8]
	admin, own := *template, *template
	admin.Path, own.Path = "/postgres", "/"+name
	do := func(text string) error {
		d, err := db.Open(context.WithoutCancel(ctx), admin.String(), "")
		if err != nil {
			return err
		}
		defer d.Close()
		_, err = d.ExecContext(context.WithoutCancel(ctx), text)
		return err
	}
	if err := do(fmt.Sprintf(`CREATE DATABASE %q TEMPLATE %q`, name, strings.TrimPrefix(template.Path,
		"/"))); err != nil {
		return nil, err
	}
	c := m.config
	if c.DatabaseURL = own.String(); m.trace != nil {
		c.DatabaseURL = m.trace(c.DatabaseURL)
	}
	a, err := Open(ctx, c, "test")
	return &moneyCopy{App: a, remove: func() error { return do(fmt.Sprintf(`DROP DATABASE %q WITH (FORCE)`, name)) }},
		err
}

// keepStart stores the rows of the template next to its tables and writes the statements that bring a copy back to
// them.
func (m *moneyTemplate) keepStart(ctx context.Context, d *db.DB) error {
	var tables []string
	err := d.NewRaw(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`).Scan(ctx, &tables)
	if err != nil {
		return err
	}
	var remove, fill strings.Builder
	keep := `CREATE SCHEMA start;`
	for _, table := range tables {
		fmt.Fprintf(&remove, "DELETE FROM public.%q;", table)
		filled, err := d.NewSelect().Table("public." + table).Exists(ctx)
		if err != nil {
			return err
		}
		if filled {
			keep += fmt.Sprintf("CREATE TABLE start.%[1]q AS TABLE public.%[1]q;", table)
			columns, err := storedColumns(ctx, d, table)
			if err != nil {
				return err
			}
			fmt.Fprintf(&fill, "INSERT INTO public.%[1]q (%[2]s) SELECT %[2]s FROM start.%[1]q;", table, columns)
		}
	}
	// without foreign keys
	m.restore = "SET LOCAL session_replication_role = replica;" + remove.String() + fill.String()
	_, err = d.ExecContext(ctx, keep)
	return err
}

// moneyClient is where the users of the model call from.
var moneyClient = account.Client{IP: netip.MustParseAddr("192.0.2.1")}
