-- +goose Up

-- By which channels a user wants to hear of which events. Only what the user chose has a row; all else is as the program
-- has it by default.
CREATE TABLE notice_choice (
	user_id    {{int}} NOT NULL REFERENCES account (id) ON DELETE CASCADE,
	event      {{text}} NOT NULL CHECK (event <> ''),
	channel    {{text}} NOT NULL CHECK (channel IN ('mail', 'telegram', 'push')),
	wanted     {{bool}} NOT NULL,
	updated_at {{time}} NOT NULL,
	PRIMARY KEY (user_id, event, channel)
) {{clustered}};

-- Who turned notices by mail off got none about sign-ins and tickets.
INSERT INTO notice_choice (user_id, event, channel, wanted, updated_at)
SELECT id, 'sign_in', 'mail', {{false}}, created_at FROM account WHERE NOT notice_by_mail AND closed_at IS NULL;
INSERT INTO notice_choice (user_id, event, channel, wanted, updated_at)
SELECT id, 'ticket', 'mail', {{false}}, created_at FROM account WHERE NOT notice_by_mail AND closed_at IS NULL;
ALTER TABLE account DROP COLUMN notice_by_mail;

-- Who unsubscribed from announcements gets them by neither.
INSERT INTO notice_choice (user_id, event, channel, wanted, updated_at)
SELECT user_id, 'announcement', 'mail', {{false}}, at FROM announcement_unsubscribed;
INSERT INTO notice_choice (user_id, event, channel, wanted, updated_at)
SELECT user_id, 'announcement', 'telegram', {{false}}, at FROM announcement_unsubscribed;
DROP TABLE announcement_unsubscribed;
