package account_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/fault"
	"airstrip/internal/money"
	"airstrip/internal/service"
	"airstrip/internal/wallet"
)

func closeInput(email string) account.CloseInput {
	return account.CloseInput{Password: password, Email: email}
}

// credit puts money into a user's wallet.
func (w *testSite) credit(userID int64, amount money.Amount) {
	w.Helper()
	w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
		return w.wallets.Post(ctx, tx, wallet.RechargePaid, wallet.Reference{Kind: "recharge", ID: userID}, "",
			wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: userID}, Amount: amount},
			wallet.Entry{Account: wallet.Account{Kind: wallet.Clearing, Name: "test"}, Amount: -amount})
	}))
}

func TestAClosedAccountIsGoneButForItsLedger(t *testing.T) {
	each(t, func(w *testSite) {
		var heard []int64
		w.OnClose(func(_ context.Context, _ bun.Tx, userID int64) error { heard = append(heard, userID); return nil })
		g := w.signUp("a@example.com")
		who, id := w.identity(g), g.User.ID
		key := w.addPasskey(who, "Key")
		secret, _, err := w.APITokens.Create(w.Context(), id,
			account.APITokenDraft{Name: "Script", Scopes: []account.Scope{account.ScopeRead}})
		w.must(err)
		token, _, err := w.SignIns.MakeToken(w.Context(), "a@example.com")
		w.must(err)
		url := w.SignIns.URL(id, "v2")
		w.credit(id, 1230)
		w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
			if _, err := w.services.Start(ctx, tx,
				service.Terms{
					UserID: id, PlanID: 1, Name: "Plan", Reset: service.Never, Months: 1,
					AutoRenew: true,
				}); err != nil {
				return err
			}
			_, err := w.services.AddPackage(ctx, tx,
				service.PackageTerms{UserID: id, Name: "More", Kind: service.Bought, Bytes: 1})
			return err
		}))
		before, err := w.services.Access(w.Context(), id)
		w.must(err)
		loss, err := w.Loss(w.Context(), id)
		w.must(err)
		if loss != (account.Loss{Balance: 1230, Services: 2}) || !before.Allowed {
			w.Errorf("loses %+v of %+v", loss, before)
		}

		bye := closeInput(" A@Example.com")
		bye.Forfeit = 1230
		w.must(w.Close(w.Context(), who, bye, home))

		after, err := w.services.Access(w.Context(), id)
		w.must(err)
		if after.Allowed || after.UUID == before.UUID || after.Password == before.Password ||
			after.Revision <= before.Revision {
			w.Errorf("nodes go by %+v, before by %+v", after, before)
		}
		var code string
		w.must(w.db.NewRaw(`SELECT invite_code FROM account WHERE id = ?`, id).Scan(w.Context(), &code))
		if err := w.SignUps.CheckInviteCode(w.Context(), code, home); !errors.Is(err, fault.ErrInvalid) {
			w.Errorf("its invite code brings in others: %v", err)
		}
		if !slices.Equal(heard, []int64{id}) {
			w.Errorf("told of %v", heard)
		}
		if b, err := w.wallets.Balance(w.Context(), id); err != nil || b.Posted != 1230 {
			w.Errorf("the ledger has %+v, %v", b, err)
		}
		u, err := w.User(w.Context(), id)
		w.must(err)
		if u.ClosedAt == nil || strings.Contains(u.Email, "example.com") || u.Name == "小明" || u.UUID == g.User.UUID ||
			u.InviteCode == g.User.InviteCode || u.EmailVerifiedAt != nil {
			w.Errorf("left is %+v", u)
		}
		w.mustKeepNothingOf("a@example.com", id)

		_, err = w.Sessions.Authenticate(w.Context(), g.Access)
		w.want(err, account.ErrSignedOut)
		_, err = w.Sessions.Refresh(w.Context(), g.Refresh, home)
		w.want(err, account.ErrSignedOut)
		_, err = w.APITokens.Authenticate(w.Context(), secret.String(), account.ScopeRead)
		w.want(err, account.ErrSignedOut)
		_, err = w.SignIns.ByToken(w.Context(), token.String(), home)
		w.want(err, account.ErrSignInLink)
		_, err = w.SignIns.ByURL(w.Context(),
			account.SignedURL{
				CreatedAt: url.Get("created_at_unix"), Input: url.Get("input_data"), Version: "v2",
				Token: url.Get("valid_token"),
			}, home)
		w.want(err, account.ErrSignInLink)
		_, err = w.signInBy(key)
		w.want(err, account.ErrPasskeyUnknown)
		for _, email := range []string{"a@example.com", u.Email} {
			for _, typed := range []string{password, ""} {
				_, err = w.SignIns.ByPassword(w.Context(), account.SignIn{Email: email, Password: typed},
					from("198.51.100.7"))
				w.want(err, account.ErrWrongCredentials)
			}
		}
		w.want(w.Credentials.SetPassword(w.Context(), u.Email, "a wholly new one"), account.ErrNoUser)
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: id}, account.Identity{})
		w.want(err, account.ErrClosed)
		if w.mailsOf("account_closed") != 1 {
			w.Error("no mail says that it was done")
		}

		w.now = w.now.Add(time.Second)
		again := w.signUp("a@example.com")
		if history, err := w.History.SignIns(w.Context(), again.User.ID); err != nil || again.User.ID == id ||
			len(history) != 1 {
			w.Errorf("%+v signed up again with the history %+v, %v", again.User, history, err)
		}
	})
}

