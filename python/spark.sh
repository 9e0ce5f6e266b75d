#!/usr/bin/env bash
# The tests of engines that are too large for every change: Spark on a standalone cluster of three processes, Spark
# Connect, Ray and Dask with two workers, and one table through every engine. It makes an environment of 1.6 GB of its
# own. Java 17, Maven and Go are needed.
#
#   python/spark.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")"
python=$(command -v python3.11 || command -v python3)
java -version >/dev/null 2>&1 || { echo "Spark 4 needs Java 17 or later"; exit 1; }
for program in mvn go; do command -v $program >/dev/null || { echo "$program is needed"; exit 1; }; done

at=$PWD/target/spark
packages=("pyspark[connect]==4.3.0" "dask[dataframe,distributed]==2026.8.0" ray==2.60.0 datafusion==55.0.0 duckdb==2.0.0
    numpy==2.4.6 pandas==2.3.3 polars==2.1.0 pyarrow==26.0.1 pytest==9.2.0 maturin==1.16.0)
[[ -x $at/venv/bin/python ]] || "$python" -m venv "$at/venv"
"$at/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
rm -rf "$at/dist"
"$at/venv/bin/maturin" build --quiet --release --locked --out "$at/dist"
"$at/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$at"/dist/keylane-*.whl

# The C library, the command, the extension for DuckDB and the functions for DataFusion, for the table that goes through
# every engine. DataFusion compiles for minutes the first time.
target=${CARGO_TARGET_DIR:-$PWD/../target}
cargo build --quiet --release --locked --manifest-path ../Cargo.toml --package keylane-capi
cargo build --quiet --release --locked --manifest-path ../Cargo.toml --package keylane-cli --features column
export KEYLANE_DUCKDB_EXTENSION=$at/keylane.duckdb_extension
(cd .. && cargo xtask duckdb --output "$KEYLANE_DUCKDB_EXTENSION")
(cd ../contrib/datafusion && CARGO_TARGET_DIR=$target/datafusion cargo build --quiet --locked --example arrow_file)
export KEYLANE_DATAFUSION=$target/datafusion/debug/examples/arrow_file
export KEYLANE_LIBRARY=$target/release/libkeylane_capi.so KEYLANE_COMMAND=$target/release/keylane

# The functions for Spark on the JVM.
(cd ../java && mvn --batch-mode --quiet -Dmaven.test.skip=true --projects keylane,spark package)
version=$(sed -n "s/^version = \"\(.*\)\"$/\1/p" Cargo.toml)
export KEYLANE_JARS=$PWD/../java/keylane/target/keylane-$version.jar,$PWD/../java/spark/target/keylane-spark_2.13-$version.jar

# A process for each file: a process has one driver of Spark, which keeps the settings of its first session.
failed=()
for file in "$PWD"/cluster/test_*.py; do
    status=0
    (cd "$at" && PYTHONPATH="$OLDPWD/cluster:$OLDPWD/tests" "$at/venv/bin/python" -m pytest -q -p no:cacheprovider \
        --rootdir "$OLDPWD/cluster" -c /dev/null "$file" "$@") || status=$?
    # 5: the arguments chose no test of this file.
    if ((status != 0 && status != 5)); then failed+=("${file##*/}"); fi
done
if ((${#failed[@]})); then echo "FAILED: ${failed[*]}"; exit 1; fi
echo "engines: passed in $SECONDS s"
