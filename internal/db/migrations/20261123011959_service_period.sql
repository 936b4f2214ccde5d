-- +goose Up
-- Every time that was given to a service, whoever paid for it. The end and the quota of a service are those of its newest period.
CREATE TABLE service_period (
	id          {{id}},
	service_id  {{int}} NOT NULL REFERENCES service (id),
	order_id    {{int}} UNIQUE, -- null: a cd-key, a trial or a gift
	starts_at   {{time}} NOT NULL,
	ends_at     {{time}} NOT NULL CHECK (ends_at >= starts_at),
	quota_bytes {{int}}, -- of the service with this time; null: unlimited
	created_at  {{time}} NOT NULL
) {{strict}};
CREATE INDEX service_period_service ON service_period (service_id, id);

INSERT INTO service_period (service_id, order_id, starts_at, ends_at, quota_bytes, created_at)
	SELECT f.service_id, f.order_id, f.starts_at, f.ends_at, v.quota_bytes, f.created_at FROM fulfilment f JOIN service v ON v.id = f.service_id
	ORDER BY f.created_at, f.order_id;

-- Time that was given without an order was not recorded until now.
INSERT INTO service_period (service_id, starts_at, ends_at, quota_bytes, created_at)
	SELECT v.id, v.started_at, v.ends_at, v.quota_bytes, v.started_at FROM service v
	LEFT JOIN (SELECT service_id, MAX(id) AS id FROM service_period GROUP BY service_id) newest ON newest.service_id = v.id
	LEFT JOIN service_period p ON p.id = newest.id
	WHERE p.id IS NULL OR p.ends_at <> v.ends_at;
