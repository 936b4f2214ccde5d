-- +goose Up
-- What the console lists users by, one row for each account. Triggers write it in the transaction of the fact, so that no
-- part of the program can forget to; the doctor computes all of it anew and compares.
CREATE TABLE user_facts (
    user_id      {{int}} PRIMARY KEY,
    email        {{bytewise}} NOT NULL,
    domain       {{bytewise}} NOT NULL, -- of the address, behind the @
    name         {{bytewise}} NOT NULL, -- with the letters A to Z in lower case
    role         {{text}} NOT NULL,
    state        {{text}} NOT NULL CHECK (state IN ('active', 'none', 'exhausted', 'expired', 'banned', 'closed')),
    plan_id      {{int}},  -- of the service that runs the longest; null: none runs
    ends_at      {{time}}, -- of that service; where none runs, when the last one ended
    used_bytes   {{int}},  -- of that service's cycle, rounded down to 64 MiB, so that not every report writes here
    quota_bytes  {{int}},  -- of that service; null: unlimited, or none runs
    used_percent {{int}} CHECK (used_percent BETWEEN 0 AND 100),
    balance      {{int}} NOT NULL,
    inviter_id   {{int}},
    area         {{text}} NOT NULL, -- that the link was last fetched from; empty: it never was
    seen_at      {{time}}, -- the newest sign-in or refresh of a session
    fetches      {{int}} NOT NULL CHECK (fetches >= 0), -- of the link that the log has
    fetched_at   {{time}},
    created_at   {{time}} NOT NULL
) {{strict}};

INSERT INTO user_facts (user_id, email, domain, name, role, state, plan_id, ends_at, used_bytes, quota_bytes, used_percent,
    balance, inviter_id, area, seen_at, fetches, fetched_at, created_at)
SELECT u.id, u.email, substr(u.email, length(rtrim(u.email, replace(u.email, '@', ''))) + 1), {{lower u.name}}, u.role,
    CASE WHEN u.closed_at IS NOT NULL THEN 'closed' WHEN u.banned_at IS NOT NULL THEN 'banned' ELSE COALESCE(a.state, 'none') END,
    CASE WHEN v.ended_at IS NULL THEN v.plan_id END, COALESCE(v.ended_at, v.ends_at),
    CASE WHEN v.ended_at IS NULL THEN c.billed / 67108864 * 67108864 END, CASE WHEN v.ended_at IS NULL THEN v.quota_bytes END,
    CASE WHEN v.ended_at IS NULL THEN CASE WHEN c.billed / 67108864 * 67108864 >= v.quota_bytes THEN 100
        ELSE c.billed / 67108864 * 67108864 * 100 / v.quota_bytes END END,
    COALESCE(l.posted, 0), u.invited_by,
    CASE WHEN u.closed_at IS NULL THEN COALESCE((SELECT f.area FROM link_fetch f WHERE f.user_id = u.id ORDER BY f.id DESC LIMIT 1), '')
        ELSE '' END,
    CASE WHEN u.closed_at IS NULL THEN CASE WHEN u.signed_in_at IS NULL OR u.signed_in_at < s.seen_at THEN s.seen_at ELSE u.signed_in_at END END,
    COALESCE(n.fetches, 0), n.fetched_at, u.created_at
FROM account u
LEFT JOIN access a ON a.user_id = u.id
LEFT JOIN ledger_account l ON l.user_id = u.id AND l.kind = 'wallet'
LEFT JOIN (SELECT account_id, MAX(seen_at) AS seen_at FROM session GROUP BY account_id) s ON s.account_id = u.id
LEFT JOIN (SELECT user_id, COUNT(*) AS fetches, MAX(fetched_at) AS fetched_at FROM link_fetch GROUP BY user_id) n ON n.user_id = u.id
LEFT JOIN service v ON v.id = (SELECT w.id FROM service w WHERE w.user_id = u.id
    ORDER BY (w.ended_at IS NULL) DESC, COALESCE(w.ended_at, w.ends_at) DESC, w.id DESC LIMIT 1)
LEFT JOIN service_cycle c ON c.service_id = v.id AND c.cycle = v.cycle;

-- One for each thing that lists are filtered and sorted by.
CREATE INDEX user_facts_email ON user_facts (email);
CREATE INDEX user_facts_domain ON user_facts (domain, user_id);
CREATE INDEX user_facts_name ON user_facts (name);
CREATE INDEX user_facts_role ON user_facts (role, user_id);
CREATE INDEX user_facts_state ON user_facts (state, user_id);
CREATE INDEX user_facts_plan ON user_facts (plan_id, user_id);
CREATE INDEX user_facts_ends ON user_facts (ends_at, user_id);
CREATE INDEX user_facts_used ON user_facts (used_percent, user_id);
CREATE INDEX user_facts_balance ON user_facts (balance, user_id);
CREATE INDEX user_facts_inviter ON user_facts (inviter_id, user_id);
CREATE INDEX user_facts_area ON user_facts (area, user_id);
CREATE INDEX user_facts_seen ON user_facts (seen_at, user_id);
CREATE INDEX user_facts_fetches ON user_facts (fetches, user_id);
CREATE INDEX user_facts_created ON user_facts (created_at, user_id);

-- Words that staff puts on what it lists.
CREATE TABLE staff_label (
    object     {{text}} NOT NULL CHECK (object IN ('user', 'order', 'recharge')),
    object_id  {{int}} NOT NULL,
    label      {{text}} NOT NULL CHECK (label <> ''),
    made_by    {{int}}, -- member of staff; null: the operator
    created_at {{time}} NOT NULL,
    PRIMARY KEY (object, object_id, label)
) {{strict}};
CREATE INDEX staff_label_label ON staff_label (object, label, object_id);

-- +goose StatementBegin
{{triggers user_facts}}
-- +goose StatementEnd
