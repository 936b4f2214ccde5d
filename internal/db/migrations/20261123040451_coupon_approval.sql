-- +goose Up

-- A coupon that waits for a second member of staff is taken by no order.
ALTER TABLE coupon ADD COLUMN waits {{bool}} NOT NULL DEFAULT {{false}} CHECK (NOT waits OR taken = 0);
-- A change that waits; until it is approved the coupon is as it was.
ALTER TABLE coupon ADD COLUMN proposed {{json}} CHECK (proposed IS NULL OR NOT waits);
