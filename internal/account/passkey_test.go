package account_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/db/dbtest"
)

// addPasskey gives a user with no second factor the passkey of a new device.
func (w *testSite) addPasskey(who account.Identity, name string) *authenticator {
	w.Helper()
	d := w.authenticator()
	options, err := w.Passkeys.Begin(w.Context(), who, name, password, "", home)
	w.must(err)
	_, err = w.Passkeys.Finish(w.Context(), who, d.create(options), home)
	w.must(err)
	return d
}

func (w *testSite) identity(g account.Grant) account.Identity {
	w.Helper()
	who, err := w.Sessions.Authenticate(w.Context(), g.Access)
	w.must(err)
	return who
}

func (w *testSite) challenge() json.RawMessage {
	w.Helper()
	options, err := w.Passkeys.BeginSignIn(w.Context(), home)
	w.must(err)
	return options
}

func (w *testSite) signInBy(d *authenticator) (account.Grant, error) {
	w.Helper()
	return w.Passkeys.SignIn(w.Context(), d.get(w.challenge()), true, home)
}

func TestAPasskeySignsItsUserInWithoutNameOrPassword(t *testing.T) {
	each(t, func(w *testSite) {
		w.signUp("b@example.com")
		who := w.identity(w.signUp("a@example.com"))
		phone, laptop := w.addPasskey(who, " Phone "), w.addPasskey(who, "Laptop")
		w.now = w.now.Add(time.Hour)
		g, err := w.signInBy(laptop)
		w.must(err)
		if w.identity(g).UserID != who.UserID {
			w.Errorf("signed in as %d", g.User.ID)
		}
		_, err = w.signInBy(laptop)
		w.must(err)

		keys, err := w.Passkeys.List(w.Context(), who.UserID)
		w.must(err)
		if len(keys) != 2 || keys[0].Name != "Phone" || keys[0].LastUsedAt != nil || keys[1].Name != "Laptop" ||
			!keys[1].LastUsedAt.Equal(w.now) || !keys[1].CreatedAt.Equal(w.now.Add(-time.Hour)) {
			w.Errorf("passkeys %+v", keys)
		}
		w.must(w.Passkeys.Rename(w.Context(), who.UserID, keys[0].ID, "Old phone"))
		w.must(w.Passkeys.Remove(w.Context(), who, keys[1].ID, home))
		if keys, err = w.Passkeys.List(w.Context(), who.UserID); err != nil || len(keys) != 1 ||
			keys[0].Name != "Old phone" {
			w.Errorf("passkeys %+v, %v", keys, err)
		}
		_, err = w.signInBy(laptop)
		w.want(err, account.ErrPasskeyUnknown)
		_, err = w.signInBy(phone)
		w.must(err)
		w.signIn("a@example.com") // the password stays

		var kinds []account.ActivityKind
		done, _, err := w.History.Activity(w.Context(), who.UserID, 100, 0)
		w.must(err)
		for _, a := range slices.Backward(done) {
			kinds = append(kinds, a.Kind)
		}
		if want := []account.ActivityKind{
			account.SignedUp, account.PasskeyAdded, account.PasskeyAdded, account.SignedIn, account.SignedIn,
			account.PasskeyRemoved, account.SignedIn, account.SignedIn,
		}; !slices.Equal(kinds, want) {
			w.Errorf("activity %v", kinds)
		}
		if told := w.mailsOf("passkey_added"); told != 2 {
			w.Errorf("%d mails about new passkeys", told)
		}
	})
}

func (w *testSite) mailsOf(kind string) (n int64) {
	w.Helper()
	w.must(w.db.NewRaw(`SELECT count(*) FROM mail WHERE kind = ?`, kind).Scan(w.Context(), &n))
	return n
}

