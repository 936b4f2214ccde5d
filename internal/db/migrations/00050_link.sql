-- +goose Up
CREATE TABLE link_token (
	user_id    {{int}} PRIMARY KEY,
	hash       {{blob}} NOT NULL UNIQUE, -- SHA-256 of the token
	sealed     {{blob}} NOT NULL,        -- the token itself, to be shown again
	updated_at {{time}} NOT NULL
) {{strict}};

CREATE TABLE link_fetch (
	id         {{id}},
	user_id    {{int}} NOT NULL,
	fetched_at {{time}} NOT NULL,
	token      {{text}} NOT NULL, -- fingerprint of the token: the first eight digits of its hash
	ip         {{text}} NOT NULL,
	network    {{text}} NOT NULL, -- the address's /24 or /48
	area       {{text}} NOT NULL, -- ISO 3166-1, ZZ where unknown
	client     {{text}} NOT NULL,
	version    {{text}} NOT NULL,
	user_agent {{text}} NOT NULL,
	format     {{text}} NOT NULL,
	status     {{int}} NOT NULL,
	nodes      {{int}} NOT NULL CHECK (nodes >= 0),
	left_out   {{int}} NOT NULL CHECK (left_out >= 0),
	bytes      {{int}} NOT NULL CHECK (bytes >= 0) -- of the body as it was sent
) {{strict}};
CREATE INDEX link_fetch_user ON link_fetch (user_id, id);
CREATE INDEX link_fetch_time ON link_fetch (fetched_at);

-- When users were last told that their link is fetched from many networks.
CREATE TABLE link_notice (
	user_id {{int}} PRIMARY KEY,
	told_at {{time}} NOT NULL
) {{strict}};

-- The programs that the site recommends.
CREATE TABLE link_app (
	id           {{text}} PRIMARY KEY,
	name         {{text}} NOT NULL CHECK (name <> ''),
	icon         {{text}} NOT NULL, -- a letter, an emoji or a data: address of an image; empty: the name's first letter
	platforms    {{json}} NOT NULL,
	import_url   {{text}} NOT NULL, -- with placeholders; empty: the link is pasted by hand
	download_url {{text}} NOT NULL,
	formats      {{json}} NOT NULL, -- values of client_type, the best first
	sort         {{int}} NOT NULL,
	enabled      {{bool}} NOT NULL
) {{strict}};

INSERT INTO link_app (id, name, icon, platforms, import_url, download_url, formats, sort, enabled) VALUES
	('clash-verge-rev', 'Clash Verge Rev', '', '["windows", "macos", "linux"]', 'clash://install-config?url={url}&name={name}', 'https://github.com/clash-verge-rev/clash-verge-rev/releases', '["ClashMeta"]', 10, {{true}}),
	('flclash', 'FlClash', '', '["windows", "macos", "linux", "android"]', 'flclash://install-config?url={url}', 'https://github.com/chen08209/FlClash/releases', '["ClashMeta"]', 20, {{true}}),
	('clash-meta-android', 'Clash Meta for Android', '', '["android"]', 'clash://install-config?url={url}&name={name}', 'https://github.com/MetaCubeX/ClashMetaForAndroid/releases', '["ClashMeta"]', 30, {{true}}),
	('shadowrocket', 'Shadowrocket', '🚀', '["ios"]', 'shadowrocket://add/sub://{url_base64}?remark={name}', 'https://apps.apple.com/app/shadowrocket/id932747118', '["Shadowrocket", "Mixed"]', 40, {{true}}),
	('stash', 'Stash', '', '["ios", "macos"]', 'stash://install-config?url={url}&name={name}', 'https://stash.ws', '["Stash"]', 50, {{true}}),
	('sing-box', 'sing-box', '', '["ios", "android", "macos"]', 'sing-box://import-remote-profile?url={url}#{name}', 'https://sing-box.sagernet.org/clients/', '["SingBox"]', 60, {{true}}),
	('hiddify', 'Hiddify', '', '["windows", "macos", "linux", "android", "ios"]', 'hiddify://import/{url_raw}#{name}', 'https://github.com/hiddify/hiddify-app/releases', '["Mixed", "SingBox"]', 70, {{true}}),
	('v2rayn', 'v2rayN', '', '["windows", "macos", "linux"]', '', 'https://github.com/2dust/v2rayN/releases', '["Mixed"]', 80, {{true}}),
	('v2rayng', 'v2rayNG', '', '["android"]', 'v2rayng://install-config?name={name}&url={url}', 'https://github.com/2dust/v2rayNG/releases', '["Mixed"]', 90, {{true}}),
	('happ', 'Happ', '', '["ios", "android", "windows", "macos"]', 'happ://add/{url_raw}', 'https://www.happ.su', '["Mixed"]', 100, {{true}}),
	('karing', 'Karing', '', '["windows", "macos", "linux", "android", "ios"]', 'karing://install-config?url={url}&name={name}', 'https://karing.app', '["ClashMeta"]', 110, {{true}}),
	('loon', 'Loon', '', '["ios"]', 'loon://import?sub={url}', 'https://apps.apple.com/app/loon/id1373567447', '["Loon"]', 120, {{true}}),
	('clash-mi', 'Clash Mi', '', '["ios", "android", "windows", "macos", "linux", "harmonyos"]', 'clash://install-config?url={url}&name={name}', 'https://clashmi.app', '["ClashMeta"]', 130, {{true}}),
	('surge', 'Surge', '', '["ios", "macos"]', 'surge:///install-config?url={url}', 'https://nssurge.com', '["Surge5", "Surge6"]', 140, {{true}}),
	('quantumult-x', 'Quantumult X', '', '["ios"]', 'quantumult-x:///add-resource?remote-resource=%7B%22server_remote%22%3A%5B%22{url}%2C%20tag%3D{name}%22%5D%7D', 'https://apps.apple.com/app/quantumult-x/id1443988620', '["QuantumultX"]', 150, {{true}}),
	('surfboard', 'Surfboard', '', '["android"]', 'surfboard:///install-config?url={url}', 'https://getsurfboard.com', '["Surfboard"]', 160, {{true}}),
	('egern', 'Egern', '', '["ios", "macos"]', 'egern:/profiles/new?name={name}&url={url}', 'https://egernapp.com', '["Egern"]', 170, {{true}});

-- What is laid over the built-in template of files: for the site, then for groups of users, then for one user.
CREATE TABLE link_template (
	scope      {{text}} NOT NULL CHECK (scope IN ('site', 'group', 'user')),
	scope_id   {{int}} NOT NULL, -- 0 for the site
	document   {{json}} NOT NULL,
	updated_by {{int}} NOT NULL,
	updated_at {{time}} NOT NULL,
	PRIMARY KEY (scope, scope_id)
) {{strict}};
