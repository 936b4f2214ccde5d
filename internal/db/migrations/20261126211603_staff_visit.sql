-- +goose Up
-- Visits: a member of staff sees the site as a user does. A visit has no refresh token, and its access token is good while
-- the session runs in which the member began it.
CREATE TABLE staff_visit (
    id                {{uuid}} PRIMARY KEY, -- jti of the access token
    account_id        {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    member_id         {{int}} REFERENCES account (id) ON DELETE CASCADE, -- NULL: the operator
    member_session_id {{uuid}} REFERENCES session (id) ON DELETE CASCADE,
    code_hash         {{blob}} NOT NULL UNIQUE, -- SHA-256 of the code that opens it once
    created_at        {{time}} NOT NULL,
    opened_at         {{time}}, -- NULL: the code was not used yet
    expires_at        {{time}} NOT NULL, -- until opened that of the code
    ended_at          {{time}},
    CHECK ((member_id IS NULL) = (member_session_id IS NULL))
) {{strict}};
CREATE INDEX staff_visit_account ON staff_visit (account_id) WHERE ended_at IS NULL;
CREATE INDEX staff_visit_member_session ON staff_visit (member_session_id);
CREATE INDEX staff_visit_member ON staff_visit (member_id);
CREATE INDEX staff_visit_running ON staff_visit (expires_at) WHERE ended_at IS NULL;
CREATE INDEX staff_visit_created ON staff_visit (created_at);
