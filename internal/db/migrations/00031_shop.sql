-- +goose Up
CREATE TABLE plan (
	id            {{id}},
	name          {{text}} NOT NULL CHECK (name <> ''),
	info          {{text}} NOT NULL,
	kind          {{text}} NOT NULL CHECK (kind IN ('plan', 'package')),
	traffic_bytes {{int}} CHECK (traffic_bytes > 0), -- per cycle, of a package once; null: unlimited
	reset         {{text}} NOT NULL CHECK (reset IN ('calendar_month', 'anniversary', 'never')),
	class         {{int}} NOT NULL CHECK (class >= 0),
	groups        {{json}} NOT NULL,
	speed_mbps    {{int}} CHECK (speed_mbps > 0),
	devices       {{int}} CHECK (devices > 0),
	valid_days    {{int}} CHECK (valid_days > 0), -- of a package; null: until it is used up
	stock         {{int}} CHECK (stock >= 0), -- what is left to sell; null: no end of it
	per_user      {{int}} CHECK (per_user > 0), -- how often one user may buy it; null: as often as they like
	visible       {{bool}} NOT NULL,
	renewable     {{bool}} NOT NULL,
	sort          {{int}} NOT NULL,
	created_at    {{time}} NOT NULL,
	updated_at    {{time}} NOT NULL,
	removed_at    {{time}},
	CHECK (kind = 'plan' OR traffic_bytes IS NOT NULL)
) {{strict}};

-- One plan for one period, or one package. Its id is what the older API calls the shop id.
CREATE TABLE price (
	id         {{id}},
	plan_id    {{int}} NOT NULL REFERENCES plan (id),
	months     {{int}} NOT NULL CHECK (months >= 0), -- 0: a package
	amount     {{int}} NOT NULL CHECK (amount >= 0),
	offered    {{bool}} NOT NULL,
	UNIQUE (plan_id, months)
) {{strict}};

-- What a price was, and from when. Orders keep the price at which they were made.
CREATE TABLE price_history (
	price_id   {{int}} NOT NULL REFERENCES price (id),
	since      {{time}} NOT NULL,
	amount     {{int}} NOT NULL CHECK (amount >= 0),
	offered    {{bool}} NOT NULL,
	PRIMARY KEY (price_id, since)
) {{clustered}};

CREATE TABLE shop_order (
	id          {{id}},
	uuid        {{uuid}} NOT NULL UNIQUE,
	user_id     {{int}} NOT NULL,
	plan_id     {{int}} NOT NULL REFERENCES plan (id),
	price_id    {{int}} NOT NULL REFERENCES price (id),
	kind        {{text}} NOT NULL CHECK (kind IN ('plan', 'renewal', 'package')),
	service_id  {{int}} REFERENCES service (id), -- the one that is renewed
	terms       {{json}} NOT NULL, -- what was promised, whatever becomes of the plan
	replaces_id {{int}} REFERENCES service (id), -- the one that ends where this one starts
	price       {{int}} NOT NULL CHECK (price >= 0), -- of the plan when it was ordered
	discount    {{int}} NOT NULL CHECK (discount >= 0), -- of a coupon
	credit      {{int}} NOT NULL CHECK (credit >= 0), -- the unused part of what was paid for the service that ends
	amount      {{int}} NOT NULL CHECK (amount >= 0), -- what the wallet pays
	currency    {{text}} NOT NULL,
	auto_renew  {{bool}} NOT NULL,
	took_stock  {{bool}} NOT NULL,
	state       {{text}} NOT NULL CHECK (state IN ('pending', 'paid', 'cancelled', 'expired', 'refunded')),
	recharge_id {{int}} UNIQUE REFERENCES recharge (id), -- brings what was missing; the order completes when it is paid
	created_at  {{time}} NOT NULL,
	updated_at  {{time}} NOT NULL,
	expires_at  {{time}} NOT NULL,
	paid_at     {{time}},
	CHECK ((kind = 'renewal') = (service_id IS NOT NULL)),
	CHECK (replaces_id IS NULL OR kind = 'plan'),
	CHECK (credit = 0 OR replaces_id IS NOT NULL),
	CHECK (discount <= price),
	CHECK (amount = CASE WHEN price - discount > credit THEN price - discount - credit ELSE 0 END),
	CHECK ((state IN ('paid', 'refunded')) = (paid_at IS NOT NULL))
) {{strict}};
CREATE INDEX shop_order_user ON shop_order (user_id, id);
CREATE INDEX shop_order_plan ON shop_order (plan_id, user_id);
CREATE INDEX shop_order_pending ON shop_order (expires_at) WHERE state = 'pending';

-- What was given back of a paid order, once: its unused part at that time.
CREATE TABLE refund (
	order_id   {{int}} PRIMARY KEY REFERENCES shop_order (id),
	amount     {{int}} NOT NULL CHECK (amount >= 0),
	reason     {{text}} NOT NULL,
	made_by    {{int}}, -- member of staff; null: the operator
	created_at {{time}} NOT NULL
) {{strict}};

-- A user's wish to have an order given back; staff decides.
CREATE TABLE refund_request (
	id         {{id}},
	order_id   {{int}} NOT NULL REFERENCES shop_order (id),
	user_id    {{int}} NOT NULL,
	reason     {{text}} NOT NULL,
	state      {{text}} NOT NULL CHECK (state IN ('open', 'granted', 'declined', 'withdrawn')),
	answer     {{text}} NOT NULL, -- of staff, shown to the user
	decided_by {{int}},
	created_at {{time}} NOT NULL,
	ended_at   {{time}},
	CHECK ((state = 'open') = (ended_at IS NULL))
) {{strict}};
CREATE UNIQUE INDEX refund_request_open ON refund_request (order_id) WHERE state = 'open';
CREATE INDEX refund_request_user ON refund_request (user_id, id);
