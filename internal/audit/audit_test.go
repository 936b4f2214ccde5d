package audit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/permission"
	"airstrip/internal/seal"
)

var key = seal.Key{1, 2, 3}

var ann = audit.Actor{Kind: audit.Member, UserID: 7, Role: permission.Admin, Address: "192.0.2.1", RequestID: "r1"}

// record writes an entry as ann.
func record(t *testing.T, d *db.DB, action string, object audit.Object, before, after any, reason string) {
	t.Helper()
	ctx := audit.New(d, key).As(t.Context(), ann)
	if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
		return audit.Record(ctx, tx, action, object, before, after, reason)
	}); err != nil {
		t.Fatal(err)
	}
}

// find returns all entries, newest first.
func find(t *testing.T, d *db.DB, f audit.Filter) []audit.Entry {
	t.Helper()
	f.Limit = 100
	entries, total, err := audit.New(d, key).Find(t.Context(), f)
	if err != nil || int(total) != len(entries) {
		t.Fatal(total, err)
	}
	return entries
}

func execute(t *testing.T, d *db.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
			_, err := tx.ExecContext(ctx, s)
			return err
		}); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func TestRecord_Change_KeepsWhoWhatAndOnlyTheFieldsThatDiffer(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		type thing struct {
			Name          string
			ExemptUserIDs []int64
			Bytes         int64
		}
		record(t, d, "node.change", audit.ID("node", 3), thing{"a", []int64{1}, 1 << 60},
			thing{"b", []int64{1}, 1<<60 + 1}, " an outage ")
		got := find(t, d, audit.Filter{})[0]
		if got.Before != `{"bytes":1152921504606846976,"name":"a"}` ||
			got.After != `{"bytes":1152921504606846977,"name":"b"}` {
			t.Errorf("before %s, after %s", got.Before, got.After)
		}
		if got.Actor != audit.Member || *got.ActorID != 7 || got.ActorRole != permission.Admin ||
			got.Address != ann.Address ||
			got.RequestID != "r1" || got.Object != "node" || got.ObjectID != "3" || got.Reason != "an outage" ||
			got.At.IsZero() {
			t.Errorf("%+v", got)
		}
	})
}

func TestRecord_ChangeThatFails_LeavesNoEntry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		failed := errors.New("the change failed")
		ctx := audit.New(d, key).As(t.Context(), ann)
		err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
			if err := audit.Record(ctx, tx, "node.add", audit.ID("node", 1), nil, nil, ""); err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) || len(find(t, d, audit.Filter{})) != 0 {
			t.Error(err)
		}
	})
}

func TestRecord_NobodyOfStaff_WritesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, ctx := range []context.Context{t.Context(), audit.Prepare(t.Context())} {
			if err := audit.Note(ctx, "user.add", audit.ID("user", 1), nil, ""); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(find(t, d, audit.Filter{})); n != 0 {
			t.Errorf("%d entries", n)
		}
		command := audit.Prepare(t.Context())
		audit.New(d, key).Begin(command, audit.Actor{Kind: audit.Operator, Name: "root"})
		if err := audit.Note(command, "user.add", audit.ID("user", 1), nil, ""); err != nil {
			t.Fatal(err)
		}
		if got := find(t, d, audit.Filter{}); len(got) != 1 || got[0].ActorName != "root" || got[0].ActorID != nil {
			t.Errorf("%+v", got)
		}
	})
}

func TestRecord_Secrets_AreNeverStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const secret = "correct-horse-battery"
		type nested struct{ PrivateKey, ServerKey string }
		record(t, d, "node.change", audit.ID("node", 1), nil, map[string]any{
			"typed": audit.Secret(secret), "none": audit.Secret(""), "Password": secret, "api_key": secret,
			"key":  secret,
			"deep": []any{map[string]any{"Settings": nested{secret, secret}}}, "Sealed": []byte(secret),
			"name": "shown",
		}, "")
		got := find(t, d, audit.Filter{})[0]
		if strings.Contains(got.After, secret) || strings.Contains(got.After, "Y29ycmVjdC1ob3") ||
			!strings.Contains(got.After, `"name":"shown"`) {
			t.Errorf("the log has %s", got.After)
		}
		if text := fmt.Sprint(audit.Secret(secret)); text == secret {
			t.Error("a secret is printed")
		}
	})
}

func TestRecord_LongValues_AreNamedByTheirChecksum(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		record(t, d, "link.template.set", audit.Object{Kind: "link_template", ID: "site/0"}, nil,
			strings.Repeat("x", 1<<20), strings.Repeat("y", 1000))
		got := find(t, d, audit.Filter{})[0]
		if len(got.After) > 200 || !strings.Contains(got.After, "sha256") || len(got.Reason) != 500 {
			t.Errorf("%d bytes, reason of %d: %s", len(got.After), len(got.Reason), got.After)
		}
	})
}

