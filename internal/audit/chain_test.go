package audit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"airstrip/internal/audit"
	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/seal"
)

// broken returns what the doctor finds: of the chain, and with the key of who wrote the entries.
func broken(t *testing.T, d *db.DB, key seal.Key) (found []string) {
	t.Helper()
	chain, err := audit.Check(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	written, err := audit.CheckKey(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(chain, written...) {
		found = append(found, v.Rule+": "+v.What)
	}
	return found
}

// opened returns the log as a server opens it.
func opened(t *testing.T, d *db.DB) *audit.Log {
	t.Helper()
	log, err := audit.Open(t.Context(), d, key)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// chained makes a chain of five sealed entries, and two that are not sealed yet.
func chained(t *testing.T, d *db.DB) {
	t.Helper()
	log := opened(t, d)
	for i := range 7 {
		record(t, d, "node.change", audit.ID("node", int64(i)), nil, map[string]any{"port": i}, "")
		if i == 2 || i == 4 {
			if err := log.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// unprotected drops the triggers, as the owner of the database can.
func unprotected(d *db.DB) (statements []string) {
	for _, table := range []string{"audit_entry", "audit_seal"} {
		if d.SQLite() {
			statements = append(statements, "DROP TRIGGER "+table+"_no_update", "DROP TRIGGER "+table+"_no_delete")
		} else {
			statements = append(statements, "ALTER TABLE "+table+" DISABLE TRIGGER ALL")
		}
	}
	return statements
}

func TestCheck_LogThatNobodyTouched_Holds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if found := broken(t, d, key); found != nil {
			t.Fatalf("an empty log: %s", found)
		}
		chained(t, d)
		if found := broken(t, d, key); found != nil {
			t.Fatal(found)
		}
		if err := audit.New(d, key).Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found := broken(t, d, key); found != nil {
			t.Fatal(found)
		}
		for _, e := range find(t, d, audit.Filter{}) {
			if e.Seq == nil || *e.Seq != e.ID {
				t.Errorf("entry %d has the seal %v", e.ID, e.Seq)
			}
		}
		if found := broken(t, d, seal.Key{9}); len(found) == 0 {
			t.Error("another key finds nothing")
		}
	})
}

func TestCheck_DatabaseChangedByHand_IsFound(t *testing.T) {
	const (
		columns = `(key, at, actor, actor_id, actor_role, actor_name, address, request_id, action, object, object_id, before, after, reason, mac)`
		copied  = `at, actor, actor_id, actor_role, actor_name, address, request_id, action, object, object_id, before, after, reason, mac FROM audit_entry WHERE id = 2`
		other   = `'00000000-0000-4000-8000-000000000001'`
	)
	for name, c := range map[string]struct {
		statements []string
		says       string
	}{
		"sealed entry changed": {
			[]string{`UPDATE audit_entry SET reason = 'harmless' WHERE id = 2`},
			"entry 2 is not the one that was sealed",
		},
		"actor changed": {
			[]string{`UPDATE audit_entry SET actor_id = 8 WHERE id = 4`},
			"entry 4 is not the one that was sealed",
		},
		"unsealed entry changed": {
			[]string{`UPDATE audit_entry SET object_id = '9' WHERE id = 7`},
			"written by a server: entry 7",
		},
		"sealed entry removed": {[]string{`DELETE FROM audit_entry WHERE id = 3`}, "entry 3 was removed"},
		"entry and seal removed": {[]string{
			`DELETE FROM audit_entry WHERE id = 3`,
			`DELETE FROM audit_seal WHERE entry_id = 3`,
		}, "seals 3 to 3 are missing"},
		"end of the chain cut off": {
			[]string{`DELETE FROM audit_entry WHERE id >= 4`, `DELETE FROM audit_seal WHERE entry_id >= 4`},
			"the chain ends with seal 3, and the head names seal 5",
		},
		"end cut off with a forged head": {
			[]string{
				`DELETE FROM audit_entry WHERE id >= 4`, `DELETE FROM audit_seal WHERE entry_id >= 4`,
				`UPDATE audit_head SET seq = 3, hash = (SELECT hash FROM audit_seal WHERE seq = 3)`,
			}, "the end of the chain, seal 3",
		},
		"all removed": {
			[]string{`DELETE FROM audit_entry`, `DELETE FROM audit_seal`},
			"the chain ends with seal 0",
		},
		"entry put in": {
			[]string{`INSERT INTO audit_entry ` + columns + ` SELECT ` + other + `, ` + copied},
			"written by a server: entry 8",
		},
		"entry put in between": {[]string{
			`UPDATE audit_seal SET seq = seq + 100 WHERE seq >= 4`,
			`UPDATE audit_seal SET seq = seq - 99 WHERE seq >= 100`,
		}, "seals 4 to 4 are missing"},
		"seals swapped": {
			[]string{
				`UPDATE audit_seal SET entry_id = 100 WHERE seq = 1`,
				`UPDATE audit_seal SET entry_id = 1 WHERE seq = 2`, `UPDATE audit_seal SET entry_id = 2 WHERE seq = 1`,
			},
			"entry 1 is not the one that was sealed",
		},
		"head taken away alone": {[]string{`DELETE FROM audit_head`}, "the head of the chain is missing"},
		"log cut, chain and head removed": {
			[]string{`DELETE FROM audit_entry WHERE id = 3`, `DELETE FROM audit_seal`, `DELETE FROM audit_head`},
			"the head of the chain is missing",
		},
		"all three tables emptied": {
			[]string{`DELETE FROM audit_entry`, `DELETE FROM audit_seal`, `DELETE FROM audit_head`},
			"the head of the chain is missing",
		},
		"log cut, chain, head and mark removed": {
			[]string{
				`DELETE FROM audit_entry WHERE id = 3`, `DELETE FROM audit_seal`, `DELETE FROM audit_head`,
				`DELETE FROM secret`,
			},
			"the head of the chain is missing",
		},
		"mark of the beginning removed": {[]string{`DELETE FROM secret`}, "nothing says that the log was begun"},
		"mark of the beginning forged": {
			[]string{`UPDATE secret SET sealed = mac FROM audit_head`},
			"when the log was begun",
		},
		"time of a seal changed": {[]string{`UPDATE audit_seal SET at = '2020-01-01T00:00:00.000Z'
			WHERE seq = 2`}, "entry 2 is not the one that was sealed, or its seal was changed"},
		"seal made an older version": {
			[]string{`UPDATE audit_seal SET version = 1 WHERE seq = 2`},
			"entry 2 is not the one that was sealed, or its seal was changed",
		},
		"entry kept out of the chain": {
			[]string{`UPDATE audit_seal SET entry_id = 100, at = '2100-01-01T00:00:00.000Z' WHERE seq = 5`},
			"entry 5 was left out of the chain",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				chained(t, d)
				execute(t, d, append(unprotected(d), c.statements...)...)
				found := strings.Join(broken(t, d, key), "\n")
				if !strings.Contains(found, c.says) {
					t.Errorf("found %q, want %q", found, c.says)
				}
			})
		})
	}
}

