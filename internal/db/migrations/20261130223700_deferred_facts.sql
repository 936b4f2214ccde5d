-- +goose Up
-- A purchase changes the wallet, and with it this row, before it locks the user's services and rights; reports and the
-- timetable go the other way. At the commit each has all other rows that it needs.
-- +goose StatementBegin
{{deferred_triggers user_facts}}
-- +goose StatementEnd