// mustKeepNothingOf looks for what tells of a person in all tables of the accounts.
func (w *testSite) mustKeepNothingOf(email string, id int64) {
	w.Helper()
	for table, where := range map[string]string{
		"session": "account_id = ?1", "token_pair": "session_id IN (SELECT id FROM session WHERE account_id = ?1)",
		"api_token": "account_id = ?1",
		"passkey":   "account_id = ?1", "passkey_challenge": "account_id = ?1", "sign_in_token": "account_id = ?1",
		"totp":          "account_id = ?1",
		"recovery_code": "account_id = ?1", "activity": "account_id = ?1", "sign_in": "email = ?0",
		"email_code": "email = ?0", "account": "email = ?0",
	} {
		var n int
		w.must(w.db.NewRaw(`SELECT count(*) FROM `+table+` WHERE `+where, email, id).Scan(w.Context(), &n))
		if n > 0 {
			w.Errorf("%d rows of %s are left", n, table)
		}
	}
}

func TestAnAccountClosesOnlyForWhoProvesItAndSawTheLoss(t *testing.T) {
	each(t, func(w *testSite) {
		g := w.signUp("a@example.com")
		who := w.identity(g)
		w.credit(g.User.ID, 500)
		for _, c := range []struct {
			bye  account.CloseInput
			want string
		}{
			{account.CloseInput{Password: password}, "email:mismatch forfeit:changed"},
			{account.CloseInput{Password: password, Email: "b@example.com", Forfeit: 500}, "email:mismatch"},
			{account.CloseInput{Password: password, Email: "a@example.com", Forfeit: 501}, "forfeit:changed"},
			{
				account.CloseInput{Password: "wrong password", Email: "a@example.com", Forfeit: 500},
				"password:wrong_credentials",
			},
		} {
			if got := w.fields(w.Close(w.Context(), who, c.bye, home)); got != c.want {
				w.Errorf("%+v: %s, want %s", c.bye, got, c.want)
			}
		}
		enrolment, err := w.TwoFactor.Begin(w.Context(), who, password, home)
		w.must(err)
		code := func() string {
			w.now = w.now.Add(time.Minute)
			c, err := totp.GenerateCode(enrolment.Secret, w.now)
			w.must(err)
			return c
		}
		_, err = w.TwoFactor.Confirm(w.Context(), who, code(), home)
		w.must(err)
		bye := account.CloseInput{Password: password, Email: "a@example.com", Forfeit: 500}
		if got := w.fields(w.Close(w.Context(), who, bye, home)); got != "code:two_fa_required" {
			w.Error(got)
		}
		bye.TwoFactor = "000000"
		if got := w.fields(w.Close(w.Context(), who, bye, home)); got != "code:two_fa_wrong" {
			w.Error(got)
		}
		_, err = w.Bans.Ban(w.Context(), account.BanTask{AccountID: who.UserID}, account.Identity{})
		w.must(err)
		bye.TwoFactor = code()
		w.want(w.Close(w.Context(), who, bye, home), account.ErrCloseBanned)
		_, err = w.Bans.Unban(w.Context(), who.UserID, account.Identity{})
		w.must(err)

		w.OnClose(func(context.Context, bun.Tx, int64) error { return errors.New("no") })
		bye.TwoFactor = code()
		if err := w.Close(w.Context(), who, bye, home); err == nil {
			w.Error("it closed though a part could not follow")
		}
		w.identity(g) // nothing was done by halves
	})
}

