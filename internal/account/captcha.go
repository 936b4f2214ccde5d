package account

import (
	"cmp"
	"context"
	"time"

	"airstrip/internal/captcha"
)

// A captcha is required before the first step: before the password at a sign-in, before a code is sent, or else before
// the sign-up itself. Each of these returns captcha.ErrRequired where the client must show one.

// requireCaptchaAtSignIn requires a captcha after many wrong passwords for the account or from the network, and tells
// whether one was required and solved. Wrong passwords from elsewhere do not count for a network from which the account
// has signed in before. Where the guesses at an account are used up a captcha is required whatever the setting says,
// since the account would be locked otherwise.
func (l *attemptLimits) requireCaptchaAtSignIn(
	ctx context.Context, email string, from Client,
) (solved bool, err error) {
	f, err := l.failures(ctx, l.db, email, networkOf(from.IP))
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
	risky := f.Here >= maxFailuresHere || (f.Everywhere >= maxFailuresEverywhere && !known) ||
		f.OfNetwork >= maxFailuresOfNetwork
	if left && (mode == "never" || (mode == "risk" && !risky)) {
		return false, nil
	}
	return true, l.captchas.Demand(ctx, captcha.Login, from.Captcha, from.IP)
}

// requireCaptchaAtSignUp requires a captcha once a network has made half of its accounts of the day.
func (l *attemptLimits) requireCaptchaAtSignUp(ctx context.Context, from Client) error {
	site := l.settings.Get()
	var made int
	if err := l.db.NewRaw(`SELECT coalesce(sum(accounts), 0) FROM sign_up_count WHERE network = ? AND day = ?`,
		networkOf(from.IP), day(l.db.Now().In(site.Zone()))).Scan(ctx, &made); err != nil {
		return err
	}
	return l.captchas.Require(ctx, captcha.Register, 2*made >= site.SignUpPerIPDaily, from.Captcha, from.IP)
}

const riskyCodes = 5 // of one network within a day

// requireCaptchaForCode requires a captcha where a network requests many codes. Whatever the setting says, it requires
// one where networks that the account does not know have requested many codes for the address.
func (l *attemptLimits) requireCaptchaForCode(ctx context.Context, purpose Purpose, email string, from Client) error {
	kinds := map[Purpose]captcha.Kind{
		ForRegister: captcha.Register, ForLogin: captcha.Login,
		ForForgotPassword: captcha.ForgotPassword, ForTest: captcha.Test,
	}
	var unasked int
	if err := l.db.NewRaw(`SELECT coalesce(sum(codes), 0) FROM email_code_count WHERE who = ? AND since > ?`,
		unfamiliarNetworksOf(email), l.db.Now().Add(-24*time.Hour)).Scan(ctx, &unasked); err != nil {
		return err
	}
	if unasked >= unfamiliarCodesBeforeCaptcha {
		known, err := l.history.knowsNetwork(ctx, l.db, email, from)
		if err != nil || !known {
			return cmp.Or(err, l.captchas.Demand(ctx, kinds[purpose], from.Captcha, from.IP))
		}
	}
	var asked int
	if err := l.db.NewRaw(`SELECT coalesce(sum(codes), 0) FROM email_code_count WHERE who = ?`,
		"network "+networkOf(from.IP)).Scan(ctx, &asked); err != nil {
		return err
	}
	return l.captchas.Require(ctx, kinds[purpose], asked >= riskyCodes, from.Captcha, from.IP)
}
