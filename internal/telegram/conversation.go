package telegram

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/captcha"
	"airstrip/internal/fault"
	"airstrip/internal/token"
)

// What buttons carry: a word, and for sign-ins the id of which one.
const (
	pressConfirm = "confirm"
	pressDeny    = "deny"
	pressUnlink  = "unlink"
	pressKeep    = "keep"
)

// answer does what an update asks for as part of tx and gives what to say. The bot speaks with people in private only.
func (b *Bot) answer(ctx context.Context, tx bun.Tx, u update) ([]call, error) {
	switch {
	case u.Callback != nil && u.Callback.Message != nil && u.Callback.Message.Chat.Type == "private":
		if b.people.Allow(strconv.FormatInt(u.Callback.From.ID, 10)) != nil {
			return nil, nil
		}
		return b.handleButton(ctx, tx, u.Callback)
	case u.Message != nil && u.Message.From != nil && !u.Message.From.IsBot && u.Message.Chat.Type == "private":
		if b.people.Allow(strconv.FormatInt(u.Message.From.ID, 10)) != nil {
			return nil, nil
		}
		text, rows, err := b.reply(ctx, tx, *u.Message.From, u.Message.Text)
		return []call{send(u.Message.Chat.ID, text, rows...)}, err
	}
	return nil, nil
}

func (b *Bot) reply(ctx context.Context, tx bun.Tx, who person, text string) (string, [][]button, error) {
	lang := b.langOf(ctx, who)
	command, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	command, _, _ = strings.Cut(command, "@") // as /help@bot
	rest = strings.TrimSpace(rest)
	switch command {
	case "/start":
		purpose, id, ok := b.read(rest)
		switch {
		case rest == "":
			return b.greet(ctx, who)
		case ok && purpose == toSignIn:
			return b.askToConfirm(ctx, tx, who, id)
		case ok && purpose == toLink:
			text, err := b.linked(ctx, tx, who, id)
			return text, nil, err
		}
		return textStale.In(lang), nil, nil
	case "/link":
		claims, err := b.tokens.Verify(ctx, rest, token.UserLinkTg)
		if errors.Is(err, token.ErrInvalid) {
			return textStale.In(lang), nil, nil
		}
		if err != nil {
			return "", nil, err
		}
		text, err := b.linked(ctx, tx, who, claims.ID)
		return text, nil, err
	case "/me":
		text, err := b.status(ctx, who)
		return text, nil, err
	case "/checkin":
		text, err := b.checkIn(ctx, tx, who)
		return text, nil, err
	case "/unlink":
		u, err := b.accounts.ByTelegram(ctx, who.ID)
		if errors.Is(err, account.ErrNoUser) {
			return say(lang, textNotLinked, b.site), nil, nil
		}
		return say(lang, textAskUnlink, mask(u.Email)),
			[][]button{{{buttonUnlink.In(lang), pressUnlink}, {buttonKeep.In(lang), pressKeep}}}, err
	}
	return say(lang, textHelp, b.settings.Get().SiteName), nil, nil
}

func (b *Bot) greet(ctx context.Context, who person) (string, [][]button, error) {
	lang := b.langOf(ctx, who)
	u, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return say(lang, textNotLinked, b.site), nil, nil
	}
	return say(lang, textLinkedTo, mask(u.Email)) + "\n\n" + say(lang, textHelp, b.settings.Get().SiteName), nil, err
}

// askToConfirm shows what is known of the page that wants to sign in. Only a linked account is asked.
func (b *Bot) askToConfirm(ctx context.Context, tx bun.Tx, who person, id uuid.UUID) (string, [][]button, error) {
	lang := b.langOf(ctx, who)
	u, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return say(lang, textNotLinked, b.site), nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	s, ok, err := b.open(ctx, tx, id, who.ID)
	if err != nil || !ok {
		return textStale.In(lang), nil, err
	}
	ip, _ := netip.ParseAddr(s.IP) // the zero Addr where it is not known
	place := b.accounts.History.OriginOf(account.Client{IP: ip, UserAgent: s.UserAgent})
	return say(lang, textAskSignIn, b.settings.Get().SiteName, mask(u.Email), s.Number, sayDevice(lang, place.Device),
		sayArea(lang, place)), [][]button{
		{{say(lang, buttonConfirm, s.Number), pressConfirm + " " + id.String()}},
		{{buttonDeny.In(lang), pressDeny + " " + id.String()}},
	}, nil
}

