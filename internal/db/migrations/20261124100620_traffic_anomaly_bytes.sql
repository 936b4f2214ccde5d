-- +goose Up
-- Anomalies are listed with what they are, and nodes that count more than their interface carried are among them.
ALTER TABLE traffic_anomaly RENAME TO traffic_anomaly_before;
CREATE TABLE traffic_anomaly (
	kind      {{text}} NOT NULL CHECK (kind IN ('user', 'node', 'interface')),
	object_id {{int}} NOT NULL,
	day       {{int}} NOT NULL, -- of the site's calendar, as 20260131
	bytes     {{int}} NOT NULL CHECK (bytes >= 0), -- 0: found before they were stored
	usual     {{int}} NOT NULL CHECK (usual >= 0), -- of an interface what it carried
	PRIMARY KEY (kind, object_id, day)
) {{clustered}};
INSERT INTO traffic_anomaly (kind, object_id, day, bytes, usual) SELECT kind, object_id, day, 0, 0 FROM traffic_anomaly_before;
DROP TABLE traffic_anomaly_before;
CREATE INDEX traffic_anomaly_day ON traffic_anomaly (kind, day);
