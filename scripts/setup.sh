#!/bin/sh
# Installs what the tests need and this machine lacks if it can (as root on Debian), otherwise it prints what is missing.
set -eu

missing=""
need() { # need NAME PACKAGE: a program, or a file given by its path
	case $1 in
	/*) ls $1 >/dev/null 2>&1 || missing="$missing $2" ;;
	*) command -v "$1" >/dev/null 2>&1 || missing="$missing $2" ;;
	esac
}

command -v go >/dev/null || { echo "setup: Go 1.26 or later is required: https://go.dev/dl/" >&2; exit 1; }
command -v npm >/dev/null || { echo "setup: Node.js with npm is required" >&2; exit 1; }

need gcc gcc # the race detector links with it
need openssl openssl # makes certificates for the end-to-end tests
need "/usr/lib/postgresql/*/bin/initdb" postgresql
need chromium chromium
need chromium-headless-shell chromium-headless-shell
need /usr/sbin/nginx nginx-light # reverse proxies that the server is tested behind
need caddy caddy
# Tests of ClickHouse take Debian's server, the one program of newer packages, or a server that is named.
if [ -z "${AIRSTRIP_TEST_CLICKHOUSE_URL:-}" ] && ! command -v clickhouse-server >/dev/null && ! command -v clickhouse >/dev/null; then
	need /usr/sbin/clickhouse-server clickhouse-server
fi
need /usr/sbin/pgbouncer pgbouncer
need "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc" fonts-noto-cjk
need "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf" fonts-noto-color-emoji

[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	# Debian starts what it installs, listening on all addresses. The tests start their own. An existing policy stays.
	policy=/usr/sbin/policy-rc.d
	if [ ! -e "$policy" ]; then
		trap 'rm -f "$policy"' EXIT
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod 755 "$policy"
	fi
	apt-get update -q
	for package in $missing; do
		[ "$package" != clickhouse-server ] || apt-cache show clickhouse-server >/dev/null 2>&1 || {
			echo "setup: this release has no clickhouse-server, which the tests need: install it as" >&2
			echo "setup: https://clickhouse.com/docs/install says, or name a server for tests in AIRSTRIP_TEST_CLICKHOUSE_URL" >&2
			exit 1
		}
	done
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
else
	echo "setup: please install:$missing (on Debian: sudo apt-get install$missing)" >&2
	exit 1
fi