// An entry that was put in by hand is not sealed, so that it stays apart from what servers wrote.
func TestSeal_EntryThatNoServerWrote_StaysOutOfTheChain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		chained(t, d)
		execute(t, d, `INSERT INTO audit_entry (key, at, actor, actor_role, actor_name, address, request_id, action, object, object_id, before, after, reason, mac)
			SELECT '00000000-0000-4000-8000-000000000001', at, 'operator', '', 'root', '', '', 'node.remove', 'node', '1', '', '', '', mac FROM audit_entry WHERE id = 1`)
		record(t, d, "node.change", audit.ID("node", 9), nil, nil, "")
		if err := audit.New(d, key).Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		entries := find(t, d, audit.Filter{})
		if len(entries) != 9 || entries[1].Seq != nil || *entries[0].Seq != 8 {
			t.Fatalf("%d entries, the forged one has the seal %v", len(entries), entries[1].Seq)
		}
		if found := broken(t, d, key); len(found) != 1 || !strings.HasSuffix(found[0], "entry 8") {
			t.Errorf("found %s", found)
		}
	})
}

// Two replicas that seal at the same time, and members who work meanwhile, leave one chain.
func TestSeal_Concurrent_MakesOneChain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		log := opened(t, d)
		var running sync.WaitGroup
		for worker := range 4 {
			running.Go(func() {
				ctx := log.As(t.Context(), ann)
				for i := range 20 {
					if err := d.Tx(ctx, func(ctx context.Context, tx bun.Tx) error {
						return audit.Record(ctx, tx, "node.change", audit.Object{
							Kind: "node",
							ID:   fmt.Sprint(worker, i),
						}, nil, nil, "")
					}); err != nil {
						t.Error(err)
					}
					if worker < 2 {
						_ = log.Seal(ctx) // one of two that seal the same fails, and the job runs again
					}
				}
			})
		}
		running.Wait()
		if err := log.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found := broken(t, d, key); found != nil {
			t.Error(found)
		}
		for _, e := range find(t, d, audit.Filter{}) {
			if e.Seq == nil {
				t.Errorf("entry %d is not sealed", e.ID)
			}
		}
	})
}

