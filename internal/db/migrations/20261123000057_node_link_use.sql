-- +goose Up
-- How much of each node's link the bytes that counted have used up. The link's time is billed once, from the past on: the
-- bytes of a report move used_until ahead by as long as the link takes to carry them, and never beyond the present.
CREATE TABLE node_link_use (
	node_id    {{int}} PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
	used_until {{int}} NOT NULL -- Unix time in microseconds
) {{counters}};
