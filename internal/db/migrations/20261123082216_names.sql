-- +goose Up
-- Names and descriptions by language. The columns name and info keep the text that is shown where a language has none.
ALTER TABLE plan ADD COLUMN names {{json}} NOT NULL DEFAULT '{}';
ALTER TABLE plan ADD COLUMN infos {{json}} NOT NULL DEFAULT '{}';
ALTER TABLE node ADD COLUMN names {{json}} NOT NULL DEFAULT '{}';
-- As they were sold.
ALTER TABLE service ADD COLUMN names {{json}} NOT NULL DEFAULT '{}';
ALTER TABLE package ADD COLUMN names {{json}} NOT NULL DEFAULT '{}';
