-- +goose Up

-- What staff and the operator changed: written in the transaction of the change and never again. mac proves that a server
-- wrote the row; it covers every other column but id.
CREATE TABLE audit_entry (
	id         {{id}},
	key        {{uuid}} NOT NULL UNIQUE,
	at         {{time}} NOT NULL,
	actor      {{text}} NOT NULL CHECK (actor IN ('member', 'token', 'operator')),
	actor_id   {{int}}, -- account of the member, of the token's owner, or of the member whom the operator named
	actor_role {{text}} NOT NULL, -- that the member had; none for tokens and the operator
	actor_name {{text}} NOT NULL, -- the operator's name on the machine; none for the others
	address    {{text}} NOT NULL,
	request_id {{text}} NOT NULL,
	action     {{text}} NOT NULL CHECK (action <> ''),
	object     {{text}} NOT NULL CHECK (object <> ''),
	object_id  {{text}} NOT NULL,
	before     {{text}} NOT NULL,
	after      {{text}} NOT NULL,
	reason     {{text}} NOT NULL,
	mac        {{blob}} NOT NULL,
	CHECK (actor = 'operator' OR actor_id IS NOT NULL)
) {{strict}};
CREATE INDEX audit_entry_actor ON audit_entry (actor_id, id);
CREATE INDEX audit_entry_object ON audit_entry (object, object_id, id);
CREATE INDEX audit_entry_action ON audit_entry (action, id);

-- The chain: each seal holds the hash of the one before, so that no sealed entry is changed, taken or put between others.
CREATE TABLE audit_seal (
	seq      {{int}} PRIMARY KEY CHECK (seq > 0),
	entry_id {{int}} NOT NULL UNIQUE,
	hash     {{blob}} NOT NULL,
	at       {{time}} NOT NULL
) {{strict}};

-- The end of the chain, so that it is not cut short. mac proves that a server wrote it.
CREATE TABLE audit_head (
	id   {{int}} PRIMARY KEY CHECK (id = 1),
	seq  {{int}} NOT NULL,
	hash {{blob}} NOT NULL,
	mac  {{blob}} NOT NULL
) {{strict}};

-- +goose StatementBegin
{{append_only audit_entry}}
-- +goose StatementEnd
-- +goose StatementBegin
{{append_only audit_seal}}
-- +goose StatementEnd
