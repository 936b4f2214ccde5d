package db

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A derivedTrigger keeps a table current whose rows follow from other tables: after an event on one of these it runs
// statements that both engines understand. Its text belongs to the migration that names it, so it is never changed:
// what one did wrong is mended by another migration, with triggers of its own.
type derivedTrigger struct {
	table, event string // INSERT, DELETE, or UPDATE OF some columns
	when         string // of the rows; empty: all
	does         []string
	// user is whose row of user_facts is locked before a statement that reads other tables: without that, PostgreSQL
	// waits for the row in the midst of the statement, which goes on with what it read of them before.
	user string
}

var (
	triggersOf = regexp.MustCompile(`\{\{triggers (\w+)\}\}`)
	lockingOf  = regexp.MustCompile(`\{\{locking_triggers (\w+)\}\}`)
	deferredOf = regexp.MustCompile(`\{\{deferred_triggers (\w+)\}\}`)
	lowerOf    = regexp.MustCompile(`\{\{lower ([\w.]+)\}\}`)
)

// asciiLower writes {{lower x}}: PostgreSQL would change letters that SQLite does not know.
func asciiLower(text string, sqlite bool) string {
	if sqlite {
		return lowerOf.ReplaceAllString(text, "lower($1)")
	}
	return lowerOf.ReplaceAllString(text, `lower($1 COLLATE "C")`)
}

// name is what the trigger is called.
func (t derivedTrigger) name(derived string) string {
	verb, _, _ := strings.Cut(strings.ToLower(t.event), " ")
	return fmt.Sprintf("%s_%s_%s", derived, t.table, verb)
}

// condition is the trigger's clause that chooses among rows; empty: it takes all.
func (t derivedTrigger) condition() string {
	if t.when == "" {
		return ""
	}
	return " WHEN (" + t.when + ")"
}

// missingTriggers returns the triggers that keep tables and are not there, or do nothing.
func (d *DB) missingTriggers(ctx context.Context) (broken []Violation, err error) {
	stored := `SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE NOT tgisinternal AND tgenabled = 'O' AND c.relnamespace = current_schema()::regnamespace`
	if d.sqlite {
		stored = `SELECT name FROM sqlite_schema WHERE type = 'trigger'`
	}
	var names []string
	if err := d.NewRaw(stored).Scan(ctx, &names); err != nil {
		return nil, err
	}
	for derived, triggers := range derivedTables {
		for _, t := range triggers {
			if !slices.Contains(names, t.name(derived)) {
				broken = append(broken, Violation{
					"I17: what follows from other tables is written with them",
					"the trigger " + t.name(derived) + " of the table " + t.table + " is missing",
				})
			}
		}
	}
	return broken, nil
}

// fillIn writes what a migration names besides the words of the engine.
func fillIn(text string, sqlite bool) string {
	text = triggersOf.ReplaceAllStringFunc(text, func(found string) string {
		name := triggersOf.FindStringSubmatch(found)[1]
		triggers, known := derivedTables[name]
		if !known {
			panic("db: no triggers are called " + name)
		}
		return createTriggers(name, triggers, sqlite)
	})
	text = lockingOf.ReplaceAllStringFunc(text, func(found string) string {
		name := lockingOf.FindStringSubmatch(found)[1]
		return lockInTriggers(name, derivedTables[name], sqlite)
	})
	text = deferredOf.ReplaceAllStringFunc(text, func(found string) string {
		name := deferredOf.FindStringSubmatch(found)[1]
		return deferTriggers(name, derivedTables[name], sqlite)
	})
	return asciiLower(text, sqlite)
}

