-- +goose Up
-- The list of what audit rules stopped is read by key, and narrowed by the user, the rule and the node.
DROP INDEX rule_hit_at;
DROP INDEX rule_hit_user;
CREATE INDEX rule_hit_at ON rule_hit (at, id);
CREATE INDEX rule_hit_user ON rule_hit (user_id, at, id);
CREATE INDEX rule_hit_rule ON rule_hit (rule_id, at, id);
CREATE INDEX rule_hit_node ON rule_hit (node_id, at, id);
