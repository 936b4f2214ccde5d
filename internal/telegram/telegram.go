// Package telegram is the site's bot: it links Telegram accounts to users, confirms sign-ins that a page began, and
// tells linked users how they stand. Without a bot's token nothing of it is offered.
package telegram

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"airstrip/internal/account"
	"airstrip/internal/audit"
	"airstrip/internal/checkin"
	"airstrip/internal/db"
	"airstrip/internal/fault"
	"airstrip/internal/job"
	"airstrip/internal/limit"
	"airstrip/internal/seal"
	"airstrip/internal/secret"
	"airstrip/internal/service"
	"airstrip/internal/setting"
	"airstrip/internal/ticket"
	"airstrip/internal/token"
)

// Bot is the one bot of the site.
type Bot struct {
	db       *db.DB
	key      seal.Key
	settings *setting.Settings
	secrets  *secret.Secrets
	tokens   *token.Tokens
	accounts *account.Accounts
	services *service.Services
	checkIns *checkin.CheckIns
	links    LinksOf
	tickets  *ticket.Tickets // nil: the bot knows of none
	log      *audit.Log
	site     string
	api      string
	client   *http.Client
	process  uuid.UUID            // names this process among those that may poll
	self     atomic.Pointer[self] // nil while there is no bot
	people   *limit.Limiter       // updates by Telegram account
	networks *limit.Limiter       // begun sign-ins
	pages    *limit.Limiter       // questions of a page that waits
}

// LinksOf gives the subscription links of a user as part of a transaction.
type LinksOf func(ctx context.Context, tx bun.Tx, userID int64) ([]string, error)

// ShowLinks has the bot tell users their subscription links. It is called before the bot runs.
func (b *Bot) ShowLinks(links LinksOf) { b.links = links }

// ShowTickets has users write to staff by the bot, and staff answer in the group of the setting; what members do there
// is recorded in log. It is called before the bot runs.
func (b *Bot) ShowTickets(tickets *ticket.Tickets, log *audit.Log) { b.tickets, b.log = tickets, log }

// self is the bot as Telegram knows it.
type self struct {
	token string
	id    int64
	name  string // without @
}

// New gives the bot of a site. site is the address that users see, api that of the Bot API, both without closing slash.
func New(
	d *db.DB, key seal.Key, settings *setting.Settings, secrets *secret.Secrets, tokens *token.Tokens,
	accounts *account.Accounts, services *service.Services, checkIns *checkin.CheckIns, site, api string,
) *Bot {
	b := &Bot{
		db: d, key: key, settings: settings, secrets: secrets, tokens: tokens, accounts: accounts, services: services,
		checkIns: checkIns, site: site, api: api,
		client: &http.Client{Timeout: pollTime + callTime}, process: uuid.New(),
		people: limit.Per(time.Minute, 20), networks: limit.Per(10*time.Minute, 30), pages: limit.Per(time.Minute, 150),
	}
	accounts.Credentials.OnChange(b.voidCodes)
	return b
}

// ErrNoBot is the fault of everything that needs a bot where the site has none, or Telegram cannot be reached.
var ErrNoBot = fault.Unavailable("telegram_unavailable", "Telegram 暂不可用，请使用其他方式",
	"Telegram is not available at the moment; please use another way")

// Name is the bot's user name without @; empty while there is no bot.
func (b *Bot) Name() string {
	if me := b.self.Load(); me != nil {
		return me.name
	}
	return ""
}

// link is an address that opens the bot with a code to start with.
func (b *Bot) link(code string) string { return "https://t.me/" + b.Name() + "?start=" + code }

// Register puts the forgetting of what is past on the timetable.
func (b *Bot) Register(q *job.Queue) {
	q.Every("telegram.forget", b.deleteOld)
}

const updatesKept = 48 * time.Hour // Telegram repeats an update for a day at most

func (b *Bot) deleteOld(ctx context.Context) error {
	now := b.db.Now()
	return b.db.LongTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		for _, old := range []*bun.DeleteQuery{
			tx.NewDelete().Table("telegram_sign_in").Where("expires_at < ?", now.Add(-time.Hour)),
			tx.NewDelete().Table("telegram_link_code").Where("expires_at < ?", now),
			tx.NewDelete().Table("telegram_update").Where("at < ?", now.Add(-updatesKept)),
		} {
			if _, err := old.Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
