-- +goose Up

-- A coupon that a second member of staff declined is dead for good.
ALTER TABLE coupon ADD COLUMN declined {{bool}} NOT NULL DEFAULT {{false}}
	CHECK (NOT declined OR (NOT enabled AND NOT waits AND proposed IS NULL AND taken = 0));

-- Those whose first act was declined, and which nobody has used or switched on since.
UPDATE coupon SET declined = {{true}} WHERE NOT enabled AND NOT waits AND proposed IS NULL AND taken = 0 AND (
	SELECT g.state FROM staff_grant g WHERE g.kind = 'coupon' AND g.reference_id = coupon.id ORDER BY g.id LIMIT 1) = 'declined';
