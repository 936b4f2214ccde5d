package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"airstrip/internal/db/dbtest"
	"airstrip/internal/money"
	"airstrip/internal/payment/sandbox"
	"airstrip/internal/shop"
	"airstrip/internal/wallet"
)

const serveConfig = "AIRSTRIP_TEST_SERVE"

// TestMain lets this program be a server that a test can kill.
func TestMain(m *testing.M) {
	config := os.Getenv(serveConfig)
	if config == "" {
		os.Exit(m.Run())
	}
	if err := serve(config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(config string) error {
	var c Config
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if size := os.Getenv(serveOnDisk); size != "" {
		if err := mountDisk(c.Data, size); err != nil {
			return err
		}
	}
	a, err := Open(ctx, c, "test")
	if err != nil {
		return err
	}
	defer a.Close()
	return a.Serve(ctx)
}

// process is a server that can be killed, as often as one likes.
type process struct {
	config Config
	disk   string // size of a disk of the server's own, mounted over its data folder; empty: none
	cmd    *exec.Cmd
	log    bytes.Buffer
}

func (p *process) start(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(p.config)
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), serveConfig+"="+string(text)), &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.disk != "" {
		p.cmd.Env = append(p.cmd.Env, serveOnDisk+"="+p.disk)
		p.cmd.SysProcAttr.Cloneflags = mountFlags
		p.cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		p.cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// exited reports whether the process ended, and leaves its state to Wait.
func (p *process) exited() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func (p *process) waitReady(t *testing.T) {
	t.Helper()
	var last string
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if p.exited() {
			p.cmd.Wait() // completes the log
			t.Fatalf("the server ended by itself, %s: %s", p.cmd.ProcessState, p.log.Bytes())
		}
		res, err := browser.Get("http://" + p.config.Listen + "/ready")
		if err != nil {
			last = err.Error()
			continue
		}
		res.Body.Close()
		if last = res.Status; res.StatusCode == http.StatusOK {
			return
		}
	}
	p.kill()
	t.Fatalf("the server did not get ready, at last %s: %s", last, p.log.Bytes())
}

// operation is what one of the users did, and what it was answered.
type operation struct {
	order    int64  // that a purchase was answered with
	recharge string // uuid of a recharge whose payment was answered
}

func TestKilled_Servers_LoseNothingAndDoubleNothing(t *testing.T) {
	for engine, servers := range map[string]int{"sqlite": 1, "postgres": 3, "pgbouncer": 2} {
		t.Run(engine, func(t *testing.T) {
			c := config(t)
			c.Demo, c.LogLevel = true, "error"
			if engine != "sqlite" {
				c.DatabaseURL, c.SecretKey = dbtest.PostgresURL(t), keyText
			}
			if engine == "pgbouncer" {
				c.DatabaseURL = dbtest.PgBouncer(t, c.DatabaseURL, "")
			}
			survive(t, c, servers)
		})
	}
}

func survive(t *testing.T, c Config, servers int) {
	const price, top = money.Amount(100), money.Amount(700)
	operations, kills, crowd := size(60, 2_000), size(2, 40), 8
	f := newTestServer(t, c) // creates and inspects what the processes below work on
	pack := f.sells(t, shop.KindPackage, price)
	customers := make([]testUser, crowd)
	for i := range customers {
		customers[i] = f.addUser(t, fmt.Sprintf("user%d", i), money.Amount(operations)*price)
	}

	processes := make([]*process, servers)
	for i := range processes {
		processes[i] = &process{config: c}
		processes[i].config.Listen = config(t).Listen
		processes[i].start(t)
		defer func() { processes[i].kill() }()
	}
	for _, p := range processes {
		p.waitReady(t)
	}

	// Each of the crowd buys and recharges in turn, and repeats what was not answered, as a browser does.
	var next atomic.Int64
	done := make([]operation, operations)
	var workers sync.WaitGroup
	for range crowd {
		workers.Go(func() {
			for i := int(next.Add(1) - 1); i < operations; i = int(next.Add(1) - 1) {
				d, err := do(i, customers[i%crowd], processes, pack, top)
				if err != nil {
					t.Errorf("operation %d: %v", i, err)
				}
				done[i] = d
			}
		})
	}
	killing := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		random := rand.New(rand.NewPCG(4, 5))
		for k := range kills {
			// Spread over the work, at moments of their own within it.
			for int(next.Load()) < operations*(2*k+1)/(2*kills+1) {
				select {
				case <-killing:
					return
				case <-time.After(time.Millisecond):
				}
			}
			time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond)
			p := processes[random.IntN(len(processes))]
			p.kill()
			p.start(t)
		}
	})
	workers.Wait()
	close(killing)
	killer.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, p := range processes {
		p.kill()
		if strings.Contains(p.log.String(), "DATA RACE") {
			t.Errorf("%s", p.log.String())
		}
	}

	if err := f.Payments.Check(t.Context()); err != nil { // as the next start does within half a minute
		t.Fatal(err)
	}
	want := map[int64]money.Amount{}
	packages := map[int64]int{}
	orders := map[int64]bool{}
	for i, d := range done {
		who := customers[i%crowd].id
		if d.recharge != "" {
			r, err := f.Wallets.Recharge(t.Context(), who, d.recharge)
			if err != nil || r.State != wallet.RechargeDone {
				t.Fatalf("the paid recharge %d: %+v, %v", i, r, err)
			}
			want[who] += top
			continue
		}
		o, err := f.Shop.Order(t.Context(), who, fmt.Sprint(d.order))
		if err != nil || o.State != shop.Paid || orders[o.ID] {
			t.Fatalf("the answered order %d: %+v, %v", i, o, err)
		}
		orders[o.ID] = true
		want[who] -= price
		packages[who]++
	}
	for _, who := range customers {
		_, has, err := f.Services.List(t.Context(), who.id)
		b := f.balance(t, who.id)
		if err != nil || len(has) != packages[who.id] || b.Posted != money.Amount(operations)*price+want[who.id] ||
			b.Held != 0 {
			t.Errorf("user %d: %d packages of %d, %+v, wanted %s more; %v", who.id, len(has), packages[who.id], b,
				want[who.id], err)
		}
	}
	f.sound(t)
}

