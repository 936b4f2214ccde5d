-- +goose Up

-- What goes back of a recharge to who paid it. The money is held in the wallet until that is certain.
CREATE TABLE gateway_refund (
	id          {{id}},
	no          {{text}} NOT NULL UNIQUE, -- names it at the platform, so that repeated calls give back once
	recharge_id {{int}} NOT NULL REFERENCES recharge (id),
	user_id     {{int}} NOT NULL,
	amount      {{int}} NOT NULL CHECK (amount > 0), -- out of the wallet
	fee         {{int}} NOT NULL CHECK (fee >= 0), -- given back beside the amount
	pay_amount  {{int}} NOT NULL CHECK (pay_amount > 0), -- both, in the currency that was paid
	by_hand     {{bool}} NOT NULL, -- staff paid it, not the platform
	state       {{text}} NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
	reason      {{text}} NOT NULL CHECK (reason <> ''),
	answer      {{text}} NOT NULL, -- what the platform said last, where that was no yes
	made_by     {{int}}, -- member of staff; null: at the command line
	decided_by  {{int}}, -- by hand: the second member; who made it may only decline it
	attempts    {{int}} NOT NULL CHECK (attempts >= 0),
	next_at     {{time}} NOT NULL, -- when the platform is asked next; nobody else asks before
	created_at  {{time}} NOT NULL,
	ended_at    {{time}},
	CHECK ((state = 'pending') = (ended_at IS NULL)),
	CHECK (state <> 'done' OR decided_by <> made_by OR decided_by IS NULL OR made_by IS NULL)
) {{strict}};
CREATE INDEX gateway_refund_recharge ON gateway_refund (recharge_id);
CREATE INDEX gateway_refund_made ON gateway_refund (made_by, created_at) WHERE by_hand;
CREATE INDEX gateway_refund_pending ON gateway_refund (next_at) WHERE state = 'pending';

-- Money that commissions counted and that went back to who paid it.
ALTER TABLE commission ADD COLUMN returned {{int}} NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND base);
ALTER TABLE paid_money ADD COLUMN owed {{int}} NOT NULL DEFAULT 0 CHECK (owed >= 0); -- of this no commission was taken back, so the next money counts for none

CREATE TABLE sandbox_refund (
	no         {{text}} PRIMARY KEY,
	trade_no   {{text}} NOT NULL,
	amount     {{int}} NOT NULL CHECK (amount > 0),
	created_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX sandbox_refund_trade ON sandbox_refund (trade_no);
