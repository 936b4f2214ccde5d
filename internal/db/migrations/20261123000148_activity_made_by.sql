-- +goose Up
ALTER TABLE activity ADD COLUMN made_by {{int}}; -- member of staff; null: the user or the operator