// do makes the ith operation, a purchase or a recharge that is paid, and repeats each request until some server answers
// it.
func do(i int, who testUser, processes []*process, pack int64, top money.Amount) (operation, error) {
	key := fmt.Sprintf("operation-%d", i)
	if i%2 == 0 {
		var bought struct {
			Result struct{ Order struct{ No int64 } }
		}
		err := insist(i, who, processes, http.MethodPost, buy(pack), key, "", &bought)
		return operation{order: bought.Result.Order.No}, err
	}
	var begun struct {
		Result struct {
			ID      string
			PayPage *struct{ URL string } `json:"pay_page"`
		}
	}
	err := insist(i, who, processes, http.MethodPost, "/api/v2/user/wallet/recharge", key,
		fmt.Sprintf(`{"gateway":%q,"amount":%q}`, sandbox.Name, top), &begun)
	if err != nil {
		return operation{}, err
	}
	look := "/api/v2/user/wallet/recharge/" + begun.Result.ID
	for deadline := time.Now().Add(5 * time.Minute); begun.Result.PayPage == nil; time.Sleep(50 * time.Millisecond) {
		// The gateway could not be reached, which for the sandbox is the database. It is asked again with the next
		// look.
		if err := insist(i, who, processes, http.MethodPost, look, "", "{}", &begun); err != nil {
			return operation{}, err
		}
		if time.Now().After(deadline) {
			return operation{}, fmt.Errorf("recharge %s has no pay page", begun.Result.ID)
		}
	}
	page := begun.Result.PayPage
	u, err := url.Parse(page.URL)
	if err != nil {
		return operation{}, err
	}
	return operation{recharge: begun.Result.ID}, insist(i, who, processes, http.MethodPost, u.Path, "", "action=pay",
		nil)
}

var browser = &http.Client{
	Timeout:       2 * time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func insist(i int, who testUser, processes []*process, method, path, key, body string, into any) error {
	var last error
	deadline := time.Now().Add(5 * time.Minute)
	for try := 0; time.Now().Before(deadline); try++ {
		req, err := http.NewRequest(method, "http://"+processes[(i+try)%len(processes)].config.Listen+path,
			strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		if strings.HasPrefix(body, "action=") {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		req.Header.Set("Authorization", "Bearer "+who.bearer)
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		res, err := browser.Do(req)
		if err != nil { // killed, or not yet back
			last = err
			time.Sleep(50 * time.Millisecond)
			continue
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		switch {
		case err != nil: // killed while it answered
			last = err
		case res.StatusCode == http.StatusServiceUnavailable: // it says itself: try again
			last = fmt.Errorf("%s", text)
			time.Sleep(50 * time.Millisecond)
		case res.StatusCode == http.StatusSeeOther && into == nil:
			return nil
		case res.StatusCode == http.StatusOK && into != nil:
			return json.Unmarshal(text, into)
		default:
			return fmt.Errorf("%d %s", res.StatusCode, text)
		}
	}
	return last
}
