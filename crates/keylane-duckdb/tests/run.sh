#!/usr/bin/env bash
# Builds the extension, and tests it in the oldest and the newest DuckDB that it supports: from Python, and in DuckDB's
# command.
#
#   crates/keylane-duckdb/tests/run.sh [VERSION...]     those of DuckDB's Python package
set -euo pipefail
cd "$(dirname "$0")/../../.."

python=$(command -v python3.11 || command -v python3)
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "not run: the extension for DuckDB: there is no Python 3.11 here"
    [[ ${CI-} != true ]]
    exit
}

at=$PWD/target/duckdb
versions=("$@")
(($#)) || versions=(1.2.0 2.0.0)
command=(duckdb-cli==1.5.6)

environment() { # NAME PACKAGE...
    [[ -x $at/$1/bin/python ]] || "$python" -m venv "$at/$1"
    "$at/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}

environment command "${command[@]}"
for version in "${versions[@]}"; do
    environment "$version" "duckdb==$version" pytest==9.2.0
    # Older packages for Python name another platform.
    platform=$("$at/$version/bin/python" -c 'import duckdb; print(duckdb.execute("PRAGMA platform").fetchone()[0])')
    export KEYLANE_DUCKDB_EXTENSION=$at/$platform/keylane.duckdb_extension
    cargo xtask duckdb --platform "$platform" --output "$KEYLANE_DUCKDB_EXTENSION"
    [[ $platform == *_gcc4 ]] && program= || program=$at/command/bin/duckdb
    KEYLANE_DUCKDB_CLI=$program "$at/$version/bin/python" -m pytest -q -p no:cacheprovider \
        crates/keylane-duckdb/tests/test_extension.py
done
echo "the extension for DuckDB: passed in $SECONDS s"
