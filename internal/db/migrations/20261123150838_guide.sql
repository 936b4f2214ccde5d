-- +goose Up

-- Help pages that staff writes. In titles, bodies and categories are the texts of single languages; title, body and
-- category are for readers of the others. Bodies are Markdown.
CREATE TABLE guide (
	id         {{id}},
	slug       {{text}} NOT NULL UNIQUE CHECK (slug <> ''), -- names it in its address
	title      {{text}} NOT NULL CHECK (title <> ''),
	titles     {{json}} NOT NULL,
	body       {{text}} NOT NULL CHECK (body <> ''),
	bodies     {{json}} NOT NULL,
	category   {{text}} NOT NULL CHECK (category <> ''),
	categories {{json}} NOT NULL,
	client_id  {{text}} REFERENCES link_app (id) ON DELETE SET NULL, -- the program that it is about
	systems    {{json}} NOT NULL, -- those that it is about; none: all
	position   {{int}} NOT NULL CHECK (position >= 0),
	published  {{bool}} NOT NULL,
	created_at {{time}} NOT NULL,
	updated_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX guide_client ON guide (client_id);

-- The guides of ours that the site has been given, so that one that staff removed does not come back.
CREATE TABLE guide_seed (
	slug     {{text}} PRIMARY KEY,
	given_at {{time}} NOT NULL
) {{clustered}};
