-- +goose Up
-- Money that gateways paid out to the operator's bank, as staff entered it.
CREATE TABLE gateway_settlement (
	id          {{id}},
	gateway     {{text}} NOT NULL,
	gross       {{int}} NOT NULL CHECK (gross > 0), -- what the gateway owes less by it, in the site's currency
	fee         {{int}} NOT NULL CHECK (fee BETWEEN 0 AND gross), -- of gross, what the gateway took
	reference   {{text}} NOT NULL CHECK (reference <> ''),
	arrived_at  {{time}} NOT NULL,
	note        {{text}} NOT NULL,
	made_by     {{int}}, -- member of staff; null: at the command line
	created_at  {{time}} NOT NULL,
	reversed_by {{int}},
	reversed_at {{time}},
	CHECK (reversed_by IS NULL OR reversed_at IS NOT NULL)
) {{strict}};
-- Each payment is entered once, unless its entry was reversed.
CREATE UNIQUE INDEX gateway_settlement_reference ON gateway_settlement (gateway, reference) WHERE reversed_at IS NULL;
CREATE INDEX gateway_settlement_gateway ON gateway_settlement (gateway, id);

-- What gateways say of themselves: statements that staff imported. They are evidence and move nothing.
CREATE TABLE gateway_statement (
	id          {{id}},
	gateway     {{text}} NOT NULL,
	name        {{text}} NOT NULL,
	digest      {{text}} NOT NULL, -- SHA-256 of its text
	currency    {{text}} NOT NULL,
	lines       {{int}} NOT NULL CHECK (lines > 0),
	first_at    {{time}} NOT NULL,
	last_at     {{time}} NOT NULL,
	imported_by {{int}}, -- member of staff
	created_at  {{time}} NOT NULL,
	UNIQUE (gateway, digest),
	CHECK (first_at <= last_at)
) {{strict}};

CREATE TABLE gateway_statement_line (
	id             {{id}},
	statement_id   {{int}} NOT NULL REFERENCES gateway_statement (id) ON DELETE CASCADE,
	position       {{int}} NOT NULL, -- its line in the file, from 1
	gateway        {{text}} NOT NULL,
	kind           {{text}} NOT NULL CHECK (kind IN ('payment', 'refund', 'fee', 'payout', 'other')),
	transaction_id {{text}} NOT NULL, -- the gateway's number; empty where it gives none
	trade_no       {{text}} NOT NULL, -- the merchant's number; empty where it gives none
	amount         {{int}} NOT NULL CHECK (amount >= 0), -- in the statement's currency
	fee            {{int}} NOT NULL CHECK (fee >= 0),
	happened_at    {{time}} NOT NULL,
	UNIQUE (statement_id, position)
) {{strict}};
CREATE INDEX gateway_statement_line_transaction ON gateway_statement_line (gateway, transaction_id);
CREATE INDEX gateway_statement_line_trade ON gateway_statement_line (gateway, trade_no);
