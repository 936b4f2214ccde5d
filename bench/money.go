package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"golang.org/x/crypto/bcrypt"

	"airstrip/internal/db"
)

const (
	buyers = 50
	many   = 100_000 // movements of a wallet
)

// purchases measures the shop on both databases, each syncing every commit.
func purchases(dir string, t *table) error {
	if err := shopOn(dir+"/money", "SQLite", "≥ 300/s, p99 < 200 ms", "", t); err != nil {
		return err
	}
	url, stop, err := startPostgres(dir + "/postgres")
	if err != nil {
		return err
	}
	defer stop()
	return shopOn(dir+"/money-pg", "PostgreSQL", "≥ 400/s, p99 < 200 ms", url, t)
}

func shopOn(dir, engine, goal, database string, t *table) error {
	var env []string
	if database != "" {
		env = []string{"AIRSTRIP_DATABASE_URL=" + database, "AIRSTRIP_SECRET_KEY=" + strings.Repeat("ab12", 16)}
	}
	s, d, err := seeded(dir, 0, 0, env...)
	if err != nil {
		return err
	}
	defer s.stop()
	tokens, err := rich(s, dir)
	if err != nil {
		return err
	}
	price, err := cheapest(s, tokens[0])
	if err != nil {
		return err
	}
	n := 0
	buy := func() *http.Request {
		n++
		return as(tokens[n%buyers], post(fmt.Sprintf("%s/api/v2/user/shop-old/%d/confirm-order", s.url, price), ""))
	}
	load(buyers, time.Second, http.StatusOK, buy)
	before, first := s.cpu(), n
	bought := load(buyers, 2*seconds, http.StatusOK, buy)
	each := (s.cpu() - before) / time.Duration(n-first)
	t.wrong += bought.failed
	t.row("purchases from the wallet, 50 connections, "+engine, goal,
		fmt.Sprintf("%8.0f/s  p50 %s  p99 %s  CPU %s each%s", bought.perSecond, short(bought.p50), short(bought.p99),
			short(each), failures(bought)))

	token, err := bearer(s.url+"/api/v2/auth/account_login/login", d)
	if err != nil {
		return err
	}
	if _, err := s.command("wallet", "adjust", d.User.Email, "1.00", "bench"); err != nil {
		return err
	}
	views := func(of string) {
		for _, page := range []string{"", "/movements?page=1", "/movements?page=5000&size=15", "/invoices"} {
			if of == "few" && strings.Contains(page, "5000") {
				continue
			}
			t.latency(fmt.Sprintf("  wallet%s, %s movements, %s", page, of, engine), "the same",
				load(1, seconds/4, http.StatusOK, get(s.url+"/api/v2/user/wallet"+page, "Authorization",
					"Bearer "+token)))
		}
	}
	views("few")
	if err := fill(database, dir, d.User.Email); err != nil {
		return err
	}
	views("100,000")
	begin := time.Now()
	if out, err := s.command("doctor"); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	t.row("  doctor, 100,000 movements, "+engine, "", short(time.Since(begin)))
	return nil
}

func as(token string, req *http.Request) *http.Request {
	req.Header.Set("Authorization", "Bearer "+token)
	return req
}

// rich returns tokens of the buyers, each of whom has paid money into the wallet.
func rich(s *server, dir string) (tokens []string, err error) {
	const password = "bench bench bench"
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		return nil, err
	}
	var csv strings.Builder
	csv.WriteString("email,name,hash,kind\n")
	for i := range buyers {
		fmt.Fprintf(&csv, "buyer%d@example.com,Buyer,%s,bcrypt\n", i, hash)
	}
	file := filepath.Join(dir, "buyers.csv")
	if err := os.WriteFile(file, []byte(csv.String()), 0o600); err != nil {
		return nil, err
	}
	if _, err := s.command("user", "import", file); err != nil {
		return nil, err
	}
	for i := range buyers {
		var who demo
		who.User.Email, who.User.Password = fmt.Sprintf("buyer%d@example.com", i), password
		token, err := bearer(s.url+"/api/v2/auth/account_login/login", who)
		if err != nil {
			return nil, err
		}
		var begun struct {
			PayPage struct{ URL string } `json:"pay_page"`
		}
		if err := result(as(token, post(s.url+"/api/v2/user/wallet/recharge",
			`{"gateway":"sandbox","amount":"90000.00"}`)), &begun); err != nil {
			return nil, err
		}
		page, err := url.Parse(begun.PayPage.URL)
		if err != nil {
			return nil, err
		}
		press := post(s.url+page.Path, "action=pay")
		press.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if res, err := http.DefaultTransport.RoundTrip(press); err != nil || res.StatusCode != http.StatusSeeOther {
			return nil, fmt.Errorf("pay: %v %v", res, err)
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

func cheapest(s *server, token string) (priceID int64, err error) {
	var plans []struct {
		Kind   string
		Prices []struct {
			ShopID int64 `json:"shop_id"`
		}
	}
	if err := result(get(s.url+"/api/v2/user/shop/plans", "Authorization", "Bearer "+token)(), &plans); err != nil {
		return 0, err
	}
	for _, p := range plans {
		if p.Kind == "package" {
			return p.Prices[0].ShopID, nil
		}
	}
	return 0, fmt.Errorf("no package is on sale")
}

// result sends req and reads what its answer holds, a result or a list.
func result(req *http.Request, into any) error {
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage
		List   json.RawMessage `json:"result_list"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %v", req.URL.Path, res.StatusCode, err)
	}
	if answer.List != nil {
		return json.Unmarshal(answer.List, into)
	}
	return json.Unmarshal(answer.Result, into)
}

// fill adds movements to the wallet of a user, as many adjustments of a cent would.
func fill(database, dir, email string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, database, dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var ids []int64
		if err := tx.NewRaw(`SELECT id FROM account WHERE email = ?`, email).Scan(ctx, &ids); err != nil {
			return err
		}
		user, now := ids[0], d.Now()
		for _, step := range []struct {
			sql  string
			args []any
		}{
			{`INSERT INTO wallet_adjustment (user_id, amount, reason, state, created_at, decided_at)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
				SELECT ?, 1, 'filled', 'posted', ?, ? FROM n`, []any{many, user, now, now}},
			{`INSERT INTO ledger_transaction (reason, reference_kind, reference_id, note, currency, created_at)
				SELECT 'adjustment', 'adjustment', id, reason, (SELECT MIN(currency)
				FROM ledger_transaction), created_at FROM wallet_adjustment WHERE reason = 'filled' ORDER BY id`, nil},
			{`INSERT INTO posting (transaction_id, account_id, amount) SELECT id, (SELECT id FROM ledger_account
				WHERE kind = 'gifts'), -1 FROM ledger_transaction WHERE note = 'filled'`, nil},
			{`INSERT INTO posting (transaction_id, account_id, amount, balance_after, version)
				SELECT t.id, a.id, 1, a.posted + ROW_NUMBER() OVER (ORDER BY t.id), a.version + ROW_NUMBER() OVER (ORDER BY t.id)
				FROM ledger_transaction t, ledger_account a WHERE t.note = 'filled' AND a.kind = 'wallet'
				AND a.user_id = ?`, []any{user}},
			{`UPDATE ledger_account SET posted = posted + ?, version = version + ? WHERE kind = 'wallet'
				AND user_id = ?`, []any{many, many, user}},
		} {
			if _, err := tx.NewRaw(step.sql, step.args...).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
