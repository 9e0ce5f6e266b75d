#!/usr/bin/env bash
# Installs, uses, upgrades and removes the Debian packages of target/dist in a clean Debian that debootstrap makes.
#
#   workshop/dist/try-deb.sh [FOLDER]     as root; FOLDER keeps the clean system for the next run
set -euo pipefail
cd "$(dirname "$0")/../.."

suite=bookworm
architecture=$(dpkg --print-architecture)
packages=(target/dist/*_"$architecture".deb)
[[ -f ${packages[0]} ]] || { echo "target/dist has no packages: cargo xtask dist"; exit 1; }

clean=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z $clean ]]; then clean=$work/clean; fi
if [[ ! -x $clean/usr/bin/dpkg ]]; then
    # What a C programmer has: compilers are no part of a small Debian.
    debootstrap --variant=minbase --include=gcc,libc6-dev,pkg-config "$suite" "$clean"
fi
system=$work/system
cp -a "$clean" "$system"
mkdir "$system/packages" "$system/newer"
cp "${packages[@]}" "$system/packages"
cp examples/c/{hash,mac,batch}.c "$system/packages"

# The same packages under a version that is newer.
for package in "${packages[@]}"; do
    dpkg-deb --raw-extract "$package" "$work/package"
    sed -i -E 's/^(Version: .*)/\1+next/; s/^(Depends: .*\(= [^)]*)\)/\1+next)/' "$work/package/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$work/package" "$system/newer" >/dev/null
    rm -rf "$work/package"
done

inside() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
# Every file but what dpkg and ldconfig keep for themselves.
files() { (cd "$system" && find . -path ./packages -prune -o -path ./newer -prune -o -path ./proc -prune -o \
    -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -path ./var/cache -prune -o -print | LC_ALL=C sort); }

# Runs the command, and programs that use the library shared and static.
use() {
    inside keylane --version
    inside keylane selftest >/dev/null
    inside sh -c 'for name in hash mac batch; do
        gcc -std=c99 -Wall -Werror /packages/$name.c -o /tmp/shared $(pkg-config --cflags --libs keylane) &&
        ldd /tmp/shared | grep -q libkeylane.so.0 && /tmp/shared one two >/tmp/answers-shared &&
        gcc -std=c99 -Wall -Werror /packages/$name.c -o /tmp/static $(pkg-config --cflags keylane) -l:libkeylane.a \
            $(pkg-config --static --libs keylane | sed "s/-lkeylane//") &&
        ! ldd /tmp/static | grep -q libkeylane && /tmp/static one two >/tmp/answers-static || exit 1
    done; rm /tmp/shared /tmp/static /tmp/answers-shared /tmp/answers-static'
}

files >"$work/before"
inside sh -c 'dpkg --install /packages/*.deb'
inside dpkg --audit
use
echo "installed"
inside sh -c 'dpkg --install /newer/*.deb'
inside dpkg-query --show --showformat '${Package} ${Version} ${Status}\n' keylane libkeylane0 libkeylane-dev | tee "$work/versions"
[[ $(grep -c '+next install ok installed$' "$work/versions") == 3 ]] || { echo "not upgraded"; exit 1; }
use
echo "upgraded"
inside dpkg --purge keylane libkeylane-dev libkeylane0
files >"$work/after"
diff "$work/before" "$work/after" || { echo "files stay after removal"; exit 1; }
echo "removed: nothing stays"