func TestAPasskeyAnswersOneChallengeOnceAndInTime(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		d := w.addPasskey(who, "Key")
		answer := d.get(w.challenge())
		_, err := w.Passkeys.SignIn(w.Context(), answer, false, home)
		w.must(err)
		_, err = w.Passkeys.SignIn(w.Context(), answer, false, home)
		w.want(err, account.ErrPasskeyTooLate)

		late := d.get(w.challenge())
		w.now = w.now.Add(5 * time.Minute)
		_, err = w.Passkeys.SignIn(w.Context(), late, false, home)
		w.want(err, account.ErrPasskeyTooLate)

		// A wrong answer uses the challenge up.
		options := w.challenge()
		d.origin = "https://example.com"
		_, err = w.Passkeys.SignIn(w.Context(), d.get(options), false, home)
		w.want(err, account.ErrPasskeyInvalid)
		d.origin = "http://localhost:8080"
		_, err = w.Passkeys.SignIn(w.Context(), d.get(options), false, home)
		w.want(err, account.ErrPasskeyTooLate)

		// One that adds a passkey signs nobody in, and the other way round.
		options, err = w.Passkeys.Begin(w.Context(), who, "Other", password, "", home)
		w.must(err)
		_, err = w.Passkeys.SignIn(w.Context(), d.get(withRPID(w, options)), false, home)
		w.want(err, account.ErrPasskeyTooLate)
		_, err = w.Passkeys.Finish(w.Context(), who, w.authenticator().create(withRP(w, w.challenge(), who)), home)
		w.want(err, account.ErrPasskeyTooLate)

		w.challenge()
		w.now = w.now.Add(6 * time.Minute)
		w.must(w.Passkeys.ForgetChallenges(w.Context()))
		var left int
		w.must(w.db.NewRaw(`SELECT count(*) FROM passkey_challenge`).Scan(w.Context(), &left))
		if left != 0 {
			w.Errorf("%d challenges are kept", left)
		}
	})
}

// withRPID gives options of a registration the form of those of a sign-in; withRP the reverse.
func withRPID(w *testSite, options json.RawMessage) json.RawMessage {
	return reshape(w, options, map[string]any{"rpId": "localhost"})
}

func withRP(w *testSite, options json.RawMessage, who account.Identity) json.RawMessage {
	return reshape(w, options, map[string]any{
		"rp":   map[string]any{"id": "localhost"},
		"user": map[string]any{"id": b64(who.UUID[:])},
	})
}

func reshape(w *testSite, options json.RawMessage, more map[string]any) json.RawMessage {
	w.Helper()
	var o struct{ Challenge string }
	w.must(json.Unmarshal(options, &o))
	more["challenge"] = o.Challenge
	raw, err := json.Marshal(more)
	w.must(err)
	return raw
}

func TestAForgedAnswerSignsNobodyIn(t *testing.T) {
	each(t, func(w *testSite) {
		other := w.identity(w.signUp("b@example.com"))
		who := w.identity(w.signUp("a@example.com"))
		for name, c := range map[string]struct {
			spoil func(*authenticator)
			want  error
		}{
			"another origin": {
				func(d *authenticator) { d.origin = "http://localhost.example.com:8080" },
				account.ErrPasskeyInvalid,
			},
			"another port": {
				func(d *authenticator) { d.origin = "http://localhost:9090" },
				account.ErrPasskeyInvalid,
			},
			"another user's handle": {
				func(d *authenticator) { d.handle = b64(other.UUID[:]) },
				account.ErrPasskeyInvalid,
			},
			"no handle": {func(d *authenticator) { d.handle = "" }, account.ErrPasskeyInvalid},
			"another key": {
				func(d *authenticator) { d.key = w.authenticator().key },
				account.ErrPasskeyInvalid,
			},
			"an unknown key":         {func(d *authenticator) { d.id = []byte("nobody's") }, account.ErrPasskeyUnknown},
			"an owner not made sure": {func(d *authenticator) { d.verifies = false }, account.ErrPasskeyInvalid},
		} {
			d := w.addPasskey(who, name)
			c.spoil(d)
			_, err := w.signInBy(d)
			if !errors.Is(err, c.want) {
				w.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		for _, garbage := range []string{
			``, `null`, `{}`, `{"id":1}`,
			`{"id":"AA","rawId":"AA","type":"public-key","response":{}}`,
		} {
			_, err := w.Passkeys.SignIn(w.Context(), json.RawMessage(garbage), false, home)
			w.want(err, account.ErrPasskeyInvalid)
		}
	})
}

func TestACopiedPasskeyIsTakenOutOfUse(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		d := w.addPasskey(who, "Key")
		_, err := w.signInBy(d)
		w.must(err)
		copied := *d
		_, err = w.signInBy(&copied)
		w.must(err)
		_, err = w.signInBy(d) // counts what the copy has counted already
		w.want(err, account.ErrPasskeySuspected)
		copied.count = 100
		_, err = w.signInBy(&copied)
		w.want(err, account.ErrPasskeySuspected)
		keys, err := w.Passkeys.List(w.Context(), who.UserID)
		w.must(err)
		done, _, err := w.History.Activity(w.Context(), who.UserID, 1, 0)
		w.must(err)
		if keys[0].SuspectedAt == nil || done[0].Kind != account.PasskeySuspected {
			w.Errorf("%+v, last of all %+v", keys, done)
		}
	})
}

