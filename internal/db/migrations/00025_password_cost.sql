-- +goose Up
-- How dear the hashes are that came from other panels and that some account may still have. A wrong password is compared
-- with one of each, so that time does not tell whose hash it is, or that there is none.
CREATE TABLE password_cost (
	prefix {{text}} PRIMARY KEY -- the beginning of such a hash, up to its salt
) {{strict}};
