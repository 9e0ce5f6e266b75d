#!/usr/bin/env bash
# Installs, uses, upgrades and removes what is in target/dist, in a clean Debian that debootstrap makes: the archive, the
# Debian packages, the wheel. Nothing inside has a network.
#
#   tools/workshop/dist/try.sh [FOLDER [ARCHITECTURE]]     as root; FOLDER keeps the clean system for the next run
#
# ARCHITECTURE is amd64 or arm64; without it, that of this machine. For another one, the kernel must run its programs by
# an emulator: Debian's qemu-user-static registers that, where it may.
set -euo pipefail
cd "$(dirname "$0")/../../.."

suite=bookworm
architecture=${2:-$(dpkg --print-architecture)}
case $architecture in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*) echo "no packages are made for $architecture"; exit 2 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
packages=(target/dist/*_"$architecture".deb)
[[ -f ${packages[0]} ]] || { echo "target/dist has no packages: cargo xtask dist"; exit 1; }
(cd target/dist && sha256sum --check --quiet SHA256SUMS)

clean=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z $clean ]]; then clean=$work/clean; fi
if [[ ! -x $clean/usr/bin/dpkg ]]; then
    # What users have: compilers, OpenSSL and Python are no part of a small Debian.
    debootstrap --arch "$architecture" --variant=minbase --include=gcc,libc6-dev,openssl,pkg-config,python3-venv \
        "$suite" "$clean"
fi
system=$work/system
cp -a "$clean" "$system"
mkdir "$system/given" "$system/newer"
cp "${packages[@]}" "target/dist/keylane-$version-$machine-linux.tar.gz" "$system/given"
cp target/dist/python/*"_$machine.whl" examples/c/{hash,mac,batch}.c "$system/given"

# The same packages under a version that is newer.
for package in "${packages[@]}"; do
    dpkg-deb --raw-extract "$package" "$work/package"
    sed -i -E 's/^(Version: .*)/\1+next/; s/^(Depends: .*\(= [^)]*)\)/\1+next)/' "$work/package/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$work/package" "$system/newer" >/dev/null
    rm -rf "$work/package"
done

# Example 15 of the paper on SipHash, and the example of RFC 8439.
cat >"$system/given/use.sh" <<'END_OF_USE'
set -eu
prefix=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sip_key=000102030405060708090a0b0c0d0e0f
poly_key=85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b
printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16' >sip
printf 'Cryptographic Forum Research Group' >poly

is() { [ "$1" = "$2" ] || { echo "$1 instead of $2"; exit 1; }; }

# The command: a list of tags, which holds until a file changes.
PATH=$prefix/bin:$PATH
keylane --version
keylane selftest >/dev/null
keylane keygen -o key
keylane sum --key-file key sip poly >sums
keylane sum --key-file key --check sums >/dev/null
printf 'x' >>sip
if keylane sum --key-file key --check sums >/dev/null 2>&1; then echo "a changed file passes"; exit 1; fi
truncate -s 15 sip

# C: the library shared and static.
library=/lib/libkeylane.so.0
if [ "$prefix" != /usr ]; then
    library=$prefix$library
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
fi
for name in hash mac batch; do
    gcc -std=c99 -Wall -Werror "/given/$name.c" -o shared $(pkg-config --cflags --libs keylane)
    gcc -std=c99 -Wall -Werror "/given/$name.c" -o static $(pkg-config --cflags keylane) \
        -L"$(pkg-config --variable=libdir keylane)" -l:libkeylane.a \
        $(pkg-config --static --libs keylane | sed 's/-lkeylane//')
    ldd shared | grep -q "libkeylane.so.0 => $library" || { echo "shared finds another library"; exit 1; }
    if ldd static | grep -q libkeylane; then echo "static needs the shared library"; exit 1; fi
    for program in shared static; do
        "./$program" one two <poly >answer
        [ -s answer ] || { echo "$name, $program: no answer"; exit 1; }
    done
done

# OpenSSL's own command, with this provider alone.
modules=$2
answer() { openssl mac -provider-path "$modules" -provider keylane "$@" | tr A-F a-f; }
openssl list -providers -provider-path "$modules" -provider keylane | grep -q keylane
is "$(answer -macopt "hexkey:$sip_key" -macopt size:8 -in sip SIPHASH)" e545be4961ca29a1
is "$(answer -macopt "hexkey:$poly_key" -in poly POLY1305)" a8061dc1305136c6c22b8baf0c0127a9
END_OF_USE
cat >"$system/given/use.py" <<'END_OF_USE'
import keylane

key = keylane.Key(bytes(range(16)))
assert keylane.siphash24(key, bytes(range(15))) == 0xA129CA6149BE45E5
poly_key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
tag = bytes.fromhex("a8061dc1305136c6c22b8baf0c0127a9")
assert keylane.poly1305(poly_key, b"Cryptographic Forum Research Group") == tag
print(keylane.hash_column(["a", None], key))
END_OF_USE

inside() {
    unshare --net chroot "$system" \
        /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
# Every file but what dpkg and ldconfig keep for themselves.
files() {
    (cd "$system" && find . -path ./given -prune -o -path ./newer -prune -o -path ./proc -prune -o \
        -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -path ./var/cache -prune -o -print | LC_ALL=C sort)
}
stays() {
    files >"$work/after"
    diff "$work/before" "$work/after" || { echo "files stay after removal"; exit 1; }
}
files >"$work/before"

inside mkdir /opt/keylane
inside tar -xzf "/given/keylane-$version-$machine-linux.tar.gz" -C /opt/keylane --strip-components 1
inside sh /given/use.sh /opt/keylane /opt/keylane/lib/ossl-modules
inside rm -r /opt/keylane
stays
echo "the archive: used as a prefix, removed"

modules=/usr/lib/$machine-linux-gnu/ossl-modules
inside sh -c 'dpkg --install /given/*.deb'
inside dpkg --audit
inside sh /given/use.sh /usr "$modules"
echo "the packages: installed"
inside sh -c 'dpkg --install /newer/*.deb'
names=()
for package in "${packages[@]}"; do names+=("$(dpkg-deb --field "$package" Package)"); done
inside dpkg-query --show --showformat '${Package} ${Version} ${Status}\n' "${names[@]}" | tee "$work/versions"
[[ $(grep -c '+next install ok installed$' "$work/versions") == "${#names[@]}" ]] || { echo "not upgraded"; exit 1; }
inside sh /given/use.sh /usr "$modules"
echo "the packages: upgraded"
inside dpkg --purge "${names[@]}"
stays
echo "the packages: removed, nothing stays"

inside python3 -m venv /opt/python
inside sh -c 'cd /opt/python && find . | grep -v __pycache__ | sort >/given/before'
inside sh -c '/opt/python/bin/pip install --no-index --disable-pip-version-check --no-compile /given/*.whl'
inside /opt/python/bin/python -B /given/use.py
inside /opt/python/bin/pip uninstall --yes keylane
inside sh -c 'cd /opt/python && find . | grep -v __pycache__ | sort >/given/after'
diff "$system/given/before" "$system/given/after" || { echo "files stay after pip uninstall"; exit 1; }
inside rm -r /opt/python
stays
echo "the wheel: installed, used and removed, nothing stays"
