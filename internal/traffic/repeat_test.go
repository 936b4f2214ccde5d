package traffic_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"airstrip/internal/node"
	"airstrip/internal/traffic"
)

// thirdPartyAgent is a third-party agent on a node, whose one user moves two bytes in each period.
type thirdPartyAgent struct {
	*site
	t      *testing.T
	node   node.Node
	user   int64
	asks   bool // for its users, each period
	says   bool // its load before a report
	names  bool // the addresses after a report that was answered
	once   bool // it never repeats
	polled time.Time
}

// The agents with the intervals and timeouts that they were observed to use.
var thirdPartyAgents = map[string]thirdPartyAgent{
	"XrayR of SSPanel":  {asks: true, says: true},
	"XrayR on UniProxy": {asks: true},
	"V2bX":              {asks: true, names: true},
	"v2node":            {asks: true, names: true},
	"ppanel-node":       {asks: true, once: true},
	"a bare script":     {},
}

func eachThirdPartyAgent(t *testing.T, test func(f *thirdPartyAgent, period time.Duration)) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		for name, f := range thirdPartyAgents {
			for _, period := range []time.Duration{5 * time.Second, 15 * time.Second, time.Minute} {
				t.Run(fmt.Sprint(name, " each ", period), func(t *testing.T) {
					f.site, f.t, f.user, f.node, f.polled = s, t, u, s.node(t, 1000, 0, 0), time.Time{}
					for range 4 { // it has been there for a while
						f.pass(period, period)
					}
					test(&f, period)
				})
			}
		}
	})
}

// pass lets time go by, in which the agent asks for its users whether it is answered or not.
func (f *thirdPartyAgent) pass(d, period time.Duration) {
	end := f.now.Add(d)
	for f.asks {
		next := f.polled.Add(period)
		if f.polled.IsZero() {
			next = f.now
		}
		if next.After(end) {
			break
		}
		f.now, f.polled = next, next
		f.traffic.Polled(f.t.Context(), f.node.ID)
	}
	f.now = end
}

// post reports whether a report counts. Its body is what the user moved, the same each time.
func (f *thirdPartyAgent) post() bool {
	f.t.Helper()
	return !f.record(f.t, traffic.Report{
		Node: f.node, Once: f.once, Hash: sha256.Sum256([]byte("body")),
		Rows: []traffic.Row{{UserID: f.user, Up: 1, Down: 1}},
	}).Repeated
}

// cycle is a report that is answered at once, with what comes before and after it.
func (f *thirdPartyAgent) cycle() (counted bool) {
	f.t.Helper()
	if f.says {
		f.traffic.WentOn(f.node.ID)
		f.now = f.now.Add(20 * time.Millisecond)
	}
	counted = f.post()
	if f.names {
		f.now = f.now.Add(20 * time.Millisecond)
		f.traffic.WentOn(f.node.ID)
	}
	return counted
}

func TestThirdPartyReports_EqualInEachPeriod_AllCount(t *testing.T) {
	eachThirdPartyAgent(t, func(f *thirdPartyAgent, period time.Duration) {
		for i := range 6 {
			if !f.cycle() {
				f.t.Errorf("report %d was taken for a repetition", i)
			}
			f.pass(period, period)
		}
	})
}

// XrayR and V2bX wait for 5 s, or as in their example configurations for 30 s, and repeat a report three times at most.
func TestThirdPartyReports_WhoseAnswersAreWithheld_CountOnce(t *testing.T) {
	for name, at := range map[string][]time.Duration{
		"28.5 s":    {28500 * time.Millisecond},
		"30.2 s":    {30200 * time.Millisecond},
		"to 60.4 s": {30200 * time.Millisecond, 60400 * time.Millisecond},
		"to 90.6 s": {30200 * time.Millisecond, 60400 * time.Millisecond, 90600 * time.Millisecond},
		"all": {
			0, 28500 * time.Millisecond, 30200 * time.Millisecond, 60400 * time.Millisecond,
			90600 * time.Millisecond,
		},
		"5 s": {5100 * time.Millisecond, 10300 * time.Millisecond, 15600 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			eachThirdPartyAgent(t, func(f *thirdPartyAgent, period time.Duration) {
				if f.once || name == "5 s" && !f.says && !f.names && (!f.asks || period < time.Minute) {
					return // it never repeats; or nothing tells it from a report of the next period
				}
				if !f.cycle() { // answered, so that it is known what the agent does after an answer
					f.t.Fatal("the first report does not count")
				}
				f.pass(period, period)
				if f.says {
					f.traffic.WentOn(f.node.ID)
				}
				if !f.post() {
					f.t.Fatal("a report of the next period does not count")
				}
				begin := f.now
				for _, after := range at {
					f.pass(begin.Add(after).Sub(f.now), period)
					if f.post() {
						f.t.Errorf("the same report %s later counts again", after)
					}
				}
			})
		})
	}
}

