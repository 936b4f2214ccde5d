-- +goose Up
-- Wrong guesses at passwords and codes within a window, and those whose result is not known yet.
CREATE TABLE guess_count (
	who     {{text}} PRIMARY KEY, -- what is guessed at, and by whom
	since   {{time}} NOT NULL,    -- begin of the window
	guesses {{int}} NOT NULL CHECK (guesses >= 0)
) {{strict}};
CREATE INDEX guess_count_since ON guess_count (since);
