package ipban_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/fault"
	"airstrip/internal/ipban"
)

var own = netip.MustParseAddr("198.51.100.7")

func open(t *testing.T, d *db.DB) *ipban.Bans {
	t.Helper()
	bans, err := ipban.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return bans
}

func TestANetworkIsRefusedFromItsStartToItsEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		now := start
		d.SetClock(func() time.Time { return now })
		bans := open(t, d)
		refused := func(at time.Duration, ips ...string) {
			t.Helper()
			now = start.Add(at)
			for _, text := range ips {
				ip, free := strings.CutPrefix(text, "!")
				if got := bans.Refuse(netip.MustParseAddr(ip)); errors.Is(got, ipban.ErrBanned) == free {
					t.Errorf("%s after %s: %v", ip, at, got)
				}
			}
		}
		for cidr, from := range map[string]time.Duration{
			"203.0.113.77/24": 0, "2001:db8::1/32": 0,
			"::ffff:192.0.2.9": 0, "203.0.0.0/16": time.Hour,
		} {
			if _, err := bans.Add(t.Context(), ipban.Ban{
				Network: cidr, StartsAt: start.Add(from),
				EndsAt: start.Add(from + 90*time.Minute), Reason: "rude",
			}, own); err != nil {
				t.Fatal(cidr, err)
			}
		}
		refused(0, "203.0.113.1", "203.0.113.255", "!203.0.112.255", "2001:db8:ffff::1", "!2001:db9::1", "192.0.2.9",
			"!192.0.2.8", "!198.51.100.7", "!127.0.0.1")
		refused(time.Hour, "203.0.113.1", "203.0.112.255", "!203.1.0.0")
		refused(90*time.Minute, "203.0.113.1", "!192.0.2.9")
		refused(150*time.Minute, "!203.0.113.1", "!203.0.112.255")
		f, _ := fault.As(func() error { now = start; return bans.Refuse(netip.MustParseAddr("192.0.2.9")) }())
		if f.Status != 403 || f.Details["ban_context"] != "rude" || f.Details["until"] != "2026-03-01T13:30:00Z" {
			t.Errorf("%+v", f)
		}
	})
}

func TestOnlyTheSameNetworkIsFreed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		bans := open(t, d)
		until := d.Now().Add(time.Hour)
		for _, cidr := range []string{"203.0.113.0/24", "203.0.113.0/24", "203.0.0.0/16"} {
			if _, err := bans.Add(t.Context(), ipban.Ban{Network: cidr, EndsAt: until}, own); err != nil {
				t.Fatal(err)
			}
		}
		ip := netip.MustParseAddr("203.0.113.1")
		for _, step := range []struct {
			cidr  string
			ended int64
			still bool
		}{
			{"203.0.113.0/25", 0, true},
			{"203.0.113.9/24", 2, true},
			{"203.0.113.0/24", 0, true},
			{"203.0.0.0/16", 1, false},
		} {
			ended, err := bans.End(t.Context(), step.cidr, nil)
			if err != nil || ended != step.ended || (bans.Refuse(ip) != nil) != step.still {
				t.Errorf("%s: %d ended, %v, %v", step.cidr, ended, err, bans.Refuse(ip))
			}
		}
		if _, total, err := bans.List(t.Context(), 10, 0); err != nil || total != 0 {
			t.Errorf("%d are left, %v", total, err)
		}
	})
}

func TestNobodyLocksOutTheMachineOrThemselves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		bans := open(t, d)
		later := d.Now().Add(time.Hour)
		for cidr, code := range map[string]string{
			"198.51.100.0/24": "own_address", "::ffff:198.51.100.7": "own_address", "127.0.0.1": "loopback",
			"::1": "loopback", "::/0": "loopback", "127.5.0.0/16": "loopback",
			"16.0.0.0/4": "too_wide", "8.0.0.0/7": "too_wide", "2000::/3": "too_wide",
			"nonsense": "format", "203.0.113.0/33": "format", "fe80::1%eth0": "format", "": "format",
		} {
			_, err := bans.Add(t.Context(), ipban.Ban{Network: cidr, EndsAt: later}, own)
			if f, ok := fault.As(err); !ok || f.Status != 422 || f.Fields[0].Name != "ip_cidr" ||
				f.Fields[0].Code != code {
				t.Errorf("%q: %v, want %s", cidr, err, code)
			}
		}
		for field, ban := range map[string]ipban.Ban{
			"task_end_at": {Network: "203.0.113.1", EndsAt: d.Now()}, "remark": {
				Network: "203.0.113.1", EndsAt: later,
				Remark: strings.Repeat("x", 501),
			},
			"ban_context": {Network: "203.0.113.1", EndsAt: later, Reason: strings.Repeat("x", 501)},
		} {
			_, err := bans.Add(t.Context(), ban, own)
			if f, ok := fault.As(err); !ok || f.Fields[0].Name != field {
				t.Errorf("%s: %v", field, err)
			}
		}
	})
}

func TestEveryReplicaHearsOfIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		here, there := open(t, d), open(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go d.Follow(ctx)
		go there.Follow(ctx)
		ip := netip.MustParseAddr("203.0.113.1")
		becomes := func(banned bool) {
			t.Helper()
			for deadline := time.Now().
				Add(time.Minute); (there.Refuse(ip) != nil) != banned; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("the other replica did not hear that banned is %v", banned)
				}
			}
		}
		if _, err := here.Add(t.Context(), ipban.Ban{Network: "203.0.113.0/24", EndsAt: d.Now().Add(time.Hour)},
			own); err != nil {
			t.Fatal(err)
		}
		becomes(true)
		if _, err := here.End(t.Context(), "203.0.113.0/24", nil); err != nil {
			t.Fatal(err)
		}
		becomes(false)
	})
}
