-- +goose Up

-- Roles that owners made, each of some permissions. The names of the built-in ones are never among them.
CREATE TABLE staff_role (
	id          {{id}},
	name        {{text}} NOT NULL UNIQUE CHECK (name NOT IN ('', 'owner', 'admin', 'finance', 'support', 'viewer')),
	permissions {{json}} NOT NULL,
	revision    {{int}} NOT NULL, -- grows with each change of the permissions
	created_at  {{time}} NOT NULL
) {{strict}};

-- A member's role is a built-in one, or one of the table above, which then cannot be removed. SQLite changes the checks of a
-- table no other way: https://www.sqlite.org/lang_altertable.html#otheralter
{{sqlite}} PRAGMA writable_schema = ON;
{{sqlite}} UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (role IN ('''', ''owner'', ''admin'', ''finance'', ''support'', ''viewer''))', '') WHERE type = 'table' AND name = 'account';
{{sqlite}} PRAGMA writable_schema = RESET;
{{postgres}} ALTER TABLE account DROP CONSTRAINT account_role_check;
ALTER TABLE account ADD COLUMN own_role {{text}} GENERATED ALWAYS AS
	(CASE WHEN role NOT IN ('', 'owner', 'admin', 'finance', 'support', 'viewer') THEN role END) {{computed}} REFERENCES staff_role (name);
CREATE INDEX account_own_role ON account (own_role) WHERE own_role IS NOT NULL;
CREATE INDEX account_staff ON account (role) WHERE role <> '';
