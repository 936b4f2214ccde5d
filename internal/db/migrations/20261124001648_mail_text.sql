-- +goose Up
-- What mails of one announcement have in common.
CREATE TABLE mail_text (
	id         {{id}},
	sealed     {{blob}} NOT NULL,
	created_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX mail_text_created ON mail_text (created_at);
ALTER TABLE mail ADD COLUMN text_id {{int}} REFERENCES mail_text (id);
CREATE INDEX mail_text_of ON mail (text_id) WHERE text_id IS NOT NULL;
