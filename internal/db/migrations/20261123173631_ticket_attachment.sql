-- +goose Up

-- Files that people send with messages of tickets. The file itself is in the place that the row names, under the name
-- file; it is there once stored is true. A row without a message is an upload that was not sent yet.
CREATE TABLE ticket_attachment (
    id         {{id}},
    uuid       {{uuid}} NOT NULL UNIQUE,
    user_id    {{int}} NOT NULL REFERENCES account (id), -- who uploaded it
    message_id {{int}} REFERENCES ticket_message (id),
    name       {{text}} NOT NULL CHECK (name <> ''),
    media_type {{text}} NOT NULL
        CHECK (media_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'text/plain')),
    size       {{int}} NOT NULL CHECK (size BETWEEN 1 AND 5242880),
    width      {{int}} NOT NULL, -- in pixels; 0: not an image
    height     {{int}} NOT NULL,
    file       {{uuid}} NOT NULL UNIQUE,
    place      {{text}} NOT NULL CHECK (place IN ('folder', 's3')),
    stored     {{bool}} NOT NULL,
    created_at {{time}} NOT NULL,
    CHECK ((media_type = 'text/plain') = (width = 0 AND height = 0)),
    CHECK (stored OR message_id IS NULL)
) {{strict}};
CREATE INDEX ticket_attachment_message ON ticket_attachment (message_id, id);
CREATE INDEX ticket_attachment_user ON ticket_attachment (user_id, id);
CREATE INDEX ticket_attachment_unsent ON ticket_attachment (created_at) WHERE message_id IS NULL;

-- Files that no row of ticket_attachment names any more, until they are removed from their place.
CREATE TABLE ticket_removed_file (
    file       {{uuid}} PRIMARY KEY,
    place      {{text}} NOT NULL CHECK (place IN ('folder', 's3')),
    removed_at {{time}} NOT NULL
) {{strict}};
CREATE INDEX ticket_removed_file_at ON ticket_removed_file (removed_at);
