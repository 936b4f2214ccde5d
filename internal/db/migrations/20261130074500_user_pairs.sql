-- +goose Up
-- Users of a state or of a plan are read in the order of a sort: where all who match are at the order's far end, such as
-- expired users by when they were last seen, following the index of the sort alone passes nearly everybody.
CREATE INDEX user_facts_state_seen ON user_facts (state, seen_at, user_id);
CREATE INDEX user_facts_state_balance ON user_facts (state, balance, user_id);
CREATE INDEX user_facts_state_used ON user_facts (state, used_percent, user_id);
CREATE INDEX user_facts_plan_used ON user_facts (plan_id, used_percent, user_id);
CREATE INDEX user_facts_plan_created ON user_facts (plan_id, created_at, user_id);
