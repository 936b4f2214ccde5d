package account_test

import (
	"testing"
	"time"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/service"
)

func (w *testSite) ban(t account.BanTask) account.BanTask {
	w.Helper()
	t, err := w.Bans.Ban(w.Context(), t, account.Identity{})
	w.must(err)
	return t
}

// banned tests that user and access agree on whether the user is banned.
func (w *testSite) banned(userID int64, want bool) {
	w.Helper()
	u, err := w.User(w.Context(), userID)
	w.must(err)
	access, err := w.services.Access(w.Context(), userID)
	w.must(err)
	running, err := w.Bans.Running(w.Context(), userID)
	w.must(err)
	if u.Banned() != want || (access.State == service.Banned) != want || (running != nil) != want {
		w.Errorf("at %s the user is banned: %v, the access is %s, runs %+v; want %v", w.now, u.Banned(), access.State,
			running, want)
	}
}

// pass lets time go by and the timetable run.
func (w *testSite) pass(d time.Duration) {
	w.Helper()
	w.now = w.now.Add(d)
	w.must(w.Bans.ApplyDue(w.Context()))
}

func TestABanLetsSignInAndTakesTheService(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		w.ban(account.BanTask{AccountID: u.ID, Reason: " 滥用 ", Remark: "seen by node 3"})
		w.banned(u.ID, true)
		if g := w.signIn("a@example.com"); !g.User.Banned() {
			w.Error("the grant does not say it")
		}
		if b, err := w.Bans.Running(w.Context(), u.ID); err != nil || b.Reason != "滥用" || b.EndsAt != nil ||
			b.MadeBy != nil {
			w.Errorf("runs %+v, %v", b, err)
		}
		w.pass(1000 * time.Hour)
		w.banned(u.ID, true)
		n, err := w.Bans.Unban(w.Context(), u.ID, account.Identity{})
		w.must(err)
		w.banned(u.ID, false)
		if again, err := w.Bans.Unban(w.Context(), u.ID, account.Identity{}); err != nil || n != 1 || again != 0 {
			w.Errorf("ended %d, then %d, %v", n, again, err)
		}
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: u.ID + 1000}, account.Identity{})
		w.want(err, account.ErrNoUser)
		_, err = w.Bans.Unban(w.Context(), u.ID+1000, account.Identity{})
		w.want(err, account.ErrNoUser)
	})
}

func TestBansStartAndEndOnTimeAndAUserIsFreeWhenNoneRuns(t *testing.T) {
	each(t, func(w *testSite) {
		u, other := w.signUp("a@example.com").User, w.signUp("b@example.com").User
		from := func(start, end time.Duration, reason string) {
			w.ban(account.BanTask{
				AccountID: u.ID, StartsAt: w.now.Add(start), EndsAt: new(w.now.Add(end)),
				Reason: reason,
			})
		}
		from(time.Hour, 3*time.Hour, "first")
		from(2*time.Hour, 5*time.Hour, "second")
		from(7*time.Hour, 8*time.Hour, "third")
		w.banned(u.ID, false)
		for hour, want := range []bool{false, true, true, true, true, false, false, true, false} {
			w.banned(u.ID, want)
			w.banned(other.ID, false)
			if b, err := w.Bans.Running(w.Context(), u.ID); hour == 2 && (err != nil || b.Reason != "second") {
				w.Errorf("shown is %+v, %v; want the one that ends last", b, err)
			}
			w.pass(time.Hour)
		}
	})
}

func TestABanMissedWhileTheServerWasDownLeavesTheUserFree(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		w.ban(account.BanTask{AccountID: u.ID, StartsAt: w.now.Add(time.Hour), EndsAt: new(w.now.Add(2 * time.Hour))})
		w.pass(3 * time.Hour)
		w.banned(u.ID, false)
	})
}

func TestUnbanEndsWhatIsPlannedToo(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		w.ban(account.BanTask{AccountID: u.ID})
		w.ban(account.BanTask{AccountID: u.ID, StartsAt: w.now.Add(time.Hour)})
		n, err := w.Bans.Unban(w.Context(), u.ID, account.Identity{})
		w.must(err)
		w.pass(2 * time.Hour)
		w.banned(u.ID, false)
		if n != 2 {
			w.Errorf("ended %d", n)
		}
	})
}

func TestWrongBansNameTheirField(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		staff, err := w.Create(w.Context(), "s@example.com", "S", password, account.Support)
		w.must(err)
		by := account.Identity{UserID: staff.ID, Role: account.Support}
		for field, task := range map[string]account.BanTask{
			"task_end_at": {AccountID: u.ID, EndsAt: new(w.now)},
			"ban_context": {AccountID: u.ID, Reason: string(make([]byte, 501))},
			"remark":      {AccountID: u.ID, Remark: "\xff"},
		} {
			_, err := w.Bans.Ban(w.Context(), task, by)
			if f, ok := fault.As(err); !ok || len(f.Fields) != 1 || f.Fields[0].Name != field {
				w.Errorf("%s: %v", field, err)
			}
		}
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: staff.ID}, by)
		w.want(err, account.ErrBanStaff)
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: staff.ID},
			account.Identity{UserID: staff.ID, Role: account.Owner})
		w.must(err)
		_, err = w.Bans.Unban(w.Context(), staff.ID, by)
		w.want(err, account.ErrBanStaff)
		task, err := w.Bans.Ban(w.Context(), account.BanTask{AccountID: u.ID}, by)
		w.must(err)
		if task.MadeBy == nil || *task.MadeBy != staff.ID {
			w.Errorf("made by %v", task.MadeBy)
		}
	})
}

func TestABanIsToldByMailWhenItStarts(t *testing.T) {
	each(t, func(w *testSite) {
		u := w.signUp("a@example.com").User
		w.ban(account.BanTask{AccountID: u.ID})
		w.ban(account.BanTask{AccountID: u.ID, StartsAt: w.now.Add(time.Hour), Mail: true})
		for _, want := range []int{0, 1, 1} {
			if told, err := w.db.NewSelect().Table("mail").Where("kind = 'banned' AND recipient = 'a@example.com'").
				Count(w.Context()); err != nil || int(told) != want {
				w.Errorf("at %s there were %d mails, want %d, %v", w.now, told, want, err)
			}
			w.pass(time.Hour)
		}
	})
}
