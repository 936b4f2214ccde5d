-- +goose Up
-- One for each thing that lists of orders and recharges are filtered and sorted by.
CREATE INDEX shop_order_created ON shop_order (created_at, id);
CREATE INDEX shop_order_paid ON shop_order (paid_at, id);
CREATE INDEX shop_order_amount ON shop_order (amount, id);
CREATE INDEX shop_order_state ON shop_order (state, id);
CREATE INDEX shop_order_kind ON shop_order (kind, id);
CREATE INDEX shop_order_coupon_id ON shop_order (coupon_id, id);
CREATE INDEX recharge_created ON recharge (created_at, id);
CREATE INDEX recharge_paid ON recharge (paid_at, id);
CREATE INDEX recharge_amount ON recharge (amount, id);
CREATE INDEX recharge_state ON recharge (state, id);
CREATE INDEX recharge_gateway ON recharge (gateway, id);
CREATE INDEX recharge_transaction ON recharge (transaction_id);