// What remains of a log whose chain was removed is never chained again, by a running server or by one that starts.
func TestSeal_ChainRemoved_IsRefusedAndNotifiesOnce(t *testing.T) {
	for name, rest := range map[string][]string{
		"entry": {`DELETE FROM audit_entry WHERE id = 3`}, "all": {`DELETE FROM audit_entry`},
		"entry and mark": {`DELETE FROM audit_entry WHERE id = 3`, `DELETE FROM secret`},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				chained(t, d)
				running := opened(t, d)
				execute(t, d, append(unprotected(d), append(rest, `DELETE FROM audit_seal`,
					`DELETE FROM audit_head`)...)...)
				record(t, d, "node.change", audit.ID("node", 9), nil, nil, "")
				for _, log := range []*audit.Log{running, opened(t, d)} {
					notified := 0
					log.OnFault(func(context.Context, bun.Tx) error { notified++; return nil })
					for range 2 {
						if err := log.Seal(t.Context()); err == nil {
							t.Error("a chain was begun again")
						}
					}
					if notified != 1 {
						t.Errorf("staff was notified %d times", notified)
					}
				}
				if found := strings.Join(broken(t, d, key), "\n"); !strings.Contains(found,
					"the head of the chain is missing") {
					t.Errorf("found %q", found)
				}
			})
		})
	}
}

func TestSeal_ForgedOrCutEnd_IsRefused(t *testing.T) {
	for name, statement := range map[string]string{
		"head forged": `UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit_seal WHERE seq = 4)`,
		"end cut off": `DELETE FROM audit_seal WHERE seq >= 4`,
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				chained(t, d)
				execute(t, d, append(unprotected(d), statement)...)
				if err := opened(t, d).Seal(t.Context()); err == nil {
					t.Error("the chain was continued")
				}
			})
		})
	}
}

// The doctor reads the log as it is at one moment: what servers seal meanwhile is not taken for a forged end.
func TestCheck_SealsAddedMeanwhile_FindsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		log := opened(t, d)
		stop := make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				record(t, d, "node.change", audit.ID("node", 1), nil, nil, "")
				if err := log.Seal(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
		for range 100 {
			if found := broken(t, d, key); found != nil {
				t.Errorf("found %q in a log that is whole", found)
				break
			}
		}
		close(stop)
		running.Wait()
	})
}

// Seals that were made while the clock was months ahead leave later entries their time to be sealed.
func TestCheck_EntryAfterAWrongTime_Waits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		log, now := opened(t, d), d.Now()
		d.SetClock(func() time.Time { return now.AddDate(0, 3, 0) })
		record(t, d, "node.change", audit.ID("node", 1), nil, nil, "")
		if err := log.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.SetClock(func() time.Time { return now })
		record(t, d, "node.change", audit.ID("node", 1), nil, nil, "")
		if found := broken(t, d, key); found != nil {
			t.Errorf("found %q of an entry that waits for its seal", found)
		}
	})
}

// Servers that start at once begin one log.
func TestOpen_Concurrent_BeginsOneLog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				if _, err := audit.Open(t.Context(), d, key); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if found := broken(t, d, key); found != nil {
			t.Error(found)
		}
	})
}
