#!/usr/bin/env bash
# The tests of Spark, which is too large for every change: a standalone cluster of three processes, Spark Connect, and
# encryption. pip loads 0.6 GB into an environment of its own. Java 17 is needed.
#
#   python/spark.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")"
python=$(command -v python3.11 || command -v python3)
java -version >/dev/null 2>&1 || { echo "Spark 4 needs Java 17 or later"; exit 1; }

at=$PWD/target/spark
packages=("pyspark[connect]==4.3.0" numpy==2.4.6 pandas==2.3.3 pyarrow==26.0.1 pytest==9.2.0 maturin==1.16.0)
[[ -x $at/venv/bin/python ]] || "$python" -m venv "$at/venv"
"$at/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
rm -rf "$at/dist"
"$at/venv/bin/maturin" build --quiet --release --locked --out "$at/dist"
"$at/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$at"/dist/keylane-*.whl

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
