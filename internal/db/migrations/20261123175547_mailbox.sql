-- +goose Up

-- How far the mailbox for answers to notices of tickets was read. Its server numbers mails in the order in which they
-- came; with another uid_validity it numbers them anew.
CREATE TABLE mailbox_cursor (
    mailbox      {{text}} PRIMARY KEY, -- server, user and folder
    uid_validity {{int}} NOT NULL,
    last_uid     {{int}} NOT NULL
) {{strict}};
