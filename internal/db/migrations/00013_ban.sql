-- +goose Up
-- account.banned_at and access.banned follow this table: a user is banned while a task is started and not ended.
CREATE TABLE ban_task (
	id         {{id}},
	account_id {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	starts_at  {{time}} NOT NULL,
	ends_at    {{time}} CHECK (ends_at > starts_at), -- null: until somebody ends it
	reason     {{text}} NOT NULL, -- shown to the user
	remark     {{text}} NOT NULL, -- for staff
	mail       {{bool}} NOT NULL, -- whether the user is told by e-mail
	made_by    {{int}} REFERENCES account (id) ON DELETE SET NULL, -- null: at the command line
	created_at {{time}} NOT NULL,
	started_at {{time}},
	ended_at   {{time}},
	ended_by   {{int}} REFERENCES account (id) ON DELETE SET NULL -- null: time ended it, or the command line
) {{strict}};
CREATE INDEX ban_task_account ON ban_task (account_id);
CREATE INDEX ban_task_start ON ban_task (starts_at) WHERE started_at IS NULL AND ended_at IS NULL;
CREATE INDEX ban_task_end ON ban_task (ends_at) WHERE ended_at IS NULL;
CREATE INDEX ban_task_made_by ON ban_task (made_by);
CREATE INDEX ban_task_ended_by ON ban_task (ended_by);

-- Addresses that may not ask the site anything for a time.
CREATE TABLE ip_ban (
	id         {{id}},
	network    {{text}} NOT NULL, -- CIDR
	starts_at  {{time}} NOT NULL,
	ends_at    {{time}} NOT NULL CHECK (ends_at > starts_at),
	reason     {{text}} NOT NULL, -- shown to who is refused
	remark     {{text}} NOT NULL, -- for staff
	made_by    {{int}} REFERENCES account (id) ON DELETE SET NULL,
	created_at {{time}} NOT NULL,
	ended_at   {{time}}, -- when somebody ended it
	ended_by   {{int}} REFERENCES account (id) ON DELETE SET NULL
) {{strict}};
CREATE INDEX ip_ban_network ON ip_ban (network);
CREATE INDEX ip_ban_end ON ip_ban (ends_at) WHERE ended_at IS NULL;
CREATE INDEX ip_ban_made_by ON ip_ban (made_by);
CREATE INDEX ip_ban_ended_by ON ip_ban (ended_by);
