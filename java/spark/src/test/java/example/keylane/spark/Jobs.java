package example.keylane.spark;

import example.keylane.KeyRef;
import example.keylane.SipHashKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** Times jobs over a Parquet file, in one thread: the least of some rounds, for each row. No test judges the figures. */
public final class Jobs {
    private static final long ROWS = 500_000;

    private Jobs() {}

    /**
     * Prints a line for each job.
     *
     * @param arguments the number of rounds, and the beginnings of the names of the jobs to be timed
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        Path folder = Files.createTempDirectory("keylane-jobs");
        KeyRef.bind("bench", SipHashKey.generate());
        SparkSession spark = SparkSession.builder()
                .master("local[1]")
                .config("spark.sql.extensions", KeylaneExtensions.class.getName())
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .getOrCreate();
        String path = folder.resolve("rows").toString();
        spark.range(ROWS)
                .selectExpr("id", "concat('user', id * 7919, '@example.com') AS email")
                .coalesce(1)
                .write()
                .parquet(path);
        Map<String, String[]> jobs = new LinkedHashMap<>();
        jobs.put("identity", new String[] {"id", "email"});
        jobs.put("xxhash64(email)", new String[] {"id", "xxhash64(email)"});
        jobs.put("keylane_hash(email)", new String[] {"id", "keylane_hash('bench', email)"});
        jobs.put("sha2(concat(key, email))", new String[] {"id", "sha2(concat('0123456789abcdef', email), 256)"});
        jobs.put("keylane_pseudonym(email)", new String[] {"id", "keylane_pseudonym('bench', email)"});
        jobs.put("xxhash64(id)", new String[] {"xxhash64(id)", "email"});
        jobs.put("keylane_hash(id)", new String[] {"keylane_hash('bench', id)", "email"});
        jobs.put("xxhash64(id, email)", new String[] {"xxhash64(id, email)"});
        jobs.put("keylane_hash_rows(id, email)", new String[] {"keylane_hash_rows('bench', id, email)"});
        jobs.keySet().removeIf(name -> Arrays.stream(arguments).skip(1).noneMatch(name::startsWith));
        Map<String, double[]> times = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<String, String[]> job : jobs.entrySet()) {
                Dataset<Row> result = spark.read().parquet(path).selectExpr(job.getValue());
                long begin = System.nanoTime();
                result.write().format("noop").mode(SaveMode.Overwrite).save();
                double time = (System.nanoTime() - begin) / (double) ROWS;
                times.computeIfAbsent(job.getKey(), name -> new double[rounds])[round] = time;
            }
        }
        times.forEach((name, all) -> {
            Arrays.sort(all);
            System.out.printf("%-30s least %6.1f ns a row, median %6.1f%n", name, all[0], all[rounds / 2]);
        });
        spark.stop();
    }
}