// lockInTriggers makes triggers that exist lock the row that they are about to write. SQLite has one writer.
func lockInTriggers(name string, triggers []derivedTrigger, sqlite bool) string {
	if sqlite {
		return "SELECT 1;"
	}
	var out strings.Builder
	for _, t := range triggers {
		if t.user != "" {
			fmt.Fprintf(&out, "CREATE OR REPLACE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN\n"+
				"\tPERFORM 1 FROM %s WHERE user_id = %s FOR NO KEY UPDATE;\n\t%s;\n\tRETURN NULL;\nEND$$;\n",
				t.name(name), name, t.user, strings.Join(t.does, ";\n\t"))
		}
	}
	return out.String()
}

// deferTriggers makes triggers that exist run at the commit, in the order of the events. SQLite has one writer.
func deferTriggers(name string, triggers []derivedTrigger, sqlite bool) string {
	if sqlite {
		return "SELECT 1;"
	}
	var out strings.Builder
	for _, t := range triggers {
		fmt.Fprintf(&out, "DROP TRIGGER %s ON %s;\nCREATE CONSTRAINT TRIGGER %[1]s AFTER %[3]s ON %[2]s\n"+
			"\tDEFERRABLE INITIALLY DEFERRED FOR EACH ROW%[4]s EXECUTE FUNCTION %[1]s();\n",
			t.name(name), t.table, t.event, t.condition())
	}
	return out.String()
}

func createTriggers(name string, triggers []derivedTrigger, sqlite bool) string {
	var out strings.Builder
	for _, t := range triggers {
		called := t.name(name)
		body := strings.Join(t.does, ";\n\t") + ";"
		when := t.condition()
		if sqlite {
			fmt.Fprintf(&out, "CREATE TRIGGER %s AFTER %s ON %s%s BEGIN\n\t%s\nEND;\n", called, t.event, t.table, when, body)
			continue
		}
		fmt.Fprintf(&out, "CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN\n\t%s\n\tRETURN NULL;\nEND$$;\n"+
			"CREATE TRIGGER %[1]s AFTER %[3]s ON %[4]s FOR EACH ROW%[5]s EXECUTE FUNCTION %[1]s();\n",
			called, body, t.event, t.table, when)
	}
	return out.String()
}

// derivedTables are the tables that triggers keep current, by the name that the migration gives them.
var derivedTables = map[string][]derivedTrigger{"user_facts": userFacts}

// The service whose plan, end and use are shown, as userService, follows from all services of the user.
const (
	userService = `UPDATE user_facts SET (plan_id, ends_at, used_bytes, quota_bytes, used_percent) = (
		SELECT CASE WHEN v.ended_at IS NULL THEN v.plan_id END, COALESCE(v.ended_at, v.ends_at),
			CASE WHEN v.ended_at IS NULL THEN c.billed / 67108864 * 67108864 END,
			CASE WHEN v.ended_at IS NULL THEN v.quota_bytes END,
			CASE WHEN v.ended_at IS NULL THEN CASE WHEN c.billed / 67108864 * 67108864 >= v.quota_bytes THEN 100
				ELSE c.billed / 67108864 * 67108864 * 100 / v.quota_bytes END END
		FROM service v LEFT JOIN service_cycle c ON c.service_id = v.id AND c.cycle = v.cycle
		WHERE v.user_id = user_facts.user_id
		ORDER BY (v.ended_at IS NULL) DESC, COALESCE(v.ended_at, v.ends_at) DESC, v.id DESC LIMIT 1)
	WHERE user_id = `
	ofCycle   = `(SELECT w.user_id FROM service w WHERE w.id = NEW.service_id)`
	domain    = `substr(NEW.email, length(rtrim(NEW.email, replace(NEW.email, '@', ''))) + 1)`
	userState = `CASE WHEN NEW.closed_at IS NOT NULL THEN 'closed' WHEN NEW.banned_at IS NOT NULL THEN 'banned'
		ELSE COALESCE((SELECT a.state FROM access a WHERE a.user_id = NEW.id), 'none') END`
	accessState = `UPDATE user_facts SET state = COALESCE((SELECT CASE WHEN u.closed_at IS NOT NULL THEN 'closed'
		WHEN u.banned_at IS NOT NULL THEN 'banned' END FROM account u WHERE u.id = NEW.user_id), NEW.state)
	WHERE user_id = NEW.user_id`
	balance = `UPDATE user_facts SET balance = NEW.posted WHERE user_id = NEW.user_id`
	seen    = `UPDATE user_facts SET seen_at = NEW.seen_at
	WHERE user_id = NEW.account_id AND state <> 'closed' AND (seen_at IS NULL OR seen_at < NEW.seen_at)`
)

