-- +goose Up

CREATE INDEX ticket_revision ON ticket (revision);

-- The groups in which staff answers tickets, with the change of a ticket up to which each shows them, and the process
-- that writes there now.
CREATE TABLE telegram_group (
    chat_id  {{int}} PRIMARY KEY CHECK (chat_id < 0),
    revision {{int}} NOT NULL,
    process  {{uuid}} NOT NULL,
    until    {{time}} NOT NULL
) {{strict}};

-- The topic of each ticket, and which of its messages are there.
CREATE TABLE telegram_topic (
    ticket_id  {{int}} PRIMARY KEY REFERENCES ticket (id) ON DELETE CASCADE,
    user_id    {{int}} NOT NULL REFERENCES account (id),
    chat_id    {{int}} NOT NULL CHECK (chat_id < 0),
    thread_id  {{int}} NOT NULL,
    message_id {{int}} NOT NULL, -- the last message that is there as a whole
    part       {{int}} NOT NULL CHECK (part >= -1), -- how many parts of the next one are there; -1: not even the head is
    is_closed  {{bool}} NOT NULL,
    UNIQUE (chat_id, thread_id)
) {{strict}};
CREATE INDEX telegram_topic_user ON telegram_topic (user_id);

-- Answers that were written in a topic, so that they are not shown there once more.
CREATE TABLE telegram_topic_answer (
    message_id {{int}} PRIMARY KEY REFERENCES ticket_message (id) ON DELETE CASCADE
) {{strict}};