func TestTheLastOwnerStays(t *testing.T) {
	each(t, func(w *testSite) {
		var owners []account.Identity
		for _, email := range []string{"a@example.com", "b@example.com"} {
			owners = append(owners, w.identity(w.signUp(email)))
			w.must(w.SetRole(w.Context(), email, account.Owner))
		}
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i, email := range []string{"a@example.com", "b@example.com"} {
			both.Go(func() { errs[i] = w.Close(w.Context(), owners[i], closeInput(email), home) })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			w.Fatalf("both or none left: %v", errs)
		}
		w.want(errors.Join(errs...), account.ErrLastOwner)
	})
}

func TestClose_MoneyThatComesInMeanwhile_IsNotForfeited(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		w.OnClose(func(ctx context.Context, tx bun.Tx, userID int64) error {
			return w.wallets.Post(ctx, tx, wallet.RechargePaid, wallet.Reference{Kind: "recharge", ID: userID}, "",
				wallet.Entry{Account: wallet.Account{Kind: wallet.UserWallet, UserID: userID}, Amount: 1000},
				wallet.Entry{Account: wallet.Account{Kind: wallet.Clearing, Name: "test"}, Amount: -1000})
		})
		if got := w.fields(w.Close(w.Context(), who, closeInput("a@example.com"), home)); got != "forfeit:changed" {
			w.Fatalf("closed with %q, want forfeit:changed", got)
		}
		u, err := w.User(w.Context(), who.UserID)
		w.must(err)
		if u.Email != "a@example.com" {
			w.Errorf("the account is %s", u.Email)
		}
	})
}

func TestClose_TwiceAtOnce_ClosesOnceAndIsNoServerError(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		results := make(chan error, 2)
		for range cap(results) {
			go func() { results <- w.Close(w.Context(), who, closeInput("a@example.com"), home) }()
		}
		closed := 0
		for range cap(results) {
			err := <-results
			switch {
			case err == nil:
				closed++
			// which one depends on when it began
			case errors.Is(err, account.ErrCredentialsChanged), errors.Is(err, fault.ErrInvalid),
				errors.Is(err, account.ErrClosed):
			default:
				w.Errorf("the other call: %v", err)
			}
		}
		if closed != 1 {
			w.Errorf("%d calls closed the account, want 1", closed)
		}
	})
}

// A call that was admitted before the closing ends first, and what it wrote is erased; one that begins later is
// refused.
func TestClose_WaitsForCallsOfTheAccountAndRefusesLaterOnes(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		id, acting, closed := who.UserID, account.Acting(w.Context(), who.UserID), make(chan error, 1)
		runs := 0
		w.must(w.db.Tx(acting, func(ctx context.Context, tx bun.Tx) error {
			if runs++; runs == 1 {
				go func() { closed <- w.CloseFor(w.Context(), account.Identity{}, id, "a@example.com", 0, "x") }()
			}
			time.Sleep(200 * time.Millisecond)
			_, err := tx.NewRaw(`INSERT INTO activity (account_id, kind, ip, user_agent, at)
				VALUES (?, ?, '', '', ?)`, id, account.TelegramLinked, w.now).Exec(ctx)
			return err
		}))
		w.must(<-closed)
		var left int
		w.must(w.db.NewRaw(`SELECT COUNT(*) FROM activity WHERE account_id = ?`, id).Scan(w.Context(), &left))
		if left != 0 || runs != 1 {
			w.Errorf("%d rows are left after %d runs", left, runs)
		}
		err := w.db.Tx(acting, func(context.Context, bun.Tx) error {
			w.Error("a closed account acts")
			return nil
		})
		w.want(err, account.ErrClosed)
	})
}
