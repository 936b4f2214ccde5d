package traffic_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"pgregory.net/rapid"

	"airstrip/internal/db"
	"airstrip/internal/db/dbtest"
	"airstrip/internal/node"
	"airstrip/internal/service"
	"airstrip/internal/traffic"
)

const megabyte = 1_000_000

// leaser is one of our agents as far as one user's traffic goes: positions are raw bytes since it began.
type leaser struct {
	n        node.Node
	moved    int64 // in all
	sealed   int64 // that is in batches
	counted  int64 // by the server, whether it said so or not
	answered int64 // that answered batches have
	batches  []traffic.Report
	sizes    []int64
	sequence int
	until    int64 // position at which its lease ends
	lapses   time.Time
	leased   bool
	gone     bool // for good
}

func (l *leaser) String() string { return fmt.Sprintf("node %d, %d moved", l.n.ID, l.moved) }

// crowd is a user on some nodes at once.
type crowd struct {
	*site
	user     int64
	replicas []*traffic.Traffic
	nodes    []*leaser
}

func newCrowd(t rapid.TB, s *site, user int64, rates ...int64) *crowd {
	c := &crowd{site: s, user: user, replicas: []*traffic.Traffic{s.traffic, traffic.New(s.db, s.settings, s.services,
		s.nodes)}}
	for _, rate := range rates {
		c.nodes = append(c.nodes, &leaser{n: s.node(t, rate, 0, 0)})
	}
	return c
}

func (c *crowd) usage(t rapid.TB) service.Usage {
	t.Helper()
	a, err := c.services.Access(context.Background(), c.user)
	if err != nil {
		t.Fatal(err)
	}
	return a.Usage
}

