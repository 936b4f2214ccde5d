#!/usr/bin/env bash
# Starts the built server on ./data, which it fills with the demo if it is empty, and an agent for each of the demo's nodes.
# Ctrl-C ends all of them.
set -euo pipefail
cd "$(dirname "$0")/.."

export AIRSTRIP_DATA=${AIRSTRIP_DATA:-./data} AIRSTRIP_DEMO=true
listen=${AIRSTRIP_LISTEN:-127.0.0.1:8080}
export AIRSTRIP_SITE_URL=${AIRSTRIP_SITE_URL:-http://localhost:${listen##*:}}
demo=$AIRSTRIP_DATA/demo.json

umask 077
mkdir -p "$AIRSTRIP_DATA"
if [ ! -e "$AIRSTRIP_DATA/airstrip.db" ]; then
	echo "Filling $AIRSTRIP_DATA with the demo …"
	bin/airstrip seed --demo --days 365 >"$demo.new" && mv "$demo.new" "$demo"
fi

trap 'trap - EXIT; kill $(jobs -p) 2>/dev/null; wait' EXIT INT TERM
bin/airstrip serve &
server=$!
for _ in $(seq 100); do
	node -e 'fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' "http://$listen/ready" && break
	kill -0 $server 2>/dev/null || exit 1
	sleep 0.1
done

if [ -e "$demo" ]; then
	node -e 'for (const n of require(require("path").resolve(process.argv[1])).nodes) console.log(`${n.id} ${n.secret}`)' "$demo" | while read -r id secret; do
		mkdir -p "$AIRSTRIP_DATA/node-$id"
		printf %s "$secret" >"$AIRSTRIP_DATA/node-$id/secret"
	done
	for dir in "$AIRSTRIP_DATA"/node-*/; do
		id=${dir%/} id=${id##*-}
		bin/airstrip-node run --server "http://$listen" --node "$id" --secret-file "${dir}secret" --data "$dir" --log-level error &
	done
	node -e '
		const [, file, data, site] = process.argv, d = require(require("path").resolve(file));
		console.log(`
  Airstrip runs at  ${site}

  Sign in as a user      ${d.user.email}   ${d.user.password}
  or as the owner        ${d.admin.email}  ${d.admin.password}

  Its nodes run on this machine and really proxy. The user'"'"'s subscription link:
  ${site}/link2/${d.user.link_token}

  Ctrl-C ends everything. Remove ${data} for a new demo.
`)' "$demo" "$AIRSTRIP_DATA" "$AIRSTRIP_SITE_URL"
fi
wait $server
