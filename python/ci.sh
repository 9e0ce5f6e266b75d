#!/usr/bin/env bash
# What a change of the Python package must pass: clippy, the wheel and the source archive, the tests in clean
# environments with the oldest and the newest supported Polars, types, stubs and examples.
#
#   python/ci.sh
set -euo pipefail
cd "$(dirname "$0")"

# The oldest Python that is supported, if it is here.
python=$(command -v python3.11 || command -v python3)
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "not run: the Python package: there is no Python 3.11 here"
    [[ ${CI-} != true ]]
    exit
}

at=$PWD/target/ci
newest=(numpy==2.4.6 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 datafusion==55.0.0)
oldest=(numpy==1.26.4 pandas==2.2.3 polars==1.6.0 pyarrow==17.0.0)
newest+=(duckdb==2.0.0 scikit-learn==1.9.1 cryptography==48.0.0)
oldest+=(duckdb==1.1.0)
tools=(pytest==9.2.0 hypothesis==6.170.15)

cargo fmt --check
"$python" bench/table.py --check
cargo clippy --release --locked -- -D warnings

environment() { # NAME PACKAGE...
    [[ -x $at/$1/bin/python ]] || "$python" -m venv "$at/$1"
    "$at/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}
environment tools maturin==1.16.0

# The source archive must build by itself, and the wheel comes from it.
rm -rf "$at/dist"
PATH="$at/tools/bin:$PATH" maturin sdist --out "$at/dist"
rm -rf "$at/source" && mkdir -p "$at/source"
tar -xzf "$at"/dist/keylane-*.tar.gz -C "$at/source" --strip-components 1
CARGO_TARGET_DIR="$PWD/target" "$at/tools/bin/maturin" build --release --locked \
    --manifest-path "$(find "$at/source" -path '*python/Cargo.toml')" --out "$at/dist"
wheel=("$at"/dist/keylane-*-cp311-abi3-*.whl)
size=$(stat --format %s "${wheel[0]}")
((size < 3000000)) || { echo "the wheel has $size bytes, and may have 3000000"; exit 1; }

for name in newest oldest; do
    declare -n packages=$name
    environment "$name" "${tools[@]}" "${packages[@]}"
    "$at/$name/bin/pip" install --quiet --force-reinstall --no-deps "${wheel[0]}"
    # From another folder, so that the package that is installed is tested.
    (cd "$at" && "$at/$name/bin/python" -m pytest -q --rootdir "$OLDPWD" -c "$OLDPWD/pyproject.toml" "$OLDPWD/tests")
done

# One table through the engines that are here. python/spark.sh sends it through Spark, Go, C, the command and DataFusion
# in Rust too.
export KEYLANE_DUCKDB_EXTENSION=$at/keylane.duckdb_extension
(cd .. && cargo xtask duckdb --output "$KEYLANE_DUCKDB_EXTENSION")
(cd "$at" && PYTHONPATH="$OLDPWD/cluster:$OLDPWD/tests" "$at/newest/bin/python" -m pytest -q -p no:cacheprovider \
    --rootdir "$OLDPWD/cluster" -c /dev/null "$OLDPWD/cluster/test_equality.py" \
    -k "(arrow or pandas or polars or datafusion or duckdb) and not in_rust")

# Without any other library.
environment alone pip
"$at/alone/bin/pip" install --quiet --force-reinstall "${wheel[0]}"
(cd "$at" && "$at/alone/bin/python" -c 'import keylane; print(keylane.hash_column(["a", None], bytes(16)))')

environment newest mypy==2.4.1
"$at/newest/bin/mypy"
(cd "$at" && "$at/newest/bin/stubtest" keylane --mypy-config-file "$OLDPWD/pyproject.toml" \
    --allowlist "$OLDPWD/tests/stubtest.txt" --ignore-unused-allowlist)
echo "the Python package: passed in $SECONDS s, a wheel of $size bytes"
