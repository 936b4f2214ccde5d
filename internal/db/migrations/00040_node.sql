-- +goose Up
CREATE TABLE node (
	id             {{id}},
	name           {{text}} NOT NULL CHECK (name <> ''),
	protocol       {{text}} NOT NULL CHECK (protocol IN ('shadowsocks', 'vmess', 'vless', 'trojan', 'hysteria2', 'tuic', 'anytls')),
	address        {{text}} NOT NULL,
	port           {{int}} NOT NULL CHECK (port BETWEEN 1 AND 65535),
	listen         {{text}} NOT NULL,
	listen_port    {{int}} NOT NULL CHECK (listen_port BETWEEN 1 AND 65535),
	settings       {{json}} NOT NULL, -- without the private keys
	private        {{blob}} NOT NULL, -- the private keys, sealed
	rate_permille  {{int}} NOT NULL CHECK (rate_permille BETWEEN 0 AND 100000),
	hour_rates     {{json}} NOT NULL, -- in per mille, one for each hour of the site's day, or none
	told_permille  {{int}} NOT NULL, -- the rate that the node's agent was told last
	quota_bytes    {{int}} CHECK (quota_bytes > 0), -- a month, up and down together
	reset_day      {{int}} NOT NULL CHECK (reset_day BETWEEN 1 AND 31),
	spent          {{bool}} NOT NULL, -- nobody may use it until the quota's next month
	group_hosts    {{json}} NOT NULL, -- by link group, where clients of that group dial
	relays         {{json}} NOT NULL, -- other addresses by which clients reach it
	tags           {{json}} NOT NULL,
	remark         {{text}} NOT NULL, -- for staff
	class          {{int}} NOT NULL CHECK (class >= 0),
	group_id       {{int}} NOT NULL CHECK (group_id >= 0),
	country        {{text}} NOT NULL,
	speed_mbps     {{int}} CHECK (speed_mbps > 0),
	link_mbps      {{int}} NOT NULL CHECK (link_mbps > 0),
	sort           {{int}} NOT NULL,
	visible        {{bool}} NOT NULL,
	enabled        {{bool}} NOT NULL,
	revision       {{int}} NOT NULL, -- value of the revision "access" at the last change
	scope_revision {{int}} NOT NULL, -- the same, of what decides who may use it
	scope_at       {{time}}, -- when that last changed
	created_at     {{time}} NOT NULL,
	updated_at     {{time}} NOT NULL
) {{strict}};

CREATE TABLE node_secret (
	hash       {{blob}} PRIMARY KEY, -- SHA-256 of the secret
	node_id    {{int}} REFERENCES node (id) ON DELETE CASCADE, -- null: the one key of all nodes that a panel before this one had
	created_at {{time}} NOT NULL,
	expires_at {{time}} -- of a secret that was replaced
) {{strict}};
CREATE INDEX node_secret_node ON node_secret (node_id);

-- The last thing that each node's agent said of itself.
CREATE TABLE node_state (
	node_id          {{int}} PRIMARY KEY REFERENCES node (id) ON DELETE CASCADE,
	seen_at          {{time}} NOT NULL,
	version          {{text}} NOT NULL, -- of the agent, empty where it does not say
	boot             {{text}} NOT NULL,
	revision         {{int}} NOT NULL,
	uptime_seconds   {{int}} NOT NULL,
	load             {{json}} NOT NULL, -- of 1, 5 and 15 minutes
	cpu_permille     {{int}} NOT NULL,
	memory_permille  {{int}} NOT NULL,
	up_bps           {{int}} NOT NULL,
	down_bps         {{int}} NOT NULL,
	connections      {{int}} NOT NULL,
	online_users     {{int}} NOT NULL
) {{strict}};

-- One row per node and minute, from what agents said in it last.
CREATE TABLE node_history (
	node_id         {{int}} NOT NULL,
	minute          {{int}} NOT NULL, -- Unix time / 60
	cpu_permille    {{int}} NOT NULL,
	memory_permille {{int}} NOT NULL,
	up_bps          {{int}} NOT NULL,
	down_bps        {{int}} NOT NULL,
	connections     {{int}} NOT NULL,
	online_users    {{int}} NOT NULL,
	PRIMARY KEY (node_id, minute)
) {{strict}};

