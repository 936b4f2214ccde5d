-- +goose Up
-- The name under which the browser shows the cookie. On https sites it is __Host-key, which no other host of the domain
-- can set; cookies that were given before keep the name without the prefix until they end.
ALTER TABLE session_cookie ADD COLUMN name {{text}} NOT NULL DEFAULT 'key' CHECK (name IN ('key', '__Host-key'));
