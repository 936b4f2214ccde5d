-- +goose Up
-- The first owner of the site, of whom there is one: whoever comes second is refused by the key.
CREATE TABLE first_owner (
	id         {{int}} PRIMARY KEY CHECK (id = 1),
	account_id {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	at         {{time}} NOT NULL
) {{strict}};
INSERT INTO first_owner (id, account_id, at) SELECT 1, id, created_at FROM account WHERE role = 'owner' ORDER BY id LIMIT 1;

-- The codes with which one becomes the first owner: one of each running server, until there is an owner.
CREATE TABLE setup_code (
	hash        {{blob}} PRIMARY KEY, -- SHA-256 of the code, which is random
	alive_until {{time}} NOT NULL -- of the server that printed it, which puts this off while it runs
) {{strict}};