-- The times in which nodes were not heard of for long.
CREATE TABLE node_outage (
	id       {{id}},
	node_id  {{int}} NOT NULL REFERENCES node (id) ON DELETE CASCADE,
	began_at {{time}} NOT NULL, -- the last sign of life before it
	ended_at {{time}} -- null: it lasts
) {{strict}};
CREATE UNIQUE INDEX node_outage_lasting ON node_outage (node_id) WHERE ended_at IS NULL;
CREATE INDEX node_outage_node ON node_outage (node_id, began_at);

-- When outages were last looked for, and since when without a break.
CREATE TABLE node_watch (
	id        {{int}} PRIMARY KEY CHECK (id = 1),
	since     {{time}} NOT NULL,
	looked_at {{time}} NOT NULL
) {{strict}};

-- Why somebody should look at nodes.
CREATE TABLE node_alarm (
	node_id {{int}} NOT NULL REFERENCES node (id) ON DELETE CASCADE,
	why     {{text}} NOT NULL,
	told_at {{time}} NOT NULL, -- when staff last heard of it
	PRIMARY KEY (node_id, why)
) {{strict}};

-- The link group that each user was dealt; it says at which of a node's group hosts they enter.
CREATE TABLE user_link_group (
	user_id    {{int}} PRIMARY KEY,
	link_group {{int}} NOT NULL CHECK (link_group > 0),
	dealt_at   {{time}} NOT NULL
) {{strict}};

CREATE TABLE online_ip (
	user_id    {{int}} NOT NULL,
	node_id    {{int}} NOT NULL,
	ip         {{text}} NOT NULL,
	first_at   {{time}} NOT NULL,
	last_at    {{time}} NOT NULL,
	since      {{time}} NOT NULL, -- when it came this time
	-- Foreign agents report whom they let in. Ours ask, and cut an address that is leaving; then it is gone.
	place      {{text}} NOT NULL CHECK (place IN ('reported', 'given', 'leaving', 'gone')),
	evicted_at {{time}}, -- when it last lost its place to a newer address
	PRIMARY KEY (user_id, node_id, ip)
) {{strict}};
CREATE INDEX online_ip_last ON online_ip (last_at);
CREATE INDEX online_ip_leaving ON online_ip (node_id) WHERE place = 'leaving';

-- Audit rules: destinations that nodes refuse. A removed rule stays, for the hits that name it.
CREATE TABLE rule (
	id         {{id}},
	name       {{text}} NOT NULL CHECK (name <> ''),
	text       {{text}} NOT NULL,
	pattern    {{text}} NOT NULL CHECK (pattern <> ''), -- RE2
	revision   {{int}} NOT NULL, -- value of the revision "access" at the last change
	created_at {{time}} NOT NULL,
	removed_at {{time}}
) {{strict}};

-- Users whom a rule does not stop.
CREATE TABLE rule_exemption (
	rule_id {{int}} NOT NULL REFERENCES rule (id),
	user_id {{int}} NOT NULL,
	PRIMARY KEY (rule_id, user_id)
) {{clustered}};

CREATE TABLE rule_hit (
	id      {{id}},
	user_id {{int}} NOT NULL,
	node_id {{int}} NOT NULL,
	rule_id {{int}} NOT NULL,
	count   {{int}} NOT NULL CHECK (count > 0),
	at      {{time}} NOT NULL
) {{strict}};
CREATE INDEX rule_hit_user ON rule_hit (user_id, at);
CREATE INDEX rule_hit_at ON rule_hit (at);

-- Addresses that nodes asked all nodes to block, until somebody or time lets them go.
CREATE TABLE blocked_ip (
	id           {{id}},
	node_id      {{int}} NOT NULL,
	ip           {{text}} NOT NULL,
	revision     {{int}} NOT NULL, -- value of the revision "access" at the last change
	at           {{time}} NOT NULL,
	unblocked_at {{time}}
) {{strict}};
CREATE INDEX blocked_ip_ip ON blocked_ip (ip);
CREATE INDEX blocked_ip_revision ON blocked_ip (revision);
CREATE INDEX blocked_ip_at ON blocked_ip (at);
CREATE INDEX blocked_ip_unblocked ON blocked_ip (unblocked_at);

-- How fast nodes say they reach the three carriers of mainland China.
CREATE TABLE speed_test (
	id      {{id}},
	node_id {{int}} NOT NULL REFERENCES node (id) ON DELETE CASCADE,
	results {{json}} NOT NULL, -- texts by the names of the agents: telecomping, cmccupload, ...
	at      {{time}} NOT NULL
) {{strict}};
CREATE INDEX speed_test_node ON speed_test (node_id, id);
CREATE INDEX speed_test_at ON speed_test (at);
