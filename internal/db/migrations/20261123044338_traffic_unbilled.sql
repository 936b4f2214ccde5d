-- +goose Up
-- Bytes that earlier versions logged and took from nothing, since what the user had was over for long when they came. From
-- here on all that a user's days count was taken from the user's services and packages, and doctor compares the two.
CREATE TABLE traffic_unbilled (
	user_id {{int}} PRIMARY KEY,
	up      {{int}} NOT NULL CHECK (up >= 0),
	down    {{int}} NOT NULL CHECK (down >= 0),
	billed  {{int}} NOT NULL CHECK (billed >= 0)
) {{strict}};
INSERT INTO traffic_unbilled (user_id, up, down, billed)
	SELECT user_id, SUM(up), SUM(down), SUM(billed) FROM (
		SELECT user_id, up, down, billed FROM traffic_day
		UNION ALL SELECT v.user_id, -c.up, -c.down, -c.billed FROM service AS v JOIN service_cycle AS c ON c.service_id = v.id
		UNION ALL SELECT user_id, -up, -down, -used FROM package) AS both_counts
	GROUP BY user_id HAVING (SUM(up) > 0 OR SUM(down) > 0 OR SUM(billed) > 0)
		AND SUM(up) >= 0 AND SUM(down) >= 0 AND SUM(billed) >= 0;
