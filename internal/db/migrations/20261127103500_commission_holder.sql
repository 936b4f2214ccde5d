-- +goose Up
-- Who has the money of a released commission since the inviter's account became part of theirs; null: the inviter. A refund
-- takes it back from there.
ALTER TABLE commission ADD COLUMN holder_id {{int}} REFERENCES account (id) CHECK (holder_id IS NULL OR state <> 'pending');
CREATE INDEX commission_holder ON commission (holder_id) WHERE holder_id IS NOT NULL;
UPDATE commission SET holder_id = (SELECT m.into_id FROM account_merge m WHERE m.from_id = commission.inviter_id AND m.state = 'done')
WHERE state = 'released';
-- Of accounts that were merged again.
UPDATE commission SET holder_id = COALESCE((SELECT m.into_id FROM account_merge m WHERE m.from_id = commission.holder_id
	AND m.state = 'done'), holder_id) WHERE holder_id IS NOT NULL;
