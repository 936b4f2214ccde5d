-- +goose Up
-- The newest message of a ticket of which one of its sides was told by a channel. Until that side has read or answered it the
-- channel tells of no other.
CREATE TABLE ticket_notice (
	ticket_id  {{int}} NOT NULL REFERENCES ticket (id),
	to_staff   {{bool}} NOT NULL,
	channel    {{text}} NOT NULL CHECK (channel IN ('mail', 'telegram', 'push')),
	message_id {{int}} NOT NULL REFERENCES ticket_message (id),
	PRIMARY KEY (ticket_id, to_staff, channel)
) {{clustered}};
CREATE INDEX ticket_notice_message ON ticket_notice (message_id);
