#!/usr/bin/env bash
# Runs the quick experiments of a paper, or all, as different processors compute them, on stand-ins, and compares the digests of
# all files of results. A program of another machine needs an emulator (Debian: qemu-user).
set -euo pipefail
cd "$(dirname "$0")/.."
paper=$1 dir=$(mktemp -d) differ=0
trap 'rm -rf "$dir"' EXIT

# try NAME EMULATOR BUILD START: with variables for the build and for the start.
try() {
	mkdir "$dir/$1"
	env CGO_ENABLED=0 $3 go build -o "$dir/$1/ppdp" ./cmd/ppdp
	local start=("$dir/$1/ppdp")
	if ! "${start[@]}" --help >/dev/null 2>&1; then
		command -v "$2" >/dev/null || { echo "$1: SKIPPED: no $2"; return; }
		start=("$2" "${start[@]}")
	fi
	cd "$dir/$1"
	env $4 HOME="$PWD" XDG_CACHE_HOME="$PWD" PPDP_DATA= PPDP_OFFLINE=1 "${start[@]}" reproduce "$paper" --quick --out results \
		>log 2>&1 || { cat log; exit 1; }
	grep -E '"[^"]+": "[0-9a-f]{64}"' results/*/*/manifest.json >"$dir/$1.digests"
	cd - >/dev/null
	[ -e "$dir/want" ] || cp "$dir/$1.digests" "$dir/want"
	echo "$1: $(wc -l <"$dir/$1.digests") digests"
	diff "$dir/want" "$dir/$1.digests" || differ=1
}

try amd64 qemu-x86_64 "GOARCH=amd64 GOAMD64=v1" ""
try amd64-without-fma qemu-x86_64 "GOARCH=amd64 GOAMD64=v1" GODEBUG=cpu.fma=off
try amd64-v3 qemu-x86_64 "GOARCH=amd64 GOAMD64=v3" ""
try arm64 qemu-aarch64 GOARCH=arm64 ""
exit $differ
