-- +goose Up
-- What one purchase of the service brings: of a quota that never resets, each renewal adds this to quota_bytes.
ALTER TABLE service ADD COLUMN term_bytes {{int}} CHECK (term_bytes > 0 AND term_bytes <= 1125899906842624 AND term_bytes <= quota_bytes);
UPDATE service SET term_bytes = quota_bytes;

-- The part of a quota that never resets which the order brought: from the byte after this one up to and with that one.
ALTER TABLE fulfilment ADD COLUMN after_byte {{int}} CHECK (after_byte >= 0);
ALTER TABLE fulfilment ADD COLUMN to_byte {{int}} CHECK (to_byte > after_byte);
-- Until now the periods of such a service shared one quota.
UPDATE fulfilment SET after_byte = 0, to_byte = v.quota_bytes FROM service v
	WHERE v.id = fulfilment.service_id AND v.reset = 'never' AND v.quota_bytes IS NOT NULL;