// Of several repetitions some are lost on the way. An agent that does something after an answer is known by it.
func TestThirdPartyReports_OfWhichOneRepetitionArrives_CountOnce(t *testing.T) {
	eachThirdPartyAgent(t, func(f *thirdPartyAgent, period time.Duration) {
		if !f.says && !f.names {
			return
		}
		for _, after := range []time.Duration{5100, 15200, 28500, 30200, 60400, 90600} {
			f.cycle()
			f.pass(10*time.Minute-time.Second, period)
			if f.says {
				f.traffic.WentOn(f.node.ID)
			}
			if !f.post() {
				f.t.Fatal("a report minutes later does not count")
			}
			f.pass(after*time.Millisecond, period)
			if f.post() {
				f.t.Errorf("the same report %d ms later counts again", after)
			}
			f.pass(10*time.Minute, period)
		}
	})
}

// XrayR goes on after its third repetition, but keeps its counters: where its users rest it sends the same once more.
func TestThirdPartyReports_ThatWereGivenUp_CountOnce(t *testing.T) {
	eachThirdPartyAgent(t, func(f *thirdPartyAgent, period time.Duration) {
		if !f.says {
			return
		}
		f.cycle()
		f.pass(period, period)
		f.traffic.WentOn(f.node.ID)
		if !f.post() {
			f.t.Fatal("a report of the next period does not count")
		}
		for range 3 {
			f.pass(30200*time.Millisecond, period)
			if f.post() {
				f.t.Fatal("a repetition counts")
			}
		}
		f.pass(30*time.Second+period, period)
		if f.cycle() {
			f.t.Error("what was given up counts again in the next period")
		}
	})
}

// A new agent asks for its users, and a period later again and reports. Nothing more is known of it then.
func TestThirdPartyReports_OfANewAgent_CountOnce(t *testing.T) {
	eachWithUser(t, func(t *testing.T, s *site, u int64) {
		for _, period := range []time.Duration{15 * time.Second, time.Minute} {
			for _, late := range []time.Duration{0, 10 * time.Millisecond} { // it may ask after it reported
				f := thirdPartyAgent{site: s, t: t, node: s.node(t, 1000, 0, 0), user: u}
				s.traffic.Polled(t.Context(), f.node.ID)
				s.now = s.now.Add(period)
				if late == 0 {
					s.traffic.Polled(t.Context(), f.node.ID)
				}
				if !f.post() {
					t.Fatal("the first report does not count")
				}
				for range 3 {
					if s.now = s.now.Add(5200 * time.Millisecond); f.post() {
						t.Errorf("each %s: a repetition counts", period)
					}
				}
			}
		}
	})
}

// The answer is lost because the server restarts: it knows how often the agent reports.
func TestThirdPartyReports_RepeatedAfterARestart_CountOnce(t *testing.T) {
	eachThirdPartyAgent(t, func(f *thirdPartyAgent, period time.Duration) {
		if !f.asks || f.once || period < 30*time.Second {
			return
		}
		if !f.post() {
			f.t.Fatal("the first report does not count")
		}
		f.restart()
		for range 3 {
			f.now = f.now.Add(5200 * time.Millisecond)
			if f.post() {
				f.t.Error("a repetition after the restart counts")
			}
		}
	})
}
