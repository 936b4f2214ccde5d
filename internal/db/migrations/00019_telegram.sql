-- +goose Up
-- Sign-ins that a page began and a Telegram account has to confirm.
CREATE TABLE telegram_sign_in (
	id           {{uuid}} PRIMARY KEY, -- jti of the page's login_code token
	number       {{int}} NOT NULL CHECK (number BETWEEN 10 AND 99), -- shown by the page and by the bot
	ip           {{text}} NOT NULL, -- of the page
	user_agent   {{text}} NOT NULL,
	telegram_id  {{int}}, -- who opened the link first; nobody else can confirm
	created_at   {{time}} NOT NULL,
	expires_at   {{time}} NOT NULL,
	confirmed_at {{time}},
	denied_at    {{time}},
	used_at      {{time}},
	CHECK (telegram_id IS NOT NULL OR (confirmed_at IS NULL AND denied_at IS NULL)),
	CHECK (confirmed_at IS NULL OR denied_at IS NULL),
	CHECK (used_at IS NULL OR confirmed_at IS NOT NULL)
) {{strict}};
CREATE INDEX telegram_sign_in_expires ON telegram_sign_in (expires_at);

-- The one code of a user by which a Telegram account can be linked; gone once it is used.
CREATE TABLE telegram_link_code (
	account_id {{int}} PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
	id         {{uuid}} NOT NULL UNIQUE, -- jti of the user_link_tg token
	ip         {{text}} NOT NULL, -- of who asked for it
	user_agent {{text}} NOT NULL,
	created_at {{time}} NOT NULL,
	expires_at {{time}} NOT NULL
) {{strict}};

-- Updates that were handled. Telegram repeats one until it knows that it arrived, and forgets it after a day.
CREATE TABLE telegram_update (
	bot_id    {{int}} NOT NULL,
	update_id {{int}} NOT NULL,
	at        {{time}} NOT NULL,
	PRIMARY KEY (bot_id, update_id)
) {{strict}};
CREATE INDEX telegram_update_at ON telegram_update (at);

-- Which process polls for a bot's updates, and until when it may.
CREATE TABLE telegram_poller (
	bot_id  {{int}} PRIMARY KEY,
	process {{uuid}} NOT NULL,
	until   {{time}} NOT NULL
) {{strict}};
