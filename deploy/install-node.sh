#!/bin/sh
# Installs airstrip-node as a service of systemd, or puts another version in its place. The server gives this script away
# at /node/install.sh, and says the whole line for a node when it makes its secret:
#
#   curl -fsS SITE/node/install.sh | AIRSTRIP_NODE_SECRET=… sh -s -- SITE NODE amd64=SHA256 arm64=SHA256
#
# The binary comes from SITE/node, or from AIRSTRIP_NODE_DOWNLOAD where that is set, and must hash to what the line says.
# Without a secret the one of the last time stays, if that was for the same node. Nothing is touched before all is there.
set -eu

die() {
	echo "airstrip-node: $1; nothing was installed" >&2
	exit 1
}

# private fails for an address that others could listen to, or that is none.
private() {
	case $1/ in
	*[[:space:]@\"\'\\]*) return 1 ;;
	https://[!/]* | http://localhost[:/]* | http://127.0.0.1[:/]* | "http://[::1]"[:/]*) ;;
	*) return 1 ;;
	esac
}

fetch() {
	private "$1" || die "$1 is not an https address"
	curl --fail --globoff --location --proto-redir '=https' --silent --show-error --connect-timeout 20 --max-time 600 --output "$2" "$1" ||
		die "$1 could not be fetched"
}

# put writes a file beside its place and moves it there, so that no one ever finds half of it.
put() {
	install -m "$1" "$2" "$3.new"
	mv "$3.new" "$3"
}

# All is in a function that the last line calls: half of a script does nothing.
main() {
	[ $# -ge 2 ] || die "usage: install.sh SITE NODE amd64=SHA256 arm64=SHA256, with the secret in AIRSTRIP_NODE_SECRET"
	site=${1%/} node=$2
	shift 2
	secret=${AIRSTRIP_NODE_SECRET-}
	unset AIRSTRIP_NODE_SECRET
	bin=${BIN_DIR:-/usr/local/bin} units=${UNIT_DIR:-/etc/systemd/system} etc=${ETC_DIR:-/etc}

	private "$site" || die "$site is not an https address"
	case $node in '' | *[!0-9]*) die "$node is not the number of a node" ;; esac
	case $(uname -m) in
	x86_64) arch=amd64 ;;
	aarch64) arch=arm64 ;;
	*) arch=$(uname -m) ;;
	esac
	sum=
	for given; do
		case $given in "$arch="*) sum=${given#*=} ;; esac
	done
	[ -n "$sum" ] || die "$site has no airstrip-node for $arch, which this machine is"
	case $sum in *[!0-9a-f]*) die "$sum is not a SHA-256 in hex" ;; esac
	[ ${#sum} -eq 64 ] || die "$sum is not a SHA-256 in hex"
	if [ -z "$secret" ]; then
		[ -s "$etc/airstrip-node.secret" ] &&
			grep -qsxF "AIRSTRIP_NODE_SERVER=$site" "$etc/airstrip-node.env" && grep -qsxF "AIRSTRIP_NODE_ID=$node" "$etc/airstrip-node.env" ||
			die "AIRSTRIP_NODE_SECRET is missing"
	fi
	for folder in "$bin" "$units" "$etc"; do
		[ -w "$folder" ] || die "$folder cannot be written to, this has to run as root"
	done
	for tool in curl sha256sum systemctl; do
		command -v "$tool" >/dev/null || die "$tool is missing"
	done

	umask 077
	work=$(mktemp -d "$bin/.airstrip-node.XXXXXX") # not in /tmp, from which some machines run nothing
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	fetch "$site/node/airstrip-node.service" "$work/unit"
	fetch "${AIRSTRIP_NODE_DOWNLOAD:-$site/node}/airstrip-node-linux-$arch" "$work/agent"
	printf '%s  %s\n' "$sum" "$work/agent" | sha256sum --check --status || die "the binary has another checksum than the line"
	chmod 700 "$work/agent"
	version=$("$work/agent" version </dev/null) || die "the binary does not run here"

	if [ -n "$secret" ]; then
		printf %s "$secret" >"$work/secret"
		put 600 "$work/secret" "$etc/airstrip-node.secret"
	fi
	{
		printf 'AIRSTRIP_NODE_SERVER=%s\nAIRSTRIP_NODE_ID=%s\n' "$site" "$node"
		grep -sv -e '^AIRSTRIP_NODE_SERVER=' -e '^AIRSTRIP_NODE_ID=' "$etc/airstrip-node.env" || true # what else was set there
	} >"$work/env"
	put 600 "$work/env" "$etc/airstrip-node.env"
	put 644 "$work/unit" "$units/airstrip-node.service"
	put 755 "$work/agent" "$bin/airstrip-node"
	systemctl daemon-reload
	systemctl enable airstrip-node
	systemctl restart airstrip-node
	"$bin/airstrip-node" status --wait 20s || {
		echo "airstrip-node: $version is installed as node $node of $site, but not all is well; its log: journalctl -u airstrip-node" >&2
		exit 1
	}
	echo "$version serves node $node of $site; its log: journalctl -u airstrip-node"
}

main "$@"
