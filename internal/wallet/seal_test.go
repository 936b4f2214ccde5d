package wallet_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
	"airstrip/internal/wallet"
)

// sealed makes a ledger of three transactions, with a seal for each.
func sealed(t *testing.T, d *db.DB, key seal.Key) *wallet.Wallets {
	t.Helper()
	w := open(t, d, 1)
	w.SignWith(key)
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	d.SetClock(func() time.Time { return at })
	for ref := range int64(3) {
		if err := give(t, d, w, 1, ref+1, 100); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
		if err := w.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// unsealed takes the triggers of the seals away, as whoever owns the database can, and runs the statements.
func unsealed(t *testing.T, d *db.DB, statements ...string) {
	t.Helper()
	first := []string{`ALTER TABLE ledger_seal DISABLE TRIGGER ALL`}
	if d.SQLite() {
		first = []string{`DROP TRIGGER ledger_seal_no_update`, `DROP TRIGGER ledger_seal_no_delete`}
	}
	if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		for _, s := range append(first, statements...) {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestSeals_ChangedOrCut_AreFound(t *testing.T) {
	key := seal.Key{1, 2, 3}
	for name, c := range map[string]struct {
		statements []string
		says       string
		goesOn     bool // the server seals what is left, which is not at the end
	}{
		"time changed": {[]string{`UPDATE ledger_seal SET created_at = '2020-01-01T00:00:00.000Z'
			WHERE id = 2`}, "2 to 2 are not what was sealed", true},
		"version changed": {
			[]string{`UPDATE ledger_seal SET version = 1 WHERE id = 2`},
			"2 to 2 are not what was sealed", true,
		},
		"first number changed": {
			[]string{`UPDATE ledger_seal SET first_id = 0 WHERE id = 2`},
			"0 to 2 are not what was sealed", true,
		},
		"newest removed": {
			[]string{`DELETE FROM ledger_seal WHERE id = 3`},
			"the newest seal is 2, and 3 was signed as the newest", false,
		},
		"all removed": {
			[]string{`DELETE FROM ledger_seal`},
			"the newest seal is 0, and 3 was signed as the newest", false,
		},
		"signed end removed": {
			[]string{`DELETE FROM secret WHERE name = 'ledger_seal'`},
			"nothing says that seal 3 is the newest", false,
		},
		"signed end forged": {[]string{`UPDATE secret SET sealed = (SELECT hash FROM ledger_seal WHERE id = 3)
			WHERE name = 'ledger_seal'`}, "was not written with the secret key", false},
		"seal put at the end": {
			[]string{`INSERT INTO ledger_seal (id, first_id, last_id, hash, created_at) SELECT 4, 4, 4, hash, created_at
				FROM ledger_seal WHERE id = 3`},
			"the newest seal is 4, and 3 was signed as the newest", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := sealed(t, d, key)
				found := func() string {
					t.Helper()
					broken := check(t, w)
					cut, err := wallet.CheckKey(t.Context(), d, key)
					if err != nil {
						t.Fatal(err)
					}
					return fmt.Sprint(append(broken, cut...))
				}
				if got := found(); got != "[]" {
					t.Fatalf("found %s in a ledger that nobody touched", got)
				}
				unsealed(t, d, c.statements...)
				if got := found(); !strings.Contains(got, c.says) {
					t.Errorf("found %s, want %q", got, c.says)
				}
				if err := w.Seal(t.Context()); (err == nil) != c.goesOn {
					t.Errorf("sealing after it: %v", err)
				}
			})
		})
	}
}

func TestSeals_Database_RefusesChanges(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		sealed(t, d, seal.Key{1})
		for _, statement := range []string{`UPDATE ledger_seal SET hash = hash`, `DELETE FROM ledger_seal`} {
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, statement)
				return err
			}); err == nil {
				t.Errorf("%s succeeds", statement)
			}
		}
	})
}

// Seals that an earlier program made, which have no signed end, stay valid and are continued with newer ones.
func TestSeal_SealsOfAnEarlierVersion_StayValidAndGoOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		key := seal.Key{1, 2, 3}
		w := sealed(t, d, key)
		hash := earlierHash(t, d)
		insert := fmt.Sprintf(`INSERT INTO ledger_seal (id, first_id, last_id, hash, created_at)
			SELECT 1, 1, 3, '\x%x', created_at FROM ledger_account LIMIT 1`, hash)
		if d.SQLite() {
			insert = strings.Replace(insert, `'\x`, `X'`, 1)
		}
		unsealed(t, d, `DELETE FROM ledger_seal`, `DELETE FROM secret WHERE name = 'ledger_seal'`, insert)
		if cut, err := wallet.CheckKey(t.Context(), d, key); err != nil || cut != nil {
			t.Errorf("before it goes on: %v, %v", cut, err)
		}
		at := d.Now()
		if err := give(t, d, w, 1, 4, 100); err != nil {
			t.Fatal(err)
		}
		d.SetClock(func() time.Time { return at.Add(time.Hour) })
		if err := w.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		sound(t, w)
		if cut, err := wallet.CheckKey(t.Context(), d, key); err != nil || cut != nil {
			t.Error(cut, err)
		}
		var versions []int64
		if err := d.NewRaw(`SELECT version FROM ledger_seal ORDER BY id`).Scan(t.Context(), &versions); err != nil ||
			!slices.Equal(versions, []int64{1, 2}) {
			t.Errorf("the seals have the versions %v, %v", versions, err)
		}
	})
}

// earlierHash returns the hash of version 1 over the whole ledger, as programs before version 2 made it.
func earlierHash(t *testing.T, d *db.DB) []byte {
	t.Helper()
	h := sha256.New()
	out := json.NewEncoder(h)
	var transactions []struct {
		ID                    int64
		Reason, ReferenceKind string
		ReferenceID           int64
		Note, Currency        string
		CreatedAt             time.Time
	}
	if err := d.NewRaw(`SELECT id, reason, reference_kind, reference_id, note, currency, created_at
		FROM ledger_transaction ORDER BY id`).
		Scan(t.Context(), &transactions); err != nil {
		t.Fatal(err)
	}
	for _, r := range transactions {
		if err := out.Encode([]any{
			r.ID, r.Reason, r.ReferenceKind, r.ReferenceID, r.Note, r.Currency,
			r.CreatedAt.UnixMilli(),
		}); err != nil {
			t.Fatal(err)
		}
	}
	var postings []struct {
		ID, TransactionID, AccountID int64
		Amount                       int64
		BalanceAfter, Version        *int64
	}
	if err := d.NewRaw(`SELECT id, transaction_id, account_id, amount, balance_after, version FROM posting
		ORDER BY id`).
		Scan(t.Context(), &postings); err != nil {
		t.Fatal(err)
	}
	for _, p := range postings {
		if err := out.Encode([]any{
			p.ID, p.TransactionID, p.AccountID, p.Amount, p.BalanceAfter,
			p.Version,
		}); err != nil {
			t.Fatal(err)
		}
	}
	return h.Sum(nil)
}
