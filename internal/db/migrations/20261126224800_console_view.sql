-- +goose Up
-- Lists of the console as members of staff saved them: what they are narrowed by, and how they look.
CREATE TABLE console_view (
	id         {{id}},
	owner_id   {{int}} NOT NULL REFERENCES account (id),
	resource   {{text}} NOT NULL CHECK (resource <> ''), -- the list, by the name that the console has for it
	name       {{text}} NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
	is_shared  {{bool}} NOT NULL, -- whether other members see it
	position   {{int}} NOT NULL, -- among the views of its owner
	search     {{text}} NOT NULL CHECK (length(search) <= 2000), -- filters and sort, as in the address
	columns    {{text}} NOT NULL CHECK (length(columns) <= 2000), -- keys in their order, with commas; empty: the usual ones
	is_dense   {{bool}} NOT NULL,
	created_at {{time}} NOT NULL,
	updated_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX console_view_owner ON console_view (owner_id, resource, position, id);
CREATE INDEX console_view_shared ON console_view (resource, id) WHERE is_shared;

-- How a member of staff last had a list without a view look.
CREATE TABLE console_layout (
	owner_id   {{int}} NOT NULL REFERENCES account (id),
	resource   {{text}} NOT NULL CHECK (resource <> ''),
	columns    {{text}} NOT NULL CHECK (length(columns) <= 2000),
	is_dense   {{bool}} NOT NULL,
	updated_at {{time}} NOT NULL,
	PRIMARY KEY (owner_id, resource)
) {{clustered}};
