-- +goose Up

-- The site's accounts with payment platforms.
CREATE TABLE payment_gateway (
	id          {{id}},
	kind        {{text}} NOT NULL,
	name        {{text}} NOT NULL UNIQUE, -- stands in notify addresses and in the ledger, and never changes
	title_zh    {{text}} NOT NULL,
	title_en    {{text}} NOT NULL,
	icon        {{text}} NOT NULL,
	fee_percent {{int}} NOT NULL CHECK (fee_percent BETWEEN 0 AND 10000), -- hundredths of a percent
	fee_fixed   {{int}} NOT NULL CHECK (fee_fixed >= 0),
	minimum     {{int}} CHECK (minimum > 0),
	maximum     {{int}} CHECK (maximum > 0),
	sort        {{int}} NOT NULL,
	enabled     {{bool}} NOT NULL,
	currency    {{text}} NOT NULL, -- in which it is paid
	rate        {{int}} CHECK (rate > 0), -- hundred-millionths of that currency for one of the site's; none where it is the site's
	sealed      {{blob}} NOT NULL, -- the credentials
	created_at  {{time}} NOT NULL,
	updated_at  {{time}} NOT NULL,
	CHECK (maximum >= minimum)
) {{strict}};

-- What the payer pays is fixed when the recharge begins: the amount and the fee, in the gateway's currency.
ALTER TABLE recharge ADD COLUMN fee {{int}} NOT NULL DEFAULT 0 CHECK (fee >= 0);
ALTER TABLE recharge ADD COLUMN pay_amount {{int}} NOT NULL DEFAULT 1 CHECK (pay_amount > 0);
ALTER TABLE recharge ADD COLUMN pay_currency {{text}} NOT NULL DEFAULT '';
UPDATE recharge SET pay_amount = amount, pay_currency = currency;

ALTER TABLE payment_notify ADD COLUMN staff_id {{int}}; -- who confirmed the payment by hand
