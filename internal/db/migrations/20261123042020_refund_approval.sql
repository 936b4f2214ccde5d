-- +goose Up

-- Traffic that staff gives without an order.
CREATE TABLE traffic_grant (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	name       {{text}} NOT NULL,
	bytes      {{int}} NOT NULL CHECK (bytes > 0),
	state      {{text}} NOT NULL CHECK (state IN ('waiting', 'given', 'declined')),
	package_id {{int}} UNIQUE REFERENCES package (id), -- that it brought
	made_by    {{int}}, -- member of staff; null: the operator
	created_at {{time}} NOT NULL,
	decided_by {{int}} CHECK (decided_by <> made_by OR state <> 'given'),
	ended_at   {{time}},
	CHECK ((state = 'given') = (package_id IS NOT NULL)),
	CHECK ((state = 'waiting') = (ended_at IS NULL))
) {{strict}};
CREATE UNIQUE INDEX traffic_grant_waiting ON traffic_grant (user_id, made_by) WHERE state = 'waiting';

-- An order that staff gives back, or is about to.
CREATE TABLE order_refund (
	id         {{id}},
	order_id   {{int}} NOT NULL REFERENCES shop_order (id),
	request_id {{int}} REFERENCES refund_request (id), -- of its user, that this grants
	reason     {{text}} NOT NULL,
	answer     {{text}} NOT NULL, -- to the request
	worth      {{int}} NOT NULL CHECK (worth > 0), -- what it gave back, or did when it was made
	state      {{text}} NOT NULL CHECK (state IN ('waiting', 'done', 'declined')),
	made_by    {{int}}, -- member of staff; null: the operator
	created_at {{time}} NOT NULL,
	decided_by {{int}} CHECK (decided_by <> made_by OR state <> 'done'),
	ended_at   {{time}},
	CHECK ((state = 'waiting') = (ended_at IS NULL))
) {{strict}};
CREATE UNIQUE INDEX order_refund_waiting ON order_refund (order_id) WHERE state = 'waiting';

-- No platform is asked for a refund that waits for a second member of staff.
ALTER TABLE gateway_refund ADD COLUMN waits {{bool}} NOT NULL DEFAULT {{false}} CHECK (NOT waits OR (state = 'pending' AND attempts = 0));
UPDATE gateway_refund SET waits = {{true}} WHERE by_hand AND state = 'pending';
ALTER TABLE payment_case ADD COLUMN waits {{bool}} NOT NULL DEFAULT {{false}} CHECK (NOT waits OR (state = 'refunding' AND attempts = 0));
