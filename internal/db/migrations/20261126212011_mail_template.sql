-- +goose Up
-- What mails of a kind say in one language, where staff changed it. All others are built in.
CREATE TABLE mail_template (
	kind       {{text}} NOT NULL,
	lang       {{text}} NOT NULL CHECK (lang IN ('zh-CN', 'en')),
	subject    {{text}} NOT NULL CHECK (subject <> ''),
	body       {{text}} NOT NULL CHECK (body <> ''),
	updated_by {{int}} REFERENCES account (id),
	updated_at {{time}} NOT NULL,
	PRIMARY KEY (kind, lang)
) {{strict}};
