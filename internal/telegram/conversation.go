package telegram

import (
	"context"
	"errors"
	"net/netip"
	"slices"
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

	// of the menu, which say what the commands of these names do
	pressMe      = "me"
	pressSub     = "sub"
	pressCheckIn = "checkin"
)

// answer does what an update asks for as part of tx and returns what to say. The bot speaks with people in private, and
// in the groups of the setting only about what is nobody's secret.
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
		return b.answerMessage(ctx, tx, u.Message)
	case u.Message != nil && u.Message.From != nil && !u.Message.From.IsBot:
		return b.answerInGroup(ctx, tx, u.Message)
	}
	return nil, nil
}

// answerMessage answers what somebody wrote in private.
func (b *Bot) answerMessage(ctx context.Context, tx bun.Tx, m *message) ([]call, error) {
	command, _, rest := parseCommand(m.Text)
	if command == "/sub" {
		c, err := b.subscription(ctx, tx, *m.From)
		return []call{c}, err
	}
	text, rows, err := b.reply(ctx, tx, *m.From, command, rest)
	return []call{send(m.Chat.ID, text, rows...)}, err
}

// answerInGroup answers commands in the groups of the setting: it checks people in, and leads them to the private chat
// for everything else. Other groups, other texts and commands to other bots are ignored.
func (b *Bot) answerInGroup(ctx context.Context, tx bun.Tx, m *message) ([]call, error) {
	command, to, _ := parseCommand(m.Text)
	known := slices.Contains([]string{
		"/start", "/help", "/me", "/sub", "/checkin", "/link", "/unlink",
		"/tickets", "/newticket",
	}, command)
	if !slices.Contains(b.settings.Get().TelegramGroups, m.Chat.ID) || !known ||
		(to != "" && !strings.EqualFold(to, b.Name())) || b.people.Allow(strconv.FormatInt(m.From.ID, 10)) != nil {
		return nil, nil
	}
	lang := b.langOf(ctx, *m.From)
	if command == "/checkin" {
		if _, err := b.accounts.ByTelegram(ctx, m.From.ID); err == nil {
			text, err := b.checkIn(ctx, tx, *m.From)
			return []call{send(m.Chat.ID, text).replyTo(m)}, err
		}
	}
	toBot := []button{{Text: buttonPrivate.In(lang), URL: "https://t.me/" + b.Name()}}
	return []call{send(m.Chat.ID, textPrivate.In(lang), toBot).replyTo(m)}, nil
}

// parseCommand reads a text such as "/start code" or, in groups, "/help@bot".
func parseCommand(text string) (command, to, rest string) {
	command, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	command, to, _ = strings.Cut(command, "@")
	return command, to, strings.TrimSpace(rest)
}

// menu is what stands under the bot's answers to a linked user.
func (b *Bot) menu(lang fault.Lang) [][]button {
	rows := [][]button{
		{{Text: buttonMe.In(lang), Data: pressMe}, {Text: buttonSub.In(lang), Data: pressSub}},
		{{Text: buttonSite.In(lang), URL: b.site + "/user/dashboard"}},
	}
	if b.tickets != nil {
		rows[1] = append([]button{{Text: buttonTickets.In(lang), Data: pressTickets}}, rows[1]...)
	}
	if b.settings.Get().CheckIn {
		rows[1] = append([]button{{Text: buttonCheckIn.In(lang), Data: pressCheckIn}}, rows[1]...)
	}
	return rows
}

// subscription tells a linked user their subscription links. The message cannot be forwarded.
func (b *Bot) subscription(ctx context.Context, tx bun.Tx, who person) (call, error) {
	lang := b.langOf(ctx, who)
	u, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return send(who.ID, say(lang, textNotLinked, b.site)), nil
	}
	if err != nil {
		return call{}, err
	}
	running, banned, err := b.services.RunningIn(ctx, tx, u.ID)
	switch {
	case err != nil:
		return call{}, err
	case banned:
		return send(who.ID, textIsBanned.In(lang)), nil
	case len(running) == 0:
		return send(who.ID, say(lang, textNoLink, b.site)), nil
	}
	links, err := b.links(ctx, tx, u.ID)
	if err != nil {
		return call{}, err
	}
	return send(who.ID, say(lang, textSub, strings.Join(links, "\n"), b.site)).protected(), nil
}

func (b *Bot) reply(
	ctx context.Context, tx bun.Tx, who person, command, rest string,
) (string, [][]button, error) {
	lang := b.langOf(ctx, who)
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
		return text, b.menu(lang), err
	case "/checkin":
		text, err := b.checkIn(ctx, tx, who)
		return text, nil, err
	case "/unlink":
		u, err := b.accounts.ByTelegram(ctx, who.ID)
		if errors.Is(err, account.ErrNoUser) {
			return say(lang, textNotLinked, b.site), nil, nil
		}
		return say(lang, textAskUnlink, mask(u.Email)),
			[][]button{{
				{Text: buttonUnlink.In(lang), Data: pressUnlink}, {Text: buttonKeep.In(lang), Data: pressKeep},
			}}, err
	}
	return say(lang, textHelp, b.settings.Get().SiteName), nil, nil
}

func (b *Bot) greet(ctx context.Context, who person) (string, [][]button, error) {
	lang := b.langOf(ctx, who)
	u, err := b.accounts.ByTelegram(ctx, who.ID)
	if errors.Is(err, account.ErrNoUser) {
		return say(lang, textNotLinked, b.site), nil, nil
	}
	return say(lang, textLinkedTo, mask(u.Email)) + "\n\n" + say(lang, textHelp, b.settings.Get().SiteName),
		b.menu(lang), err
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
	text := say(lang, textAskSignIn, b.settings.Get().SiteName, mask(u.Email), s.Number, sayDevice(lang, place.Device),
		sayArea(lang, place))
	return text, [][]button{
		{{Text: say(lang, buttonConfirm, s.Number), Data: pressConfirm + " " + id.String()}},
		{{Text: buttonDeny.In(lang), Data: pressDeny + " " + id.String()}},
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

// handleButton does what a button says and removes the buttons from its message.
func (b *Bot) handleButton(ctx context.Context, tx bun.Tx, c *callbackQuery) ([]call, error) {
	lang := b.langOf(ctx, c.From)
	word, rest, _ := strings.Cut(c.Data, " ")
	text := textStale.In(lang)
	switch word {
	case pressMe, pressSub, pressCheckIn: // the menu stays where it is
		m := message{From: &c.From, Chat: c.Message.Chat, Text: "/" + word}
		calls, err := b.answerMessage(ctx, tx, &m)
		return append([]call{answerCallback(c.ID, "")}, calls...), err
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

// status tells a linked user what they have.
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
