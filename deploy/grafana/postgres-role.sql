-- What the dashboards read, and nothing else: no secrets, no e-mail addresses, no addresses of users.
-- psql -d airstrip -f postgres-role.sql, after: CREATE ROLE airstrip_grafana LOGIN PASSWORD '…';
GRANT USAGE ON SCHEMA public TO airstrip_grafana;
GRANT SELECT ON node_day, node_history, node_outage TO airstrip_grafana;
GRANT SELECT (id, name, country, enabled, sort) ON node TO airstrip_grafana;
GRANT SELECT (node_id, seen_at, version, uptime_seconds, cpu_permille, memory_permille, up_bps, down_bps, connections,
	online_users) ON node_state TO airstrip_grafana;
GRANT SELECT (kind, state, amount, currency, paid_at) ON shop_order TO airstrip_grafana;
GRANT SELECT (id, created_at) ON account TO airstrip_grafana;
GRANT SELECT (state) ON access TO airstrip_grafana;
GRANT SELECT (ended_at) ON service TO airstrip_grafana;
ALTER ROLE airstrip_grafana SET default_transaction_read_only = on;
ALTER ROLE airstrip_grafana SET statement_timeout = '30s';
