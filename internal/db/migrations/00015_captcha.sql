-- +goose Up
CREATE TABLE captcha_challenge (
	id          {{uuid}} PRIMARY KEY,
	ip          {{text}} NOT NULL, -- that asked; nobody else can answer
	network     {{text}} NOT NULL, -- the IPv4 address or the IPv6 /64, as it is counted
	puzzles     {{int}} NOT NULL CHECK (puzzles > 0),
	zeros       {{int}} NOT NULL CHECK (zeros > 0), -- hex digits
	created_at  {{time}} NOT NULL,
	verified_at {{time}},
	consumed_at {{time}} CHECK (consumed_at >= verified_at)
) {{strict}};
CREATE INDEX captcha_challenge_network ON captcha_challenge (network, created_at);
CREATE INDEX captcha_challenge_created ON captcha_challenge (created_at);
