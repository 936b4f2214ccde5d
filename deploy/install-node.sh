#!/bin/sh
# Installs airstrip-node as a systemd service, or replaces the installed version. The server serves this script at
# /node/install.sh, and shows the complete command for a node when it creates its secret:
#
#   curl -fsS SITE/node/install.sh | AIRSTRIP_NODE_SECRET=… sh -s -- SITE NODE amd64=SHA256 arm64=SHA256
#
# The binary comes from SITE/node, or from AIRSTRIP_NODE_DOWNLOAD if that is set, and must have the hash in the command.
# Without a secret the installed one stays if it is for the same node. Nothing changes before everything is downloaded.
set -eu

die() {
	echo "airstrip-node: $1; nothing was installed" >&2
	exit 1
}

# private fails for an address that others could listen to, or that is not an address.
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

# put writes a file under a temporary name in the same folder and renames it, so that nobody ever reads half of it.
put() {
	install -m "$1" "$2" "$3.new"
	mv "$3.new" "$3"
}

# Everything is in a function that the last line calls, so that a script that was cut off does nothing.
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
