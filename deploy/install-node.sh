#!/bin/sh
# Installs airstrip-node as a service of systemd, or puts another version in its place:
#
#   install-node.sh URL SHA256
#
# URL is where the binary is, SHA256 what it must hash to. The unit is taken from beside this script. It wants the
# node's secret in /etc/airstrip-node.secret and its settings in /etc/airstrip-node.env; without them nothing is started.
set -eu

usage() { echo "usage: $0 URL SHA256" >&2; exit 2; }
[ $# -eq 2 ] || usage
url=$1 sum=$(printf %s "$2" | tr A-F a-f)
case $url in https://*) ;; *) echo "$url is not an https address" >&2; exit 2 ;; esac
[ "$(printf %s "$sum" | tr -d 0-9a-fA-F | wc -c)" -eq 0 ] && [ ${#sum} -eq 64 ] || { echo "$sum is not a SHA-256 in hex" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "this has to run as root" >&2; exit 1; }

bin=${BIN_DIR:-/usr/local/bin}
units=${UNIT_DIR:-/etc/systemd/system}
etc=${ETC_DIR:-/etc}
here=$(cd "$(dirname "$0")" && pwd)

new=$(mktemp "$bin/.airstrip-node.XXXXXX")
trap 'rm -f "$new"' EXIT
curl --fail --location --proto '=https' --silent --show-error --max-time 600 --output "$new" "$url"
printf '%s  %s\n' "$sum" "$new" | sha256sum --check --status || { echo "what $url gave has another checksum; nothing was installed" >&2; exit 1; }
chmod 755 "$new"
"$new" version
mv "$new" "$bin/airstrip-node"
install -m 644 "$here/airstrip-node.service" "$units/airstrip-node.service"
systemctl daemon-reload

if [ -s "$etc/airstrip-node.secret" ] && [ -s "$etc/airstrip-node.env" ]; then
	systemctl enable airstrip-node
	systemctl restart airstrip-node
else
	echo "write AIRSTRIP_NODE_SERVER and AIRSTRIP_NODE_ID to $etc/airstrip-node.env and the secret to $etc/airstrip-node.secret, then: systemctl enable --now airstrip-node"
fi
