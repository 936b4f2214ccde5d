-- +goose Up

-- What check-ins and commissions come to in the last days, without reading those of all times.
CREATE INDEX checkin_day ON checkin (day, bytes);
CREATE INDEX commission_created ON commission (created_at, state, amount);
