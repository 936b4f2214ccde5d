-- +goose Up
-- What staff's list of link fetches is narrowed and sorted by.
DROP INDEX link_fetch_time;
CREATE INDEX link_fetch_time ON link_fetch (fetched_at, id);
CREATE INDEX link_fetch_ip ON link_fetch (ip, id);
CREATE INDEX link_fetch_area ON link_fetch (area, id);
CREATE INDEX link_fetch_client ON link_fetch (client, id);
CREATE INDEX link_fetch_format ON link_fetch (format, id);
CREATE INDEX link_fetch_status ON link_fetch (status, id);
