-- +goose Up

-- Codes that users made beside the one that each account has. A row with is_given is for that one, and tells only what it
-- is called and whether it is disabled.
CREATE TABLE invite_code (
    id          {{id}},
    user_id     {{int}} NOT NULL REFERENCES account (id),
    code        {{text}} NOT NULL CHECK (code <> ''),
    folded      {{text}} NOT NULL UNIQUE CHECK (folded = lower(code)), -- codes differ by more than the case of letters
    label       {{text}} NOT NULL,
    is_given    {{bool}} NOT NULL,
    created_at  {{time}} NOT NULL,
    disabled_at {{time}}
) {{strict}};
CREATE INDEX invite_code_user ON invite_code (user_id, id);

-- Who signed up with which of these codes. Who is not here used the given one.
CREATE TABLE invite_use (
    user_id {{int}} PRIMARY KEY REFERENCES account (id),
    code_id {{int}} NOT NULL REFERENCES invite_code (id)
) {{strict}};
CREATE INDEX invite_use_code ON invite_use (code_id);
