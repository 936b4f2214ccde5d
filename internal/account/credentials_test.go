package account_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db/dbtest"
)

// newestActivity tests which kind of activity was written last for a user.
func (w *testSite) newestActivity(userID int64, want account.ActivityKind) {
	w.Helper()
	all, _, err := w.History.Activity(w.Context(), userID, 1, 0)
	w.must(err)
	if len(all) != 1 || all[0].Kind != want {
		w.Errorf("newest activity %+v, want %s", all, want)
	}
}

// victim is an account in which somebody else has left whatever opens it.
type victim struct {
	email   string
	user    account.User
	mine    account.Grant // of the owner
	who     account.Identity
	passkey *authenticator

	theirs  account.Grant
	thief   account.Identity
	token   string // API token
	cookie  string // older cookie
	link    string // sign-in token
	url     account.SignedURL
	code    string          // to sign in by e-mail
	passing json.RawMessage // answer to a passkey challenge that was begun with the password
	secret  app             // of an enrolment that waits for its code
}

func (w *testSite) victim(email string) *victim {
	w.Helper()
	v := &victim{email: email, mine: w.signUp(email)}
	v.user, v.who = v.mine.User, w.identity(v.mine)
	v.passkey = w.addPasskey(v.who, "Owner's")
	w.now = w.now.Add(2 * time.Second)
	return v
}

// takenOver leaves everything behind that somebody who knows the password can leave.
func (w *testSite) takenOver(v *victim) {
	w.Helper()
	v.theirs = w.signIn(v.email)
	v.thief = w.identity(v.theirs)
	token, _, err := w.APITokens.Make(w.Context(), v.thief,
		account.APITokenDraft{Name: "x", Scopes: []account.Scope{account.ScopeRead}}, password, "", home)
	w.must(err)
	v.token = token.String()
	c, err := w.Sessions.Cookies(w.Context(), v.theirs.Access, "", home)
	w.must(err)
	v.cookie = c.Key
	link, _, err := w.SignIns.MakeToken(w.Context(), v.email)
	w.must(err)
	v.link = link.String()
	q := w.SignIns.URL(v.user.ID, "v1")
	v.url = account.SignedURL{
		CreatedAt: q.Get("created_at_unix"), Input: q.Get("input_data"),
		Version: q.Get("login_web_version"), Token: q.Get("valid_token"),
	}
	v.code = w.sent(account.ForLogin, v.email)
	options, err := w.Passkeys.Begin(w.Context(), v.thief, "Thief's", password, "", home)
	w.must(err)
	v.passing = w.authenticator().create(options)
	e, err := w.TwoFactor.Begin(w.Context(), v.thief, password, home)
	w.must(err)
	v.secret = app(e.Secret)
}

// shutOut tests that nothing of what takenOver left opens the account any more.
func (w *testSite) shutOut(v *victim) {
	w.Helper()
	tries := map[string]func() error{
		"the session": func() error {
			_,
				err := w.Sessions.Authenticate(w.Context(), v.theirs.Access)
			return err
		},
		"the refresh token": func() error {
			_,
				err := w.Sessions.Refresh(w.Context(), v.theirs.Refresh, home)
			return err
		},
		"the API token": func() error {
			_,
				err := w.APITokens.Authenticate(w.Context(), v.token, account.ScopeRead)
			return err
		},
		"the older cookie": func() error {
			_, _, err := w.Sessions.AuthenticateCookie(w.Context(), w.Sessions.CookiePrefix()+account.CookieName,
				v.cookie, home)
			return err
		},
		"the sign-in token":  func() error { _, err := w.SignIns.ByToken(w.Context(), v.link, home); return err },
		"the signed address": func() error { _, err := w.SignIns.ByURL(w.Context(), v.url, home); return err },
		"the e-mail code":    func() error { _, err := w.byCode(v.email, v.code); return err },
		"the passkey to come": func() error {
			_,
				err := w.Passkeys.Finish(w.Context(), v.thief, v.passing, home)
			return err
		},
		"the second factor to come": func() error {
			_, err := w.TwoFactor.Confirm(w.Context(), v.thief, v.secret.code(w), home)
			return err
		},
	}
	for name, try := range tries {
		if try() == nil {
			w.Errorf("%s survives", name)
		}
	}
}

