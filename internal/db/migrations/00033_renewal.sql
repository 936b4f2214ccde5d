-- +goose Up
-- The tries to renew a service before it ends, one row for each end.
CREATE TABLE auto_renewal (
	service_id {{int}} NOT NULL REFERENCES service (id),
	ends_at    {{time}} NOT NULL,
	tries      {{int}} NOT NULL,
	next_at    {{time}}, -- null: done or given up
	problem    {{text}} NOT NULL, -- of the last try: balance_too_low, not_sold; empty: renewed
	PRIMARY KEY (service_id, ends_at)
) {{clustered}};

-- What users were told of, once: the end of a service drawing near, its traffic being used.
CREATE TABLE service_notice (
	service_id {{int}} NOT NULL REFERENCES service (id),
	about      {{text}} NOT NULL, -- 7d, 3d, 1d before the end; 80%, 95%, 100% of the traffic
	of_time    {{time}} NOT NULL, -- the end, or the start of the cycle
	created_at {{time}} NOT NULL,
	PRIMARY KEY (service_id, of_time, about)
) {{clustered}};