// may returns how many bytes the agent lets the user move now.
func (c *crowd) may(t rapid.TB, l *leaser) int64 {
	t.Helper()
	if l.gone {
		return 0
	}
	if l.leased && c.now.Before(l.lapses) {
		return max(0, l.until-l.moved)
	}
	nodes, err := c.traffic.NodeCount(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return max(0, l.answered+*traffic.Idle(l.n, c.usage(t), nodes)-l.moved)
}

func (c *crowd) ask(t rapid.TB, replica int, l *leaser, release bool) traffic.Lease {
	t.Helper()
	answered, lapses := l.answered, c.now.Add(traffic.LeaseFor)
	asks := []traffic.Ask{{UserID: c.user, Open: l.moved - answered, Release: release}}
	got, err := c.replicas[replica].Lease(context.Background(), l.n, asks)
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	l.until, l.lapses, l.leased = answered+got[0].Bytes, lapses, !release
	return got[0]
}

// report sends all that waits; where the answer is lost the agent sends it again later.
func (c *crowd) report(t rapid.TB, replica int, l *leaser, lose bool) {
	t.Helper()
	if n := l.moved - l.sealed; n > 0 {
		l.sequence++
		r := c.site.report(l.n, fmt.Sprintf("%d:%d", l.n.ID, l.sequence), traffic.Row{
			UserID: c.user, Up: n / 3,
			Down: n - n/3,
		})
		l.batches, l.sizes, l.sealed = append(l.batches, r), append(l.sizes, n), l.moved
	}
	for len(l.batches) > 0 {
		r, err := c.replicas[replica].Record(context.Background(), l.batches[0])
		if err != nil || len(r.Refused) > 0 || r.Kept != "" {
			t.Fatal(r, err)
		}
		if !r.Repeated {
			l.counted += l.sizes[0]
		}
		if lose {
			return
		}
		l.answered += l.sizes[0]
		l.batches, l.sizes = l.batches[1:], l.sizes[1:]
	}
}

// overrun is by how much more was given out than there was, reported or not, as billed. Of nodes that neither reported
// nor asked for as long as a lease lasts nobody knows what they gave out before: that is as much as they had leased.
func (c *crowd) overrun(t rapid.TB) int64 {
	t.Helper()
	over := int64(0)
	for _, l := range c.nodes {
		if !l.lapses.IsZero() && l.lapses.Before(c.now) {
			continue
		}
		over += (l.moved - l.counted) * l.n.RatePermille / 1000
	}
	u := c.usage(t)
	if over -= *u.RemainingBytes; *u.RemainingBytes > 0 {
		return over
	}
	where := strconv.FormatInt(c.user, 10)
	return over + c.ints(t, `SELECT CAST(coalesce((SELECT sum(c.billed - s.quota_bytes)
			FROM service_cycle AS c JOIN service AS s ON s.id = c.service_id AND s.cycle = c.cycle
			WHERE s.user_id = `+where+` AND s.ended_at IS NULL AND c.billed > s.quota_bytes), 0)
		+ coalesce((SELECT sum(used - bytes) FROM package WHERE user_id = `+where+`
			AND used > bytes), 0) AS BIGINT)`)[0]
}

// slack is how much may be overrun, and of the last byte what a whole one costs on each node.
func (c *crowd) slack(t rapid.TB) int64 {
	t.Helper()
	return min(*c.usage(t).QuotaBytes/20, 50*megabyte) + 3*int64(len(c.nodes))
}

func (c *crowd) within(t rapid.TB) {
	t.Helper()
	if over, slack := c.overrun(t), c.slack(t); over > slack {
		t.Fatal("overrun by", over, "of", slack)
	}
}

// drain has the user move all that the nodes let through until nothing is left, and fails where it never comes to that.
func (c *crowd) drain(t rapid.TB) (rounds int) {
	t.Helper()
	for ; *c.usage(t).RemainingBytes > 0; rounds++ {
		if rounds > 400 {
			t.Fatal("never used up:", *c.usage(t).RemainingBytes, "are left")
		}
		for i, l := range c.nodes {
			if l.gone {
				continue
			}
			if rounds%2 == i%2 { // others ask at other times
				c.ask(t, i%2, l, false)
			}
			l.moved += c.may(t, l)
			c.within(t)
			if rounds%3 == 2 {
				c.report(t, i%2, l, false)
			}
		}
		c.now = c.now.Add(2 * time.Second)
	}
	return rounds
}

// Whatever agents do, with lost answers, restarts, nodes that vanish, two servers and changes of what the user holds:
// all nodes together give out no more than there is and a small allowance, and what there is can be used.
func TestLease_NodesTogetherGiveOutWhatIsLeft(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		rapid.Check(t, func(t *rapid.T) {
			u := s.open(t)
			quota := rapid.SampledFrom([]int64{100_000, 20 * megabyte, 1000 * megabyte, 100_000 * megabyte}).
				Draw(t, "quota")
			s.start(t, service.Terms{UserID: u, QuotaBytes: &quota, Reset: service.Anniversary, Months: 24})
			c := newCrowd(t, s, u, 1000, 2000, 500)
			one := rapid.Custom(func(t *rapid.T) *leaser { return rapid.SampledFrom(c.nodes).Draw(t, "of") })
			replica := rapid.IntRange(0, 1)
			// notified is what agents do when what a user holds has changed.
			notified := func(t *rapid.T) {
				for _, l := range c.nodes {
					if !l.gone && l.leased {
						c.ask(t, 0, l, false)
					}
				}
			}
			vanished := 0
			t.Repeat(map[string]func(*rapid.T){
				"move": func(t *rapid.T) {
					l := one.Draw(t, "node")
					l.moved += c.may(t, l) * rapid.Int64Range(1, 8).Draw(t, "eighths") / 8
				},
				"ask": func(t *rapid.T) {
					c.askUnlessGone(t, replica.Draw(t, "replica"), one.Draw(t, "node"),
						false)
				},
				"release": func(t *rapid.T) {
					c.askUnlessGone(t, replica.Draw(t, "replica"), one.Draw(t, "node"),
						true)
				},
				"report": func(t *rapid.T) {
					if l := one.Draw(t, "node"); !l.gone {
						c.report(t, replica.Draw(t, "replica"), l, rapid.IntRange(0, 3).Draw(t, "lose") == 0)
					}
				},
				"restart": func(t *rapid.T) { one.Draw(t, "node").leased = false },
				"vanish": func(t *rapid.T) {
					if vanished++; vanished > 2 {
						t.Skip()
					}
					one.Draw(t, "node").gone = true
				},
				"wait": func(t *rapid.T) {
					s.now = s.now.Add(time.Duration(rapid.IntRange(1, 200).Draw(t, "minutes")) * time.Minute)
				},
				"package": func(t *rapid.T) {
					s.pack(t, u, rapid.Int64Range(1, quota).Draw(t, "bytes"))
					notified(t)
				},
				"reset": func(t *rapid.T) {
					for _, l := range c.nodes { // what is late counts in the old cycle, which is not looked at
						c.report(t, 0, l, false)
					}
					s.now = s.now.AddDate(0, 0, 31)
					if err := s.queue.Work(context.Background()); err != nil {
						t.Fatal(err)
					}
					notified(t)
				},
				"": func(t *rapid.T) { c.within(t) },
			})
			s.now = s.now.Add(traffic.LeaseFor + 3*time.Minute) // what vanished nodes have leased comes back
			alive := slices.ContainsFunc(c.nodes, func(l *leaser) bool { return !l.gone })
			if alive {
				c.drain(t)
			}
			c.within(t)
		})
	})
}

// A byte that is left is used up also where each counts twice.
func TestLease_OfTheLastByteAtAHighRate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, QuotaBytes: ptr(int64(3))})
		c := newCrowd(t, s, u, 2000, 3000)
		c.drain(t)
	})
}