// credentialChanges are the methods that change what opens an account. Each is called by the owner after a takeover. It
// gives the owner's grant that must go on, the zero Grant where none does.
var credentialChanges = map[string]struct {
	before    func(w *testSite, v *victim) // the takeover
	change    func(w *testSite, v *victim) account.Grant
	kind      account.ActivityKind
	mail      string
	recovered bool // passkeys and Telegram go too
}{
	"Credentials.ChangePassword": {
		kind: account.PasswordChanged, mail: "password_changed",
		change: func(w *testSite, v *victim) account.Grant {
			g, err := w.Credentials.ChangePassword(w.Context(), v.who, password, "a wholly new one", home)
			w.must(err)
			return g
		},
	},
	"Credentials.ResetPassword": {
		kind: account.PasswordChanged, mail: "password_changed", recovered: true,
		change: func(w *testSite, v *victim) account.Grant {
			w.now = w.now.Add(2 * time.Minute)
			w.must(w.Credentials.ResetPassword(w.Context(), v.email, w.sent(account.ForForgotPassword, v.email),
				"a wholly new one", home))
			return account.Grant{}
		},
	},
	"Credentials.SetPassword": {
		kind: account.PasswordChanged, mail: "password_changed", recovered: true,
		change: func(w *testSite, v *victim) account.Grant {
			w.must(w.Credentials.SetPassword(w.Context(), v.email, "a wholly new one"))
			return account.Grant{}
		},
	},
	"Credentials.ChangeEmail": {
		kind: account.EmailChanged, mail: "email_changed",
		change: func(w *testSite, v *victim) account.Grant {
			w.now = w.now.Add(2 * time.Minute)
			w.must(w.Credentials.RequestEmailChange(w.Context(), v.who, "new-"+v.email, password, home))
			_, present := w.newestMail(v.email)
			_, fresh := w.newestMail("new-" + v.email)
			w.must(w.Credentials.ChangeEmail(w.Context(), v.who, "new-"+v.email, fresh, present, home))
			return v.mine
		},
	},
	"TwoFactor.TurnOffFor": {
		kind: account.TwoFactorOff, mail: "security_changed", before: withSecondFactor,
		change: func(w *testSite, v *victim) account.Grant {
			w.must(w.TwoFactor.TurnOffFor(w.Context(), account.Identity{Role: account.Owner}, v.user.ID, "lost phone"))
			return account.Grant{}
		},
	},
	"Credentials.ReplaceEmail": {
		kind: account.EmailChanged, mail: "email_changed", recovered: true,
		change: func(w *testSite, v *victim) account.Grant {
			_, err := w.Credentials.ReplaceEmail(w.Context(), account.Identity{Role: account.Owner}, v.user.ID, v.email,
				"new-"+v.email, "lost", home)
			w.must(err)
			return account.Grant{}
		},
	},
	"TwoFactor.Confirm": {
		kind: account.TwoFactorOn, mail: "security_changed",
		change: func(w *testSite, v *victim) account.Grant {
			e, err := w.TwoFactor.Begin(w.Context(), v.who, password, home)
			w.must(err)
			_, err = w.TwoFactor.Confirm(w.Context(), v.who, app(e.Secret).code(w), home)
			w.must(err)
			return v.mine
		},
	},
	"TwoFactor.TurnOff": {
		kind: account.TwoFactorOff, mail: "security_changed", before: withSecondFactor,
		change: func(w *testSite, v *victim) account.Grant {
			w.must(w.TwoFactor.TurnOff(w.Context(), v.who, password, v.secret.code(w), home))
			return v.mine
		},
	},
	"TwoFactor.RenewRecoveryCodes": {
		kind: account.RecoveryCodesMade, mail: "security_changed", before: withSecondFactor,
		change: func(w *testSite, v *victim) account.Grant {
			_, err := w.TwoFactor.RenewRecoveryCodes(w.Context(), v.who, password, v.secret.code(w), home)
			w.must(err)
			return v.mine
		},
	},
	"Passkeys.Finish": {
		kind: account.PasskeyAdded, mail: "passkey_added",
		change: func(w *testSite, v *victim) account.Grant {
			w.addPasskey(v.who, "Another")
			return v.mine
		},
	},
	"Passkeys.Remove": {
		kind: account.PasskeyRemoved, mail: "security_changed",
		change: func(w *testSite, v *victim) account.Grant {
			keys, err := w.Passkeys.List(w.Context(), v.user.ID)
			w.must(err)
			w.must(w.Passkeys.Remove(w.Context(), v.who, keys[0].ID, home))
			return v.mine
		},
	},
	"Credentials.LinkTelegram": {
		kind: account.TelegramLinked, mail: "security_changed",
		change: func(w *testSite, v *victim) account.Grant {
			w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.Credentials.LinkTelegram(ctx, tx, v.user.ID, 42, v.who.SessionID, home)
			}))
			return v.mine
		},
	},
	"Credentials.UnlinkTelegram": {
		kind: account.TelegramUnlinked, mail: "security_changed",
		before: func(w *testSite, v *victim) {
			w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.Credentials.LinkTelegram(ctx, tx, v.user.ID, 42, uuid.Nil, home)
			}))
			v.mine = w.signIn(v.email)
			v.who = w.identity(v.mine)
			w.now = w.now.Add(2 * time.Second)
			w.takenOver(v)
		}, change: func(w *testSite, v *victim) account.Grant {
			w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
				return w.Credentials.UnlinkTelegram(ctx, tx, v.user.ID, v.who.SessionID, home)
			}))
			return v.mine
		},
	},
}

