-- +goose Up

-- What the operator announces to users. In titles and bodies are the texts of single languages; title and body are for
-- readers of the others. Bodies are Markdown.
CREATE TABLE announcement (
	id           {{id}},
	type         {{text}} NOT NULL CHECK (type IN ('index_ann', 'pop_up_ann', 'maintenance')),
	title        {{text}} NOT NULL, -- empty only where the older API wrote a text without a heading
	titles       {{json}} NOT NULL,
	body         {{text}} NOT NULL,
	bodies       {{json}} NOT NULL,
	starts_at    {{time}} NOT NULL,
	ends_at      {{time}}, -- none: until somebody removes it
	pinned       {{bool}} NOT NULL,
	audience     {{text}} NOT NULL CHECK (audience IN ('all', 'plan', 'class', 'group')),
	audience_ids {{json}} NOT NULL, -- plans, classes or node groups; for all there are none
	created_at   {{time}} NOT NULL,
	updated_at   {{time}} NOT NULL,
	CHECK (ends_at IS NULL OR ends_at > starts_at),
	CHECK (title <> '' OR body <> ''),
	CHECK ((audience = 'all') = (audience_ids = '[]'))
) {{strict}};

-- Who has seen what.
CREATE TABLE announcement_read (
	user_id         {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	announcement_id {{int}} NOT NULL REFERENCES announcement (id) ON DELETE CASCADE,
	read_at         {{time}} NOT NULL,
	PRIMARY KEY (user_id, announcement_id)
) {{clustered}};
CREATE INDEX announcement_read_by ON announcement_read (announcement_id);
