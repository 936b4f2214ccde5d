package app

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/permission"
)

// act is a call of one staff operation that succeeds: as whom, with which path, and what it sends.
type act struct {
	as         testUser
	path, body string
	media      string // of the body; empty: JSON
	reads      bool   // changes nothing, although it is no GET
}

// knownSecrets are texts that the acts send or that the site has, none of which may stand in the audit log.
var knownSecrets = []string{
	"swordfish-transfer-account", "aVeryLong1SharedKey9zQ", "sk_live_of_the_gateway",
	"correct-horse-of-netflix", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "hunter2-smtp",
	"f4a124188f53422f98b3451bf03a8f28",
}

// auditedActs gives, by the operation's id, how to bring the site to where the call succeeds and the call itself.
// Nothing that the preparation does has an actor, so it leaves no entry.
func auditedActs(h *fixture) map[string]func() act {
	site := newActSite(h)
	acts := site.siteActs()
	for _, more := range []map[string]func() act{site.supportActs(), site.moneyActs(), site.networkActs()} {
		maps.Copy(acts, more)
	}
	return acts
}

// entries returns how many the audit log has, and the newest.
func (h *fixture) entries() (total int64, newest audit.Entry) {
	h.Helper()
	found, total, err := h.Audit.Find(h.Context(), audit.Filter{Limit: 1})
	if err != nil {
		h.Fatal(err)
	}
	if total > 0 {
		newest = found[0]
	}
	return total, newest
}

// Each operation of staff that changes something leaves an entry with who did it. One that this test does not know how
// to call must change nothing: it is called with what the site has first, and no row of the database may differ. On
// PostgreSQL each transaction is repeated, as where its session ends at the commit: both runs leave what one does.
func TestAudit_EachStaffOperation_LeavesAnEntryOrChangesNothing(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		if !h.DB.SQLite() { // whose rows get the same numbers when a transaction is repeated
			h.DB.RunTwice()
		}
		acts := auditedActs(h)
		routes := h.staffRoutes(h.T)
		slices.SortFunc(routes, func(a, b staffRoute) int { return strings.Compare(a.id, b.id) })
		seen := map[string]bool{}
		for _, r := range routes {
			prepare, ok := acts[r.id]
			switch {
			case ok:
				seen[r.id] = true
				h.checkAct(r, prepare())
			case r.job:
				h.checkAct(r, act{as: h.staff[account.Admin], path: r.path})
			case r.method != http.MethodGet:
				h.Errorf("%s %s (%s) has no call in this test", r.method, r.path, r.id)
			default:
				h.checkReading(r)
			}
		}
		for id := range acts {
			if !seen[id] {
				h.Errorf("there is no staff operation %s", id)
			}
		}
		log := h.rowsOf(h.Context(), "audit_entry")
		for _, secret := range knownSecrets {
			if strings.Contains(log, secret) {
				h.Errorf("the audit log has the secret %s", secret)
			}
		}
		if err := h.Audit.Seal(h.Context()); err != nil {
			h.Fatal(err)
		}
		h.sound(h.T)
	})
}

// checkAct calls the operation, which must succeed and, unless it only reads, leave an entry of its caller, and none
// when the same call comes again with its Idempotency-Key.
func (h *fixture) checkAct(r staffRoute, a act) {
	h.Helper()
	before, _ := h.entries()
	r.path, a.as.key = a.path, r.id
	call := func() *httptest.ResponseRecorder {
		if a.media != "" {
			return h.callAs(h.Context(), h.present(a.as), r.method, a.path, a.media, a.body)
		}
		return h.callWithBody(a.as, r, a.body)
	}
	w := call()
	if w.Code != http.StatusOK {
		h.Errorf("%s answers %d %s", r.id, w.Code, w.Body)
		return
	}
	after, e := h.entries()
	if a.reads {
		if after != before {
			h.Errorf("%s only reads, and leaves %d entries", r.id, after-before)
		}
		return
	}
	kind, role := audit.Member, h.names[a.as.id]
	if r.token {
		kind, role = audit.Token, ""
	}
	switch {
	case after == before:
		h.Errorf("%s leaves no entry in the audit log", r.id)
	case e.Actor != kind || e.ActorID == nil || *e.ActorID != a.as.id || string(e.ActorRole) != role ||
		e.Address == "" || e.RequestID == "":
		h.Errorf("%s leaves an entry without its caller: %+v", r.id, e)
	case leavesNothing.MatchString(e.Action) && (e.Before == "" || e.Before == "{}"):
		h.Errorf("%s leaves an entry that does not say what was there before: %+v", r.id, e)
	case e.Action == "" || e.Object == "" || e.At.IsZero():
		h.Errorf("%s leaves an entry that does not say what was done: %+v", r.id, e)
	case audit.ActionText(e.Action).ZH == "" || audit.ActionText(e.Action).EN == "":
		h.Errorf("%s leaves an entry whose action has no words: %s", r.id, e.Action)
	}
	if !strings.HasPrefix(r.path, "/api/v2/staff/") {
		return // Operations of the original have no keys.
	}
	again := call()
	isRefused := again.Code == http.StatusConflict && strings.Contains(again.Body.String(), "already_received")
	if repeated, _ := h.entries(); repeated != after || again.Code != http.StatusOK && !isRefused {
		h.Errorf("%s leaves %d more entries when its key comes again, and answers %d %s", r.id, repeated-after,
			again.Code, again.Body)
	}
}

