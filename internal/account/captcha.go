package account

import (
	"cmp"
	"context"
	"time"

	"airstrip/internal/captcha"
)

// The captcha stands before the first step: before the password at a sign-in; before the code where a code is asked for,
// else before the sign-up itself. Each of these answers captcha.ErrRequired where the client must show one.

// askAtSignIn asks where an account or a network has seen many wrong passwords, and tells whether a good answer was given.
// Wrong passwords from elsewhere mean nothing to a network that the account has signed in from. Where the guesses at an
// account are used up, it asks whatever the setting says, since the account would be locked otherwise.
func (l *attemptLimits) requireCaptchaAtSignIn(ctx context.Context, email string, from Client) (solved bool, err error) {
	f, err := l.failures(ctx, l.db, email, network(from.IP))
	if err != nil {
		return false, err
	}
	known, err := l.history.knowsNetwork(ctx, l.db, email, from)
	if err != nil {
		return false, err
	}
	guesses, err := l.passwordAllowance(ctx, l.db, email, from)
	if err != nil {
		return false, err
	}
	left, _, err := l.remaining(ctx, l.db, guesses)
	if err != nil {
		return false, err
	}
	mode := captcha.Mode(l.settings.Get(), captcha.Login)
	risky := f.Here >= failuresHere || (f.Everywhere >= failuresEverywhere && !known) || f.OfNetwork >= failuresOfNetwork
	if left && (mode == "never" || (mode == "risk" && !risky)) {
		return false, nil
	}
	return true, l.captchas.Demand(ctx, captcha.Login, from.Captcha, from.IP)
}

// askAtSignUp asks where a network has half of its accounts of the day.
func (l *attemptLimits) requireCaptchaAtSignUp(ctx context.Context, from Client) error {
	site := l.settings.Get()
	var made int
	if err := l.db.NewRaw(`SELECT coalesce(sum(accounts), 0) FROM sign_up_count WHERE network = ? AND day = ?`,
		network(from.IP), day(l.db.Now().In(site.Zone()))).Scan(ctx, &made); err != nil {
		return err
	}
	return l.captchas.Require(ctx, captcha.Register, 2*made >= site.SignUpPerIPDaily, from.Captcha, from.IP)
}

const riskyCodes = 5 // of one network within a day

// askForCode asks where a network wants many codes, and whatever the setting says where an e-mail got many that networks
// asked for which its account does not know.
func (l *attemptLimits) requireCaptchaForCode(ctx context.Context, purpose Purpose, email string, from Client) error {
	kinds := map[Purpose]captcha.Kind{ForRegister: captcha.Register, ForLogin: captcha.Login, ForForgotPassword: captcha.ForgotPassword, ForTest: captcha.Test}
	var unasked int
	if err := l.db.NewRaw(`SELECT coalesce(sum(codes), 0) FROM email_code_count WHERE who = ? AND since > ?`,
		strangersOf(email), l.db.Now().Add(-24*time.Hour)).Scan(ctx, &unasked); err != nil {
		return err
	}
	if unasked >= codesUnasked {
		known, err := l.history.knowsNetwork(ctx, l.db, email, from)
		if err != nil || !known {
			return cmp.Or(err, l.captchas.Demand(ctx, kinds[purpose], from.Captcha, from.IP))
		}
	}
	var asked int
	if err := l.db.NewRaw(`SELECT coalesce(sum(codes), 0) FROM email_code_count WHERE who = ?`, "network "+network(from.IP)).Scan(ctx, &asked); err != nil {
		return err
	}
	return l.captchas.Require(ctx, kinds[purpose], asked >= riskyCodes, from.Captcha, from.IP)
}