func (c *crowd) askUnlessGone(t *rapid.T, replica int, l *leaser, release bool) {
	if l.gone {
		t.Skip()
	}
	c.ask(t, replica, l, release)
}

// What a node that vanished has leased is nobody's until the lease lapses or the node is disabled.
func TestLease_OfANodeThatVanished_ComesBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, after := range map[string]func(s *site, c *crowd){
			"lapsed": func(s *site, _ *crowd) { s.now = s.now.Add(traffic.LeaseFor + 3*time.Minute) },
			"disabled": func(s *site, c *crowd) {
				_, err := s.nodes.Change(t.Context(), c.nodes[0].n.ID, func(n *node.Node) { n.Enabled = false })
				if err != nil {
					t.Fatal(err)
				}
			},
		} {
			s := newSite(t, d)
			s.users = int64(len(name)) // of their own
			u := s.open(t)
			s.start(t, service.Terms{UserID: u, QuotaBytes: ptr(int64(1000 * megabyte))})
			c := newCrowd(t, s, u, 1000, 1000)
			held := c.ask(t, 0, c.nodes[0], false).Bytes
			c.nodes[0].gone = true
			other := c.nodes[1]
			for range 60 {
				c.ask(t, 1, other, false)
				other.moved += c.may(t, other)
			}
			l := c.ask(t, 1, other, false)
			if got := 1000*megabyte + 50*megabyte/4 - held; other.moved != got || l.Spent {
				t.Errorf("%s: while it holds %d the other gave out %d, want %d; spent: %t", name, held, other.moved,
					got, l.Spent)
			}
			after(s, c)
			c.drain(t)
			c.within(t)
		}
	})
}

// A smaller quota holds for leases of before at once, a greater one can be used at once.
func TestLease_FollowsWhatTheUserHolds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		id := s.start(t, service.Terms{UserID: u, QuotaBytes: ptr(int64(100_000 * megabyte))})
		c := newCrowd(t, s, u, 1000, 1000)
		first, second := c.nodes[0], c.nodes[1]
		if l := c.ask(t, 0, first, false); l.Bytes < 20_000*megabyte {
			t.Fatalf("leased %d of 100 GB", l.Bytes)
		}
		s.do(t, func(ctx context.Context, tx bun.Tx) error {
			q := tx.NewRaw(`UPDATE service SET ended_at = ?, end_reason = 'changed' WHERE id = ?`, s.now, id)
			if _, err := q.Exec(ctx); err != nil {
				return err
			}
			return s.services.Refresh(ctx, tx, u)
		})
		s.start(t, service.Terms{UserID: u, QuotaBytes: ptr(int64(100 * megabyte))})
		if l := c.ask(t, 0, first, false); l.Bytes > 30*megabyte {
			t.Errorf("%d are leased of 100 MB", l.Bytes)
		}
		c.drain(t)
		if l := c.ask(t, 0, second, false); !l.Spent {
			t.Errorf("nothing is left, and leased is %+v", l)
		}
		s.pack(t, u, 1000*megabyte)
		if l := c.ask(t, 0, second, false); l.Spent || l.Bytes < 200*megabyte {
			t.Errorf("with a package of 1 GB %+v", l)
		}
	})
}

// An agent that does not know leases receives a share, so that several of them do not each give out all that remains.
func TestShares_OlderAgents_DivideWhatRemains(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		u := s.open(t)
		s.start(t, service.Terms{UserID: u, QuotaBytes: ptr(int64(900 * megabyte))})
		c := newCrowd(t, s, u, 1000, 1000, 1000, 1000)
		share := func(n node.Node) int64 {
			users, err := s.nodes.Admission.Users(t.Context(), n)
			if err != nil || len(users) != 1 {
				t.Fatal(users, err)
			}
			if err := s.traffic.Shares(t.Context(), n, users); err != nil {
				t.Fatal(err)
			}
			return *users[0].RemainingBytes
		}
		if got := share(c.nodes[0].n); got != 900*megabyte {
			t.Fatalf("the share of a single agent is %d", got)
		}
		for _, l := range c.nodes[:3] {
			l.moved = 100 * megabyte
			c.report(t, 0, l, false)
		}
		for _, l := range c.nodes[:3] {
			if got := share(l.n); got != 200*megabyte {
				t.Errorf("the share of one of three is %d", got)
			}
		}
		leased := c.ask(t, 0, c.nodes[3], false).Bytes
		if got := share(c.nodes[0].n); got != (600*megabyte-leased)/3 {
			t.Errorf("next to a lease of %d its share is %d", leased, got)
		}
		// Of a hostile node no figure is beyond what there is.
		got, err := s.traffic.Lease(t.Context(), c.nodes[1].n, []traffic.Ask{
			{UserID: u, Open: math.MaxInt64},
			{UserID: 99, Open: -5},
		})
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
	})
}
