-- +goose Up
-- How wide columns are that a member of staff made wider or narrower: keys with pixels, such as email=240,state=120.
ALTER TABLE console_view ADD COLUMN widths {{text}} NOT NULL DEFAULT '' CHECK (length(widths) <= 3000);
ALTER TABLE console_layout ADD COLUMN widths {{text}} NOT NULL DEFAULT '' CHECK (length(widths) <= 3000);
