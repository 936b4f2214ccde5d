-- +goose Up
-- Indexes that give pages of the lists of the console by themselves: those of a filter in the order of a sort, and those by
-- one time or number in the order of another, without a look-up of each row (listing.Index).
DROP INDEX user_facts_created;
CREATE INDEX user_facts_created ON user_facts (created_at, user_id, ends_at, used_percent, balance);
DROP INDEX user_facts_ends;
CREATE INDEX user_facts_ends ON user_facts (ends_at, user_id, created_at, used_percent, balance);
DROP INDEX user_facts_used;
CREATE INDEX user_facts_used ON user_facts (used_percent, user_id, created_at, ends_at, balance, plan_id, state);
DROP INDEX user_facts_balance;
CREATE INDEX user_facts_balance ON user_facts (balance, user_id, created_at, ends_at, used_percent);
DROP INDEX user_facts_state;
CREATE INDEX user_facts_state ON user_facts (state, ends_at, user_id, used_percent, balance);
DROP INDEX user_facts_plan;
CREATE INDEX user_facts_plan ON user_facts (plan_id, ends_at, user_id, used_percent, balance);

DROP INDEX shop_order_created;
CREATE INDEX shop_order_created ON shop_order (created_at, id, paid_at, amount, kind, plan_id);
DROP INDEX shop_order_paid;
CREATE INDEX shop_order_paid ON shop_order (paid_at, id, created_at, amount);
DROP INDEX shop_order_amount;
CREATE INDEX shop_order_amount ON shop_order (amount, id, created_at, paid_at);
DROP INDEX shop_order_state;
CREATE INDEX shop_order_state ON shop_order (state, amount, id, paid_at, created_at);
DROP INDEX shop_order_kind;
CREATE INDEX shop_order_kind ON shop_order (kind, amount, id, paid_at, created_at);
CREATE INDEX shop_order_plan_amount ON shop_order (plan_id, amount, id, paid_at, created_at);

DROP INDEX recharge_created;
CREATE INDEX recharge_created ON recharge (created_at, id, paid_at, amount);
DROP INDEX recharge_paid;
CREATE INDEX recharge_paid ON recharge (paid_at, id, created_at, amount);
DROP INDEX recharge_amount;
CREATE INDEX recharge_amount ON recharge (amount, id, created_at, paid_at);
DROP INDEX recharge_state;
CREATE INDEX recharge_state ON recharge (state, amount, id, paid_at, created_at);

DROP INDEX service_started;
CREATE INDEX service_started ON service (started_at, id, ends_at);
DROP INDEX service_ends;
CREATE INDEX service_ends ON service (ends_at, id, started_at);

DROP INDEX invoice_created;
CREATE INDEX invoice_created ON invoice (created_at, id, total);
DROP INDEX invoice_total;
CREATE INDEX invoice_total ON invoice (total, id, created_at);
DROP INDEX invoice_kind;
CREATE INDEX invoice_kind ON invoice (reference_kind, total, id, created_at);
