"""What keylane costs in Spark: through Python beside the identity, and on the JVM beside Spark's own hashes.

    KEYLANE_JARS=KEYLANE.jar,KEYLANE-SPARK.jar python3 with_spark.py [--rows N] [--rounds N] [--record FOLDER]

Each figure is the wall time of a job over a table in memory whose result is thrown away, the least of several rounds in
which the jobs take turns. One driver may use one processor, with its threads and Python; another one two.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

KEY = bytes(range(16))
ONE, TWO = "one core", "two cores"
ON_THE_JVM, XXHASH64 = "the JVM, keylane_hash(key, email)", "Spark, xxhash64(email) (no key)"


def jobs(spark, rows, cores):
    """The jobs by their names."""
    from pyspark.sql import functions as f

    import keylane
    import keylane.spark

    keylane.keys.load("bench", KEY)
    df = spark.range(0, rows, numPartitions=4 * cores).selectExpr("id", "concat('user', id, '@example.com') AS email")
    df = df.cache()
    df.count()

    def identity(batches):
        yield from batches

    def tagged(**columns):
        return keylane.spark.hash_columns(df, columns)

    found = {
        "the table alone": df,
        "mapInArrow, identity": df.mapInArrow(identity, df.schema),
        "hash_columns, email becomes its tag": tagged(email=("email", "bench")),
        "hash_columns, one more column": tagged(tag=("email", "bench")),
    }
    found[ON_THE_JVM] = df.selectExpr("id", "keylane_hash('bench', email)")
    found[XXHASH64] = df.select("id", f.xxhash64("email"))
    if cores == 2:
        return found
    found |= {
        "the JVM, keylane_hash(key, id)": df.selectExpr("keylane_hash('bench', id)", "email"),
        "Spark, xxhash64(id) (no key)": df.select(f.xxhash64("id"), "email"),
        "the JVM, keylane_pseudonym(key, email)": df.selectExpr("id", "keylane_pseudonym('bench', email)"),
        "the JVM, keylane_hash_rows(key, id, email)": df.selectExpr("keylane_hash_rows('bench', id, email)"),
        "Spark, xxhash64(id, email) (no key)": df.select(f.xxhash64("id", "email")),
    }
    three = {"tag": ("email", "bench", "siphash-2-4-128"), "number": ("id", "bench"), "row": (["id", "email"], "bench")}
    secret = f.lit("0123456789abcdef")
    inner = f.unhex(f.sha2(f.concat(secret, "email"), 256))
    return found | {
        "hash_columns, three more columns": tagged(**three),
        "Spark, sha2(key || email) (no HMAC)": df.select("id", f.sha2(f.concat(secret, "email"), 256)),
        "Spark, sha2 twice, as HMAC does": df.select("id", f.sha2(f.concat(secret, inner), 256)),
    }


def child(rows, rounds, cores):
    from pyspark.sql import SparkSession

    # The virtual machine's own threads and Python count too, so that one core is one core.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    settings = {
        "spark.jars": os.environ["KEYLANE_JARS"],
        "spark.sql.extensions": "example.keylane.spark.KeylaneExtensions",
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": "4g",
        # Java would choose another collector for one processor.
        "spark.driver.extraJavaOptions": "-XX:+UseG1GC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    found = []

    def run(case, table):
        least = dict.fromkeys(table, float("inf"))
        for turn in range(rounds + 1):
            for name, df in table.items():
                start = time.perf_counter_ns()
                df.write.format("noop").mode("overwrite").save()
                # The first turn warms the virtual machine up.
                if turn:
                    least[name] = min(least[name], (time.perf_counter_ns() - start) / rows)
        found.extend((case, name, "row", nanoseconds) for name, nanoseconds in least.items())

    table = jobs(spark, rows, cores)
    run(ONE if cores == 1 else TWO, table)
    if cores == 1:
        for size in (1_000, 10_000, 100_000, 1_000_000):
            spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(size))
            df = table["hash_columns, one more column"]
            # The size is read when a plan is made.
            run("one core, rows in a batch", {f"{size}": df.select("*")})
    spark.stop()
    print(json.dumps(found))


def spin(processor, barrier, found):
    """Puts the seconds that a loop takes into a queue."""
    os.sched_setaffinity(0, {processor})
    barrier.wait()
    start = time.perf_counter()
    number = 1
    for _ in range(5_000_000):
        number = number * 6364136223846793005 + 1442695040888963407 & 0xFFFFFFFFFFFFFFFF
    found.put(time.perf_counter() - start)


def machine_scales():
    """How many times as much two processes do as one, if they share nothing."""
    processors, found = sorted(os.sched_getaffinity(0))[:2], multiprocessing.Queue()
    seconds = []
    for some in (processors[:1], processors):
        barrier = multiprocessing.Barrier(len(some))
        processes = [multiprocessing.Process(target=spin, args=(one, barrier, found)) for one in some]
        for process in processes:
            process.start()
        seconds.append(max(found.get() for _ in processes))
        for process in processes:
            process.join()
    return 2 * seconds[0] / seconds[1]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=10_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--record")
    arguments.add_argument("--cores", type=int)
    arguments = arguments.parse_args()
    if arguments.cores:
        return child(arguments.rows, arguments.rounds, arguments.cores)
    calls = []
    for cores in (1, 2):
        command = [sys.executable, __file__, "--rows", str(arguments.rows), "--rounds", str(arguments.rounds)]
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
            key = os.path.join(folder, "bench")
            with open(key, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(KEY.hex())
            environment["KEYLANE_KEY_DIR"] = folder
            done = subprocess.run([*command, "--cores", str(cores)], env=environment, stdout=subprocess.PIPE, check=True)
        for case, name, unit, nanoseconds in json.loads(done.stdout.splitlines()[-1]):
            calls.append((case, name, unit, nanoseconds))
            print(f"{case:28} {name:44} {nanoseconds:10.1f} ns a {unit}, {1e9 / nanoseconds:12,.0f} a second")
    figure = {(case, name): nanoseconds for case, name, _, nanoseconds in calls}
    targets = []

    def target(what, ratio, limit, smaller):
        targets.append((what, ratio, limit, ratio <= limit if smaller else ratio >= limit))

    identity = figure[ONE, "mapInArrow, identity"]
    replaced, added = "hash_columns, email becomes its tag", "hash_columns, one more column"
    target("email becomes its tag, to the identity, at most", figure[ONE, replaced] / identity, 1.05, True)
    target("one more column, to the identity, at most", figure[ONE, added] / identity, 1.05, True)
    target("one more column, from one core to two, times", figure[ONE, added] / figure[TWO, added], 1.8, False)
    jvm = figure[ONE, ON_THE_JVM]
    target("keylane_hash on the JVM, to xxhash64, at most", jvm / figure[ONE, XXHASH64], 1.15, True)
    target("keylane_hash on the JVM, to one more column, times as fast", figure[ONE, added] / jvm, 2.5, False)
    target("keylane_hash on the JVM, from one core to two, times", jvm / figure[TWO, ON_THE_JVM], 1.8, False)
    scales = machine_scales()
    print(f"two processes that share nothing do {scales:.2f} times as much as one")
    for what, ratio, limit, met in targets:
        print(f"{what:58} {ratio:8.3f}   target {limit:5.2f}   {'met' if met else 'missed'}")
    if arguments.record:
        import recording

        method = [
            f"{arguments.rows} rows of an int64 and a text of 17 to 23 bytes, cached; wall time of a job, the least of "
            f"{arguments.rounds} rounds in which the jobs take turns;",
            "local[1] on one processor and local[2] on two; noop output; 10000 rows in a batch of Arrow unless said otherwise;",
            f"two processes with a loop each, which share nothing, do {scales:.2f} times as much as one",
        ]
        recording.write(arguments.record, calls, targets, ["pyspark", "pyarrow", "pandas"], method)


main()