func (b *Bot) linked(ctx context.Context, tx bun.Tx, who person, id uuid.UUID) (string, error) {
	lang := b.langOf(ctx, who)
	userID, ok, err := b.consumeLink(ctx, tx, id, who.ID)
	if f, known := fault.As(err); known && fault.Refused(err) {
		return f.Text.In(lang), nil
	}
	if err != nil || !ok {
		return textStale.In(lang), err
	}
	u, err := b.accounts.User(ctx, userID)
	return say(lang, textLinked, mask(u.Email)), err
}

// pressed does what a button says and takes the buttons away.
func (b *Bot) handleButton(ctx context.Context, tx bun.Tx, c *callbackQuery) ([]call, error) {
	lang := b.langOf(ctx, c.From)
	word, rest, _ := strings.Cut(c.Data, " ")
	text := textStale.In(lang)
	switch word {
	case pressConfirm, pressDeny:
		id, err := uuid.Parse(rest)
		if err != nil {
			break
		}
		decided, err := b.decide(ctx, tx, id, c.From.ID, word == pressConfirm)
		if err != nil {
			return nil, err
		}
		if decided {
			text = map[string]string{pressConfirm: textConfirmed.In(lang), pressDeny: textDenied.In(lang)}[word]
		}
	case pressUnlink:
		text = textUnlinked.In(lang)
		u, err := b.accounts.ByTelegram(ctx, c.From.ID)
		if err == nil {
			err = b.accounts.Credentials.UnlinkTelegram(ctx, tx, u.ID, uuid.Nil, account.Client{UserAgent: "Telegram"})
		}
		if err != nil && !fault.Refused(err) { // a fault: it is free already
			return nil, err
		}
	case pressKeep:
		text = textKept.In(lang)
	}
	return []call{answerCallback(c.ID, ""), edit(c.Message, text)}, nil
}

// standing tells a linked user what they have.
func (b *Bot) status(ctx context.Context, who person) (string, error) {
	lang := b.langOf(ctx, who)
	u, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return say(lang, textNotLinked, b.site), nil
	}
	if err != nil {
		return "", err
	}
	access, err := b.services.Access(ctx, u.ID)
	if err != nil {
		return "", err
	}
	running, _, err := b.services.List(ctx, u.ID)
	if err != nil {
		return "", err
	}
	var plans []string
	for _, s := range running {
		if s.EndedAt == nil {
			plans = append(plans, s.NameIn(lang))
		}
	}
	return sayStanding(lang, mask(u.Email), plans, access, b.settings.Get().Zone()), nil
}

// langOf gives the language of the linked account, which is the one that its user reads on the site; of other people
// that of their Telegram.
func (b *Bot) langOf(ctx context.Context, who person) fault.Lang {
	if u, err := b.accounts.ByTelegram(ctx, who.ID); err == nil {
		return u.Lang
	}
	switch {
	case who.LanguageCode == "":
		return b.settings.Get().Language
	case strings.HasPrefix(who.LanguageCode, "zh"):
		return fault.ZH
	}
	return fault.EN
}

// checkIn gives a linked user today's traffic. A captcha that is always asked for is solved on the site.
func (b *Bot) checkIn(ctx context.Context, tx bun.Tx, who person) (string, error) {
	lang := b.langOf(ctx, who)
	u, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return say(lang, textNotLinked, b.site), nil
	}
	if err != nil {
		return "", err
	}
	given, err := b.checkIns.CheckInByTelegram(ctx, tx, u.ID)
	switch f, known := fault.As(err); {
	case errors.Is(err, captcha.ErrRequired):
		return say(lang, textCheckInOnSite, b.site), nil
	case known && fault.Refused(err):
		return f.Text.In(lang), nil
	case err != nil:
		return "", err
	}
	return given.Text().In(lang), nil
}

// mask gives an e-mail address so that its owner knows it and a bystander does not.
func mask(email string) string {
	name, domain, _ := strings.Cut(email, "@")
	return name[:1] + "***@" + domain
}