// checkReading calls an operation as an owner, and compares all rows.
func (h *fixture) checkReading(r staffRoute) {
	h.Helper()
	if r.token {
		return // TestReadOnlyToken_ChangesNothing
	}
	before := h.rows(h.T)
	r.path = pathParameter.ReplaceAllString(r.path, "1")
	w := h.callWithBody(h.staff[account.Owner], r, "")
	if w.Code >= 500 || w.Code == http.StatusForbidden {
		h.Errorf("%s answers %d %s", r.id, w.Code, w.Body)
	}
	if after := h.rows(h.T); !maps.Equal(before, after) {
		h.Errorf("%s changes %s and has no call in this test", r.id, changed(before, after))
	}
}

// What is worth money is recorded with its reason, and so is the word of the second member.
func TestAudit_MoneyThatTwoMembersGive_NamesBoth(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.limited("0.00")
		ann, bob := h.staff[account.Admin], h.staff[account.Finance]
		var made struct{ ID int64 }
		h.ask(ann, 200, "POST", "/api/v2/staff/wallet-adjustments",
			fmt.Sprintf(`{"user_id":%d,"amount":"1.00","reason":"an outage"}`, h.users[0].id), &made)
		h.decide(bob, 200, true)
		found, _, err := h.Audit.Find(h.Context(), audit.Filter{
			Object: "adjustment", ObjectID: fmt.Sprint(made.ID),
			Limit: 10,
		})
		if err != nil || len(found) != 2 {
			h.Fatal(found, err)
		}
		second, first := found[0], found[1]
		if *first.ActorID != ann.id || first.Action != string(permission.AdjustmentMake) ||
			first.Reason != "an outage" || !strings.Contains(first.After, `"amount":"1.00"`) {
			h.Errorf("%+v", first)
		}
		if *second.ActorID != bob.id || second.Action != string(permission.ApprovalDecide) ||
			second.Before != `{"state":"waiting"}` || second.After != `{"state":"approved"}` {
			h.Errorf("%+v", second)
		}
	})
}

func TestAudit_EntryChangedByHand_IsFoundByTheDoctor(t *testing.T) {
	eachFixture(t, func(h *fixture) {
		h.ask(h.staff[account.Admin], 200, "POST", "/api/v2/staff/audit-rules", `{"name":"mail","pattern":"example"}`,
			nil)
		if err := h.Audit.Seal(h.Context()); err != nil {
			h.Fatal(err)
		}
		h.sound(h.T)
		drop := `DROP TRIGGER audit_entry_no_update`
		if !h.DB.SQLite() {
			drop += ` ON audit_entry`
		}
		h.past(h.T, drop, fmt.Sprintf(`UPDATE audit_entry SET actor_id = %d WHERE action = 'node.rule.add'`,
			h.staff[account.Owner].id))
		broken, err := h.Check(h.Context())
		if err != nil || len(broken) != 3 {
			h.Fatalf("found %v, %v; want the trigger, the seal and the signature", broken, err)
		}
		chain, err := Check(h.Context(), h.DB) // as of a backup, without the key
		if err != nil || len(chain) != 2 {
			h.Fatalf("found %v, %v", chain, err)
		}
	})
}
