-- +goose Up

-- Conversations of users with staff. What is resolved or closed waits for nobody.
CREATE TABLE ticket (
    id               {{id}},
    uuid             {{uuid}} NOT NULL UNIQUE,
    user_id          {{int}} NOT NULL REFERENCES account (id),
    title            {{text}} NOT NULL CHECK (title <> ''),
    category         {{text}} NOT NULL CHECK (category IN ('general', 'connection', 'billing', 'account')),
    priority         {{text}} NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
    state            {{text}} NOT NULL CHECK (state IN ('pending', 'processing', 'resolved', 'closed')),
    awaiting         {{text}} NOT NULL CHECK (awaiting IN ('staff', 'user', 'nobody')),
    assigned_to      {{int}} REFERENCES account (id),
    merged_into      {{int}} REFERENCES ticket (id),
    message_count    {{int}} NOT NULL DEFAULT 0, -- of those that the user sees, as the ids below
    first_message_id {{int}} NOT NULL DEFAULT 0,
    last_message_id  {{int}} NOT NULL DEFAULT 0,
    last_answer_id   {{int}} NOT NULL DEFAULT 0, -- by staff
    user_read_id     {{int}} NOT NULL DEFAULT 0, -- the last message that the user has read
    revision         {{int}} NOT NULL,           -- of the last change
    shown_revision   {{int}} NOT NULL,           -- of the last change that the user sees
    created_at       {{time}} NOT NULL,
    updated_at       {{time}} NOT NULL,
    closed_at        {{time}},
    CHECK ((state IN ('resolved', 'closed')) = (awaiting = 'nobody')),
    CHECK ((state = 'closed') = (closed_at IS NOT NULL)),
    CHECK (merged_into IS NULL OR (state = 'closed' AND merged_into <> id))
) {{strict}};
CREATE INDEX ticket_user ON ticket (user_id, id);
CREATE INDEX ticket_state ON ticket (state, awaiting, id);
CREATE INDEX ticket_assigned ON ticket (assigned_to, id);
CREATE INDEX ticket_merged ON ticket (merged_into);
CREATE INDEX ticket_shown ON ticket (shown_revision);
CREATE INDEX ticket_unread ON ticket (user_id) WHERE last_answer_id > user_read_id;

-- Messages in the order of their ids. A note is seen by staff alone.
CREATE TABLE ticket_message (
    id         {{id}},
    uuid       {{uuid}} NOT NULL UNIQUE,
    ticket_id  {{int}} NOT NULL REFERENCES ticket (id),
    author_id  {{int}} NOT NULL REFERENCES account (id),
    by_staff   {{bool}} NOT NULL,
    is_note    {{bool}} NOT NULL,
    content    {{text}} NOT NULL,
    created_at {{time}} NOT NULL,
    CHECK (by_staff OR NOT is_note)
) {{strict}};
CREATE INDEX ticket_message_ticket ON ticket_message (ticket_id, id);

-- The words of tickets, as hashes: those of the title and of messages, and apart from them those of notes.
CREATE TABLE ticket_word (
    word      {{int}} NOT NULL,
    ticket_id {{int}} NOT NULL REFERENCES ticket (id),
    is_note   {{bool}} NOT NULL,
    PRIMARY KEY (word, ticket_id, is_note)
) {{clustered}};
CREATE INDEX ticket_word_ticket ON ticket_word (ticket_id);

-- What each user wrote in the hour that began at hour_at. The row is locked while its user writes, so that limits hold
-- for calls at the same time.
CREATE TABLE ticket_writer (
    user_id       {{int}} PRIMARY KEY REFERENCES account (id),
    hour_at       {{time}} NOT NULL,
    message_count {{int}} NOT NULL
) {{strict}};

-- Texts that staff answers with again and again, in one language or both.
CREATE TABLE ticket_canned_answer (
    id         {{id}},
    name       {{text}} NOT NULL UNIQUE CHECK (name <> ''),
    content_zh {{text}} NOT NULL,
    content_en {{text}} NOT NULL,
    updated_at {{time}} NOT NULL,
    CHECK (content_zh <> '' OR content_en <> '')
) {{strict}};