func TestRecord_ClearValue_ShowsFieldsCalledAsSecrets(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		record(t, d, "setting.change", audit.Object{Kind: "setting"},
			audit.Clear{Value: map[string]any{"captcha_forgot_password": "risk", "mark": audit.Secret("one")}},
			audit.Clear{Value: map[string]any{"captcha_forgot_password": "always", "mark": audit.Secret("two")}}, "")
		got := find(t, d, audit.Filter{})[0]
		if got.Before != `{"captcha_forgot_password":"risk","mark":"(secret)"}` ||
			got.After != `{"captcha_forgot_password":"always","mark":"(another secret)"}` {
			t.Errorf("it shows %s and %s", got.Before, got.After)
		}
	})
}

func TestRecord_SecretThatChanged_ShowsThatItDid(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		type settings struct {
			ObfsPassword string `json:"obfs_password"`
			Path         string `json:"path"`
		}
		type thing struct {
			Settings settings
			Key      audit.Secret
			Other    audit.Secret
			Port     int
		}
		for _, c := range []struct {
			name          string
			was, is       any
			before, after string
		}{
			{
				"nested",
				thing{Settings: settings{"one", "/"}},
				thing{Settings: settings{"two", "/"}},
				`{"settings":{"obfs_password":"(secret)","path":"/"}}`,
				`{"settings":{"obfs_password":"(another secret)","path":"/"}}`,
			},
			{
				"typed",
				thing{Key: "one", Other: "x"},
				thing{Key: "two", Other: "x"},
				`{"key":"(secret)"}`,
				`{"key":"(another secret)"}`,
			},
			{"set", thing{}, thing{Key: "one"}, `{"key":""}`, `{"key":"(secret)"}`},
			{"removed", thing{Key: "one"}, thing{}, `{"key":"(secret)"}`, `{"key":""}`},
			{"same", thing{Key: "one", Port: 1}, thing{Key: "one", Port: 2}, `{"port":1}`, `{"port":2}`},
			{
				"in a list",
				map[string]any{"all": []settings{{"one", ""}}},
				map[string]any{"all": []settings{{"two", ""}}},
				`{"all":[{"obfs_password":"(secret)","path":""}]}`,
				`{"all":[{"obfs_password":"(another secret)","path":""}]}`,
			},
		} {
			record(t, d, "node.change", audit.ID("node", 1), c.was, c.is, "")
			if got := find(t, d, audit.Filter{})[0]; got.Before != c.before || got.After != c.after {
				t.Errorf("%s: before %s, after %s", c.name, got.Before, got.After)
			}
		}
	})
}

func TestRecord_LongFieldOfAnObject_LeavesTheOthersInClear(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		record(t, d, "coupon.write", audit.ID("coupon", 1), nil, map[string]any{"act": 5, "gives": strings.Repeat("x",
			1<<20)}, "")
		got := find(t, d, audit.Filter{})[0]
		if !strings.HasPrefix(got.After, `{"act":5,"gives":{"bytes":1048578,"sha256":"`) {
			t.Errorf("the log has %.200s", got.After)
		}
	})
}

func TestFind_Filters_NarrowTheList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
		d.SetClock(func() time.Time { return at })
		record(t, d, "node.add", audit.ID("node", 1), nil, nil, "")
		at = at.Add(time.Hour)
		record(t, d, "node.secret.rotate", audit.ID("node", 1), nil, nil, "")
		at = at.Add(time.Hour)
		record(t, d, "nodes", audit.ID("user", 1), nil, nil, "")
		for name, want := range map[string]struct {
			filter audit.Filter
			n      int
		}{
			"all":           {audit.Filter{}, 3},
			"actor":         {audit.Filter{ActorID: 7, Actor: audit.Member}, 3},
			"another actor": {audit.Filter{ActorID: 8}, 0},
			"action":        {audit.Filter{Action: "node.add"}, 1},
			"actions":       {audit.Filter{Action: "node."}, 2},
			"object":        {audit.Filter{Object: "node", ObjectID: "1"}, 2},
			"from":          {audit.Filter{From: at}, 1},
			"to":            {audit.Filter{To: at}, 2},
		} {
			if got := len(find(t, d, want.filter)); got != want.n {
				t.Errorf("%s: %d, want %d", name, got, want.n)
			}
		}
	})
}

func TestLog_EntriesAndSeals_AreRefusedEveryChangeByTheDatabase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		log := opened(t, d)
		record(t, d, "node.add", audit.ID("node", 1), nil, nil, "")
		if err := log.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		statements := []string{
			`UPDATE audit_entry SET reason = 'another'`, `DELETE FROM audit_entry`, `UPDATE audit_seal SET seq = 5`,
			`DELETE FROM audit_seal`,
		}
		if !d.SQLite() {
			statements = append(statements, `TRUNCATE audit_entry`, `TRUNCATE audit_seal`)
		}
		for _, s := range statements {
			if err := d.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, s)
				return err
			}); err == nil || !strings.Contains(err.Error(), "append-only") {
				t.Errorf("%s: %v", s, err)
			}
		}
	})
}
