-- +goose Up
-- Passwords on nodes that users chose. Nodes tell users apart by them, so no two may be the same; those that are made are
-- random and need no row.
CREATE TABLE chosen_password (
	user_id {{int}} PRIMARY KEY REFERENCES access (user_id) ON DELETE CASCADE,
	hash    {{blob}} NOT NULL UNIQUE -- SHA-256
) {{strict}};