// withSecondFactor is a takeover of an account with a second factor, whose app the other has too.
func withSecondFactor(w *testSite, v *victim) {
	e, err := w.TwoFactor.Begin(w.Context(), v.who, password, home)
	w.must(err)
	_, err = w.TwoFactor.Confirm(w.Context(), v.who, app(e.Secret).code(w), home)
	w.must(err)
	code := func() string {
		w.now = w.now.Add(30 * time.Second)
		return app(e.Secret).code(w)
	}
	v.secret = app(e.Secret)
	v.theirs, err = w.SignIns.ByPassword(w.Context(),
		account.SignIn{Email: v.email, Password: password, TwoFactor: code()}, home)
	w.must(err)
	v.thief = w.identity(v.theirs)
	token, _, err := w.APITokens.Make(w.Context(), v.thief,
		account.APITokenDraft{Name: "x", Scopes: []account.Scope{account.ScopeRead}}, password, code(), home)
	w.must(err)
	v.token = token.String()
	w.now = w.now.Add(30 * time.Second)
}

// changeNothing are the methods of each part that leave what opens an account as it is.
var changeNothing = map[string]string{
	"Accounts": "Accept Acceptance AddMember ChangeMember Covers Members ByEmail ByTelegram Close CloseEmpty " +
		"CloseFor Create Invite Emails Forget Hash IDsByEmail Import ImportFile PreviewImport IsStaff List Lock LockAll MayActOn " +
		"Loss MemberByTelegram NoticeUser OnClose People RecipientCount Recipients TakeInvited Users " +
		"NoticeByMail OutdatedPasswords Register Rename Security SetNoticeByMail SetRole Staff StaffWith Notify NotifyExcept NotifyStaff User",
	"Setup":   "CheckCode IsOpen Leads Make Run Start",
	"SignUps": "CheckInviteCode SignUp",
	"SignIns": "ByCode ByPassword ByTelegram ByToken ByURL MakeToken SendStepUpCode StepUp StepUpByCode StepUpWays " +
		"URL URLKey",
	"Sessions": "Authenticate AuthenticateCookie AuthenticateVisitor CSRFToken CookiePrefix Cookies Devices End " +
		"EndAllOf EndOneOf EndOthers Of Refresh Running SignOut",
	"Streams":     "Follow Open",
	"APITokens":   "Authenticate Create Keys List Make MakeKey Revoke RevokeKey RotateKey",
	"Credentials": "OnChange Prove RequestEmailChange",
	"Visits":      "Begin EndDue EndLost Open",
	"EmailCodes":  "Request SendReset",
	"TwoFactor":   "Begin Check On",
	"Passkeys":    "StepUp Begin BeginSignIn Enabled ForgetChallenges List Rename SignIn",
	"Bans":        "ApplyDue Ban BanIn Banned Running Unban Of",
	"History":     "Activity OriginOf SignIns",
}

func TestEveryMethodOfAccounts_IsKnownToChangeCredentialsOrNot(t *testing.T) {
	known := map[string]bool{}
	for name := range credentialChanges {
		known[name] = true
	}
	for part, names := range changeNothing {
		for _, name := range strings.Fields(names) {
			known[part+"."+name] = true
		}
	}
	check := func(part string, of reflect.Type) {
		for m := range of.Methods() {
			name := part + "." + m.Name
			if !known[name] {
				t.Errorf("does %s change what opens an account? Add it to credentialChanges or to changeNothing", name)
			}
			delete(known, name)
		}
	}
	accounts := reflect.TypeFor[*account.Accounts]()
	check("Accounts", accounts)
	for part := range accounts.Elem().Fields() {
		if part.IsExported() {
			check(part.Name, part.Type)
		}
	}
	for name := range known {
		t.Errorf("%s is listed, but there is no such method", name)
	}
}