func TestABannedUserSignsInByPasskeyAndSeesWhy(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		d := w.addPasskey(who, "Key")
		_, err := w.Bans.Ban(w.Context(), account.BanTask{AccountID: who.UserID, Reason: "spam"}, account.Identity{})
		w.must(err)
		g, err := w.signInBy(d)
		w.must(err)
		if !g.User.Banned() {
			w.Error("the ban is not seen")
		}
	})
}

func TestToAddAPasskeyTakesWhatItWillStandFor(t *testing.T) {
	each(t, func(w *testSite) {
		who := w.identity(w.signUp("a@example.com"))
		_, err := w.Passkeys.Begin(w.Context(), who, "Key", "wrong password", "", home)
		if f := w.fields(err); f != "password:wrong_credentials" {
			w.Errorf("%v", err)
		}
		_, err = w.Passkeys.Begin(w.Context(), who, strings.Repeat("长", 65), password, "", home)
		if f := w.fields(err); f != "name:length" {
			w.Errorf("%v", err)
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
		_, err = w.Passkeys.Begin(w.Context(), who, "Key", password, "", home)
		if f := w.fields(err); f != "code:two_fa_required" {
			w.Errorf("%v", err)
		}
		options, err := w.Passkeys.Begin(w.Context(), who, "", password, code(), home)
		w.must(err)
		d := w.authenticator()
		other := w.identity(w.signUp("b@example.com"))
		_, err = w.Passkeys.Finish(w.Context(), other, d.create(options), home)
		w.want(err, account.ErrPasskeyTooLate)
		options, err = w.Passkeys.Begin(w.Context(), who, "", password, code(), home)
		w.must(err)
		answer := d.create(options)
		key, err := w.Passkeys.Finish(w.Context(), who, answer, home)
		w.must(err)
		if key.Name != "Passkey" { // of a browser that nobody knows
			w.Errorf("called %q", key.Name)
		}
		_, err = w.Passkeys.Finish(w.Context(), who, answer, home)
		w.want(err, account.ErrPasskeyTooLate)
		options, err = w.Passkeys.Begin(w.Context(), other, "Mine too", password, "", home)
		w.must(err)
		_, err = w.Passkeys.Finish(w.Context(), other, d.create(options), home)
		w.want(err, account.ErrPasskeyTaken)
		d.handle = b64(who.UUID[:])
		_, err = w.signInBy(d) // asks for no code
		w.must(err)
		w.want(w.Passkeys.Rename(w.Context(), other.UserID, key.ID, "Mine"), account.ErrNoPasskey)
		w.want(w.Passkeys.Remove(w.Context(), other, key.ID, home), account.ErrNoPasskey)
	})
}

func TestARegistrationFromAnotherPageOrWithoutItsOwnerIsRefused(t *testing.T) {
	w := newTestSite(t, dbtest.SQLite(t))
	who := w.identity(w.signUp("a@example.com"))
	for name, spoil := range map[string]func(*authenticator){
		"another origin":         func(d *authenticator) { d.origin = "https://localhost:8080" },
		"an owner not made sure": func(d *authenticator) { d.verifies = false },
	} {
		options, err := w.Passkeys.Begin(w.Context(), who, name, password, "", home)
		w.must(err)
		d := w.authenticator()
		spoil(d)
		_, err = w.Passkeys.Finish(w.Context(), who, d.create(options), home)
		w.want(err, account.ErrPasskeyInvalid)
	}
}

func TestThereIsRoomForTwentyPasskeys(t *testing.T) {
	w := newTestSite(t, dbtest.SQLite(t))
	who := w.identity(w.signUp("a@example.com"))
	w.must(w.db.Tx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
		for i := range 20 {
			k := account.Passkey{
				AccountID: who.UserID, CredentialID: []byte{byte(i)}, PublicKey: []byte{1},
				Name: "Key", CreatedAt: w.now,
			}
			if _, err := tx.NewInsert().Model(&k).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := w.Passkeys.Begin(t.Context(), who, "Key", password, "", home)
	w.want(err, account.ErrTooManyPasskeys)
}
