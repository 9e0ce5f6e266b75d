#!/usr/bin/env bash
# Unpacks the source of Debian's Redis, without Debian's patches, for try.sh and served.py.
#
#   sources.sh DIR [SUITE]    nothing happens if DIR has it already; on Debian, as root. SUITE is another release of
#                             Debian, for another version: trixie has Redis 8
set -euo pipefail

[[ $# == 1 || $# == 2 ]] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ ! -f $1/src/siphash.c ]] || exit 0
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The machine's own sources of packages, asked for source code. The lists stay in this folder.
suite=
[[ $# == 1 ]] || suite="s/\b$(. /etc/os-release && echo "$VERSION_CODENAME")\b/$2/g"
mkdir "$work/parts" "$work/lists"
shopt -s nullglob
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [[ ! -f $list ]] || sed -E 's/^Types: .*/Types: deb-src/; s/^deb /deb-src /; '"$suite" "$list" >"$work/parts/${list##*/}"
done
[[ ! -f $work/parts/sources.list ]] || mv "$work/parts/sources.list" "$work/sources.list"
options=(-qq -o APT::Sandbox::User=root -o "Dir::Etc::SourceList=$work/sources.list" -o "Dir::Etc::SourceParts=$work/parts" -o "Dir::State::Lists=$work/lists")
apt-get "${options[@]}" update
(cd "$work" && apt-get "${options[@]}" source --download-only --tar-only redis)
tar -xzf "$work"/redis_*.orig.tar.gz -C "$folder" --strip-components 1