func TestEveryChangeOfCredentials_ShutsOutWhoeverGotInBefore(t *testing.T) {
	for name, c := range credentialChanges {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *testSite) {
				w.easyCaptcha()
				v := w.victim("a@example.com")
				if c.before != nil {
					c.before(w, v)
				} else {
					w.takenOver(v)
				}
				mailed := w.mailsOf(c.mail)
				goesOn := c.change(w, v)
				w.newestActivity(v.user.ID, c.kind)
				if now := w.mailsOf(c.mail); now != mailed+1 {
					w.Errorf("%d mails of the kind %s, want one", now-mailed, c.mail)
				}
				if goesOn.Access != "" {
					w.alive(goesOn.Access)
					w.refresh(goesOn)
				}
				if goesOn.Access != v.mine.Access {
					if _, err := w.Sessions.Authenticate(w.Context(), v.mine.Access); err == nil {
						w.Error("the owner's session before the change survives")
					}
				}
				w.shutOut(v)
				if _, err := w.signInBy(v.passkey); (err != nil) != c.recovered && name != "Passkeys.Remove" {
					w.Errorf("the owner's passkey after the change: %v", err)
				}
			})
		})
	}
}

func TestARecovery_UnlinksTelegramAndRemovesPasskeys(t *testing.T) {
	w := newTestSite(t, dbtest.Postgres(t))
	v := w.victim("a@example.com")
	w.must(w.db.Tx(w.Context(), func(ctx context.Context, tx bun.Tx) error {
		return w.Credentials.LinkTelegram(ctx, tx, v.user.ID, 42, v.who.SessionID, home)
	}))
	w.must(w.reset(v.email, w.sent(account.ForForgotPassword, v.email)))
	if _, err := w.ByTelegram(w.Context(), 42); err == nil {
		t.Error("the Telegram account still opens the account")
	}
	letter, _ := w.newestMail(v.email)
	if !strings.Contains(letter.Text, "Telegram 绑定已解除") || !strings.Contains(letter.Text, "通行密钥已全部移除") {
		t.Errorf("the mail does not say what was removed:\n%s", letter.Text)
	}
}

func TestAnEnrolment_IsConfirmedByTheSessionThatBeganItAndInTime(t *testing.T) {
	each(t, func(w *testSite) {
		mine := w.signUp("a@example.com")
		who, thief := w.identity(mine), w.identity(w.signIn("a@example.com"))
		begin := func() app {
			e, err := w.TwoFactor.Begin(w.Context(), who, password, home)
			w.must(err)
			return app(e.Secret)
		}
		secret := begin()
		_, err := w.TwoFactor.Confirm(w.Context(), thief, secret.code(w), home)
		w.want(err, account.ErrNotEnrolling)
		w.want(w.TwoFactor.Check(w.Context(), thief, secret.code(w), home), account.ErrTwoFactorOff)
		w.now = w.now.Add(10 * time.Minute)
		_, err = w.TwoFactor.Confirm(w.Context(), who, secret.code(w), home)
		w.want(err, account.ErrNotEnrolling)
		_, err = w.TwoFactor.Confirm(w.Context(), who, begin().code(w), home)
		w.must(err)
	})
}

func TestARefreshTokenUsedAgain_IsToldToTheUserOnce(t *testing.T) {
	each(t, func(w *testSite) {
		first := w.signUp("a@example.com")
		w.refresh(first)
		w.now = w.now.Add(61 * time.Second)
		for range 3 {
			_, err := w.Sessions.Refresh(w.Context(), first.Refresh, from("198.51.100.1"))
			w.want(err, account.ErrSignedOut)
		}
		w.newestActivity(first.User.ID, account.RefreshTokenReused)
		if mails := w.mailsOf("security_changed"); mails != 1 {
			w.Errorf("%d mails, want one", mails)
		}
		letter, _ := w.newestMail("a@example.com")
		if !strings.Contains(letter.Text, "198.51.100.1") {
			w.Errorf("the mail does not name the address:\n%s", letter.Text)
		}
	})
}

func TestASignInThatBeganBeforeAChange_DoesNotOutliveIt(t *testing.T) {
	w := newTestSite(t, dbtest.Postgres(t))
	v := w.victim("a@example.com")
	answer := v.passkey.get(w.challenge())
	locked, change := make(chan struct{}), make(chan error)
	go func() { // takes the account's row, so that the sign-in has read it before the change commits
		change <- w.db.Tx(context.Background(), func(ctx context.Context, tx bun.Tx) error {
			if err := w.Credentials.LinkTelegram(ctx, tx, v.user.ID, 42, uuid.Nil, home); err != nil {
				return err
			}
			close(locked)
			return w.waitForLock(ctx)
		})
	}()
	<-locked
	_, err := w.Passkeys.SignIn(w.Context(), answer, false, home)
	w.must(<-change)
	w.want(err, account.ErrCredentialsChanged)
}

// waitForLock returns once another connection waits for a lock.
func (w *testSite) waitForLock(ctx context.Context) error {
	for waiting := 0; waiting == 0; time.Sleep(time.Millisecond) {
		if err := w.db.NewRaw(`SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(ctx, &waiting); err != nil {
			return err
		}
	}
	return nil
}
