-- +goose Up

-- Money is only ever posted between these accounts. A user's account stores its balance, guarded by the checks; the
-- site's accounts would be hot rows and are summed instead.
CREATE TABLE ledger_account (
	id         {{id}},
	kind       {{text}} NOT NULL CHECK (kind IN ('wallet', 'commission', 'clearing', 'sales', 'refunds', 'gifts', 'fees', 'bank', 'rounding')),
	user_id    {{int}},
	name       {{text}} NOT NULL, -- of a clearing account its gateway, else empty
	posted     {{int}} CHECK (posted >= 0),
	held       {{int}} CHECK (held >= 0), -- the sum of the open holds
	version    {{int}} CHECK (version >= 0), -- how many postings the account has
	created_at {{time}} NOT NULL,
	CHECK (posted - held >= 0),
	CHECK ((kind IN ('wallet', 'commission')) = (user_id IS NOT NULL)),
	CHECK ((user_id IS NOT NULL) = (posted IS NOT NULL AND held IS NOT NULL AND version IS NOT NULL))
) {{strict}};
CREATE UNIQUE INDEX ledger_account_user ON ledger_account (user_id, kind) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_account_site ON ledger_account (kind, name) WHERE user_id IS NULL;

CREATE TABLE ledger_transaction (
	id             {{id}},
	reason         {{text}} NOT NULL,
	reference_kind {{text}} NOT NULL,
	reference_id   {{int}} NOT NULL,
	note           {{text}} NOT NULL, -- what a person calls the thing referred to
	currency       {{text}} NOT NULL,
	created_at     {{time}} NOT NULL,
	UNIQUE (reference_kind, reference_id, reason)
) {{strict}};

-- Only ever added to. In a user's account the versions count 1, 2, 3 … without a gap, so that a page of movements is a
-- range of versions, however far back.
CREATE TABLE posting (
	id             {{id}},
	transaction_id {{int}} NOT NULL REFERENCES ledger_transaction (id),
	account_id     {{int}} NOT NULL REFERENCES ledger_account (id),
	amount         {{int}} NOT NULL CHECK (amount <> 0),
	balance_after  {{int}} CHECK (balance_after >= 0),
	version        {{int}},
	UNIQUE (transaction_id, account_id),
	UNIQUE (account_id, version),
	CHECK ((version IS NULL) = (balance_after IS NULL))
) {{strict}};

CREATE TABLE ledger_hold (
	id             {{id}},
	account_id     {{int}} NOT NULL REFERENCES ledger_account (id),
	amount         {{int}} NOT NULL CHECK (amount > 0),
	reference_kind {{text}} NOT NULL,
	reference_id   {{int}} NOT NULL,
	created_at     {{time}} NOT NULL,
	ended_at       {{time}},
	UNIQUE (reference_kind, reference_id)
) {{strict}};
CREATE INDEX ledger_hold_open ON ledger_hold (account_id) WHERE ended_at IS NULL;

-- Each seal is a hash over a run of ledger transactions and the seal before it.
CREATE TABLE ledger_seal (
	id         {{id}},
	first_id   {{int}} NOT NULL UNIQUE,
	last_id    {{int}} NOT NULL UNIQUE,
	hash       {{blob}} NOT NULL,
	created_at {{time}} NOT NULL,
	CHECK (first_id <= last_id)
) {{strict}};

CREATE TABLE invoice (
	id             {{id}},
	uuid           {{uuid}} NOT NULL UNIQUE,
	user_id        {{int}} NOT NULL,
	reference_kind {{text}} NOT NULL,
	reference_id   {{int}} NOT NULL,
	currency       {{text}} NOT NULL,
	total          {{int}} NOT NULL CHECK (total >= 0),
	created_at     {{time}} NOT NULL,
	UNIQUE (reference_kind, reference_id)
) {{strict}};
CREATE INDEX invoice_user ON invoice (user_id, id);

CREATE TABLE invoice_line (
	invoice_id {{int}} NOT NULL REFERENCES invoice (id),
	position   {{int}} NOT NULL,
	kind       {{text}} NOT NULL CHECK (kind IN ('plan', 'renewal', 'package', 'recharge', 'credit', 'discount', 'fee')),
	name       {{text}} NOT NULL,
	months     {{int}}, -- of a plan or a renewal
	amount     {{int}} NOT NULL, -- negative: a credit or discount
	PRIMARY KEY (invoice_id, position)
) {{strict}};

CREATE TABLE recharge (
	id             {{id}},
	uuid           {{uuid}} NOT NULL UNIQUE,
	user_id        {{int}} NOT NULL,
	trade_no       {{text}} NOT NULL UNIQUE,
	gateway        {{text}} NOT NULL,
	amount         {{int}} NOT NULL CHECK (amount > 0),
	currency       {{text}} NOT NULL,
	state          {{text}} NOT NULL CHECK (state IN ('pending', 'paid', 'expired', 'failed', 'refunded')),
	pay_page       {{json}}, -- what the gateway gave for paying; none until it was asked
	transaction_id {{text}}, -- the gateway's own name of the payment
	created_at     {{time}} NOT NULL,
	updated_at     {{time}} NOT NULL,
	expires_at     {{time}} NOT NULL,
	paid_at        {{time}},
	UNIQUE (gateway, transaction_id), -- one posting at most per payment
	CHECK ((state IN ('paid', 'refunded')) = (transaction_id IS NOT NULL AND paid_at IS NOT NULL))
) {{strict}};
CREATE INDEX recharge_user ON recharge (user_id, id);
CREATE INDEX recharge_expires ON recharge (expires_at);
CREATE INDEX recharge_pending ON recharge (expires_at) WHERE state = 'pending';

-- Every notify of a gateway, as it came, and what became of it.
CREATE TABLE payment_notify (
	id          {{id}},
	gateway     {{text}} NOT NULL,
	method      {{text}} NOT NULL,
	query       {{text}} NOT NULL,
	header      {{json}} NOT NULL,
	body        {{blob}} NOT NULL,
	address     {{text}} NOT NULL, -- of who sent it
	outcome     {{text}} NOT NULL CHECK (outcome IN ('received', 'credited', 'repeated', 'noted', 'refused')),
	reason      {{text}} NOT NULL, -- of a refusal
	recharge_id {{int}} REFERENCES recharge (id),
	created_at  {{time}} NOT NULL
) {{strict}};
CREATE INDEX payment_notify_recharge ON payment_notify (recharge_id);
CREATE INDEX payment_notify_refused ON payment_notify (created_at) WHERE outcome = 'refused';

-- The book of the pretended gateway of demos and tests; empty in earnest.
CREATE TABLE sandbox_payment (
	trade_no       {{text}} PRIMARY KEY,
	transaction_id {{text}} NOT NULL UNIQUE,
	amount         {{int}} NOT NULL,
	currency       {{text}} NOT NULL,
	title          {{text}} NOT NULL,
	return_url     {{text}} NOT NULL,
	state          {{text}} NOT NULL CHECK (state IN ('open', 'paid', 'failed')),
	created_at     {{time}} NOT NULL
) {{strict}};
