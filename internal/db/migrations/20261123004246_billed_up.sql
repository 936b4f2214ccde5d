-- +goose Up
-- What of the billed bytes went up; the rest went down. What was billed before is split as the moved bytes were.
ALTER TABLE service_cycle ADD COLUMN billed_up {{int}} NOT NULL DEFAULT 0 CHECK (billed_up >= 0 AND billed_up <= billed);
UPDATE service_cycle SET billed_up = CASE WHEN down = 0 THEN billed
	WHEN billed < 4503599627370496 THEN CAST(billed * (up * 1.0 / (up + down)) AS {{int}})
	ELSE billed / 1000000 * CAST(1000000 * (up * 1.0 / (up + down)) AS {{int}}) END
WHERE up > 0 AND billed > 0;

ALTER TABLE package ADD COLUMN used_up {{int}} NOT NULL DEFAULT 0 CHECK (used_up >= 0 AND used_up <= used);
UPDATE package SET used_up = CASE WHEN down = 0 THEN used
	WHEN used < 4503599627370496 THEN CAST(used * (up * 1.0 / (up + down)) AS {{int}})
	ELSE used / 1000000 * CAST(1000000 * (up * 1.0 / (up + down)) AS {{int}}) END
WHERE up > 0 AND used > 0;
