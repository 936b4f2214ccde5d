-- +goose Up
-- +goose StatementBegin
{{locking_triggers user_facts}}
-- +goose StatementEnd

-- A purchase beside a change of the same account left the state of before the purchase.
UPDATE user_facts SET state = (SELECT CASE WHEN u.closed_at IS NOT NULL THEN 'closed' WHEN u.banned_at IS NOT NULL THEN 'banned'
    ELSE COALESCE(a.state, 'none') END FROM account u LEFT JOIN access a ON a.user_id = u.id WHERE u.id = user_facts.user_id)
WHERE state <> (SELECT CASE WHEN u.closed_at IS NOT NULL THEN 'closed' WHEN u.banned_at IS NOT NULL THEN 'banned'
    ELSE COALESCE(a.state, 'none') END FROM account u LEFT JOIN access a ON a.user_id = u.id WHERE u.id = user_facts.user_id);