var userFacts = []derivedTrigger{
	{table: "account", event: "INSERT", does: []string{
		`INSERT INTO user_facts (user_id, email, domain, name, role, state, balance, inviter_id, area, seen_at, fetches,
		created_at)
	VALUES (NEW.id, NEW.email, ` + domain + `, {{lower NEW.name}}, NEW.role, ` + userState + `, 0, NEW.invited_by, '',
		NEW.signed_in_at, 0, NEW.created_at)`,
	}},
	{
		table: "account", event: "UPDATE OF email, name, role, banned_at, closed_at, invited_by, signed_in_at, created_at",
		does: []string{`UPDATE user_facts SET email = NEW.email, domain = ` + domain + `, name = {{lower NEW.name}},
		role = NEW.role, state = ` + userState + `, inviter_id = NEW.invited_by, created_at = NEW.created_at,
		area = CASE WHEN NEW.closed_at IS NULL THEN area ELSE '' END,
		seen_at = CASE WHEN NEW.closed_at IS NOT NULL THEN NULL
			WHEN seen_at IS NULL OR seen_at < NEW.signed_in_at THEN NEW.signed_in_at ELSE seen_at END
	WHERE user_id = NEW.id`},
		user: "NEW.id",
	},
	{table: "account", event: "DELETE", does: []string{`DELETE FROM user_facts WHERE user_id = OLD.id`}},
	{table: "access", event: "INSERT", does: []string{accessState}, user: "NEW.user_id"},
	{
		table: "access", event: "UPDATE OF state", when: "NEW.state <> OLD.state", does: []string{accessState},
		user: "NEW.user_id",
	},
	{table: "ledger_account", event: "INSERT", when: "NEW.kind = 'wallet'", does: []string{balance}},
	{table: "ledger_account", event: "UPDATE OF posted", when: "NEW.kind = 'wallet'", does: []string{balance}},
	{table: "service", event: "INSERT", does: []string{userService + "NEW.user_id"}, user: "NEW.user_id"},
	{
		table: "service", event: "UPDATE OF plan_id, ends_at, ended_at, quota_bytes, cycle",
		does: []string{userService + "NEW.user_id"},
		user: "NEW.user_id",
	},
	{table: "service", event: "DELETE", does: []string{userService + "OLD.user_id"}, user: "OLD.user_id"},
	{table: "service_cycle", event: "INSERT", does: []string{userService + ofCycle}, user: ofCycle},
	{
		table: "service_cycle", event: "UPDATE OF billed", when: "NEW.billed / 67108864 <> OLD.billed / 67108864",
		does: []string{userService + ofCycle},
		user: ofCycle,
	},
	{table: "session", event: "INSERT", does: []string{seen}},
	{table: "session", event: "UPDATE OF seen_at", when: "NEW.seen_at <> OLD.seen_at", does: []string{seen}},
	{table: "link_fetch", event: "INSERT", does: []string{`UPDATE user_facts SET fetches = fetches + 1,
		fetched_at = NEW.fetched_at, area = CASE WHEN state = 'closed' THEN '' ELSE NEW.area END
	WHERE user_id = NEW.user_id`}},
	{table: "link_fetch", event: "DELETE", does: []string{
		`UPDATE user_facts SET fetches = CASE WHEN fetches > 0 THEN fetches - 1 ELSE 0 END WHERE user_id = OLD.user_id`,
	}},
}
