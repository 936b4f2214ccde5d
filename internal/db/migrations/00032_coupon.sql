-- +goose Up
CREATE TABLE coupon (
	id         {{id}},
	code       {{text}} NOT NULL UNIQUE CHECK (code <> '' AND code = upper(code)),
	percent    {{int}} CHECK (percent BETWEEN 1 AND 100),
	amount     {{int}} CHECK (amount > 0),
	valid_from {{time}} NOT NULL,
	valid_to   {{time}} CHECK (valid_to > valid_from), -- null: until staff switches it off
	total      {{int}} CHECK (total > 0), -- orders that it may be used for; null: no limit
	per_user   {{int}} CHECK (per_user > 0), -- the same of one user
	plans      {{json}} NOT NULL, -- ids; empty: all
	months     {{json}} NOT NULL, -- periods, 0 for packages; empty: all
	first_only {{bool}} NOT NULL, -- for the first order of a user
	minimum    {{int}} NOT NULL CHECK (minimum >= 0), -- price from which on it counts
	taken      {{int}} NOT NULL CHECK (taken >= 0), -- by orders that wait and orders that are paid
	made_by    {{int}}, -- member of staff; null: at the command line
	created_at {{time}} NOT NULL,
	enabled    {{bool}} NOT NULL, -- whether orders may begin with it; those that did keep it
	CHECK ((percent IS NULL) <> (amount IS NULL)),
	CHECK (total IS NULL OR taken <= total)
) {{strict}};

ALTER TABLE shop_order ADD COLUMN coupon_id {{int}} REFERENCES coupon (id);
CREATE INDEX shop_order_coupon ON shop_order (coupon_id, user_id) WHERE coupon_id IS NOT NULL;
