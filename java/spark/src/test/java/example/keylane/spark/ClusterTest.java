package example.keylane.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import example.keylane.SipHash;
import example.keylane.SipHashKey;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The functions on a cluster of two workers, from the archives that a release has. The driver has no key. Tags are compared
 * with the reference in plain Python, and the key is looked for in all that Spark shows and writes.
 */
@Tag("cluster")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterTest {
    private static final byte[] KEY = HexFormat.of().parseHex("9b1c6e02f7a35d48cb7710e94fd28a3e");
    private static final SipHashKey CLUSTER = SipHashKey.of(KEY);
    private static final long ROWS = 10_000_000;

    @TempDir
    static Path folder;

    @TempDir
    static Path keys;

    private static Cluster cluster;
    private static SparkSession spark;
    private static final List<String> SHOWN = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        Files.writeString(keys.resolve("cluster"), HexFormat.of().formatHex(KEY));
        Files.createDirectories(folder.resolve("events"));
        cluster = new Cluster(folder);
        cluster.addWorker("one", Map.of("KEYLANE_KEY_DIR", keys.toString()));
        cluster.addWorker("two", Map.of("KEYLANE_KEY_DIR", keys.toString()));
        spark = SparkSession.builder()
                .appName("keylane")
                .master(cluster.url())
                .config("spark.jars", System.getProperty("keylane.archives"))
                .config("spark.sql.extensions", KeylaneExtensions.class.getName())
                .config("spark.driver.host", Cluster.HOST)
                .config("spark.driver.bindAddress", Cluster.HOST)
                .config("spark.executor.memory", "512m")
                .config("spark.ui.port", Cluster.freePort())
                .config("spark.ui.showConsoleProgress", "false")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.datetime.java8API.enabled", "true")
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .config("spark.local.dir", folder.resolve("local").toString())
                .config("spark.eventLog.enabled", "true")
                .config("spark.eventLog.compress", "false")
                .config("spark.eventLog.dir", folder.resolve("events").toUri().toString())
                .getOrCreate();
        Cluster.await("two executors", () -> rest("executors").getAsJsonArray().size() == 3);
    }

    @AfterAll
    static void stop() {
        if (spark != null) {
            spark.stop();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static JsonElement rest(String path) {
        String application = spark.sparkContext().uiWebUrl().get() + "/api/v1/applications/" + spark.sparkContext().applicationId();
        return JsonParser.parseString(Cluster.get(application + "/" + path));
    }

    /** A type of Spark, its name to the reference, and how a value becomes a pair of both notations. */
    private record Kind(DataType type, String name, Function<Random, Object> draw, Function<Object, Object> notation) {}

    private static Kind integer(DataType type, String name, Function<Long, Object> cast) {
        Function<Object, Object> notation = name.equals("int64") ? String::valueOf : value -> value;
        return new Kind(type, name, random -> cast.apply(random.nextLong() >> random.nextInt(64)), notation);
    }

    private static Kind decimal(int precision, int scale) {
        return new Kind(DataTypes.createDecimalType(precision, scale), "decimal128(" + precision + ", " + scale + ")", random -> {
            BigInteger unscaled = new BigInteger(1 + random.nextInt((int) (precision * 3.32)), random);
            BigInteger signed = random.nextBoolean() ? unscaled : unscaled.negate();
            // Whole numbers have tags of integers.
            BigInteger whole = random.nextBoolean() ? signed : signed.divide(BigInteger.TEN.pow(scale)).multiply(BigInteger.TEN.pow(scale));
            return new BigDecimal(whole, scale);
        }, value -> ((BigDecimal) value).setScale(scale).unscaledValue().toString());
    }

    private static String text(Random random) {
        String letters = "ab\u00e4\u20ac\ud83d\ude00@.";
        return random.ints(random.nextInt(40), 0, 6)
                .mapToObj(i -> i == 4 ? "\ud83d\ude00" : letters.substring(Math.min(i, 3), Math.min(i, 3) + 1))
                .collect(Collectors.joining());
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static Instant instant(Random random) {
        return Instant.EPOCH.plus(random.nextLong() >> 11 + random.nextInt(50), ChronoUnit.MICROS);
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put("b", new Kind(DataTypes.BooleanType, "bool", Random::nextBoolean, value -> value));
        kinds.put("i8", integer(DataTypes.ByteType, "int8", Long::byteValue));
        kinds.put("i16", integer(DataTypes.ShortType, "int16", Long::shortValue));
        kinds.put("i32", integer(DataTypes.IntegerType, "int32", Long::intValue));
        kinds.put("i64", integer(DataTypes.LongType, "int64", value -> value));
        kinds.put("f32", new Kind(DataTypes.FloatType, "float32",
                random -> random.nextInt(4) > 0 ? random.nextFloat() * 1e6f : new float[] {-0f, Float.NaN, Float.NEGATIVE_INFINITY}[random.nextInt(3)],
                value -> "0x" + Integer.toHexString(Float.floatToRawIntBits((Float) value))));
        kinds.put("f64", new Kind(DataTypes.DoubleType, "float64",
                random -> random.nextInt(4) > 0 ? random.nextGaussian() : new double[] {-0.0, Double.NaN, Double.MIN_VALUE}[random.nextInt(3)],
                value -> "0x" + Long.toHexString(Double.doubleToRawLongBits((Double) value))));
        kinds.put("text", new Kind(DataTypes.StringType, "utf8", ClusterTest::text, value -> value));
        kinds.put("bytes", new Kind(DataTypes.BinaryType, "binary", random -> {
            byte[] bytes = new byte[random.nextInt(30)];
            random.nextBytes(bytes);
            return bytes;
        }, value -> HexFormat.of().formatHex((byte[]) value)));
        kinds.put("date", new Kind(DataTypes.DateType, "date32", random -> LocalDate.ofEpochDay(random.nextInt(200_000) - 100_000),
                value -> ((LocalDate) value).toEpochDay()));
        kinds.put("ts", new Kind(DataTypes.TimestampType, "timestamp[us, tz=UTC]", ClusterTest::instant,
                value -> String.valueOf(micros((Instant) value))));
        kinds.put("ntz", new Kind(DataTypes.TimestampNTZType, "timestamp[us]",
                random -> LocalDateTime.ofInstant(instant(random), ZoneOffset.UTC),
                value -> String.valueOf(micros(((LocalDateTime) value).toInstant(ZoneOffset.UTC)))));
        kinds.put("dur", new Kind(DataTypes.createDayTimeIntervalType(), "duration[us]",
                random -> Duration.of(random.nextLong() >> 12 + random.nextInt(50), ChronoUnit.MICROS),
                value -> String.valueOf(((Duration) value).toNanos() / 1000)));
        kinds.put("d9", decimal(9, 2));
        kinds.put("d18", decimal(18, 0));
        kinds.put("d38", decimal(38, 10));
        kinds.put("list", new Kind(DataTypes.createArrayType(DataTypes.LongType), "list<item: int64>",
                random -> Arrays.asList(new Long[] {random.nextLong(), null, 3L}).subList(0, random.nextInt(4)),
                value -> ((List<?>) value).stream().map(item -> item == null ? null : item.toString()).collect(Collectors.toList())));
        kinds.put("struct", new Kind(new StructType().add("x", DataTypes.IntegerType).add("y", DataTypes.StringType),
                "struct<x: int32, y: utf8>", random -> RowFactory.create(random.nextInt(), random.nextBoolean() ? text(random) : null),
                value -> Arrays.asList(((Row) value).get(0), ((Row) value).get(1))));
        return kinds;
    }

    /** Tags by tests/kce1/kce1.py, in hexadecimal digits, for each case of a job and each algorithm. */
    private static List<JsonObject> reference(List<Map<String, Object>> cases) throws IOException, InterruptedException {
        Path job = folder.resolveSibling(folder.getFileName() + ".job.json");
        Map<String, Object> all = Map.of("algorithms", List.of("siphash-1-3-64", "siphash-2-4-128"), "cases", cases);
        Files.writeString(job, new Gson().newBuilder().serializeNulls().create().toJson(all));
        Path program = Path.of(System.getProperty("keylane.repository"), "tests", "kce1", "kce1.py");
        ProcessBuilder builder = new ProcessBuilder("python3", program.toString()).redirectInput(job.toFile());
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        Files.delete(job);
        return JsonParser.parseString(answer).getAsJsonObject().getAsJsonArray("cases").asList().stream()
                .map(one -> one.getAsJsonObject().getAsJsonObject("tags")).toList();
    }

    private static String digits(long tag) {
        return String.format("%016x", Long.reverseBytes(tag));
    }

    @Test
    @Order(1)
    void randomTables() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<String, Kind> kinds = kinds();
        int count = 500;
        StructType type = new StructType().add("id", DataTypes.IntegerType, false);
        Map<String, List<Object>> noted = new LinkedHashMap<>();
        for (Map.Entry<String, Kind> kind : kinds.entrySet()) {
            type = type.add(kind.getKey(), kind.getValue().type());
            noted.put(kind.getKey(), new ArrayList<>());
        }
        List<Row> rows = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            List<Object> row = new ArrayList<>(List.of(id));
            for (Map.Entry<String, Kind> kind : kinds.entrySet()) {
                Object value = random.nextInt(7) == 0 ? null : kind.getValue().draw().apply(random);
                row.add(value);
                noted.get(kind.getKey()).add(value == null ? null : kind.getValue().notation().apply(value));
            }
            rows.add(RowFactory.create(row.toArray()));
        }
        String path = folder.resolve("table").toString();
        spark.createDataFrame(rows, type).repartition(4).write().parquet(path);
        spark.read().parquet(path).createOrReplaceTempView("t");

        String key = HexFormat.of().formatHex(KEY);
        List<String> plain = kinds.keySet().stream().filter(name -> !List.of("list", "struct").contains(name)).toList();
        List<Map<String, Object>> cases = new ArrayList<>();
        for (String name : plain) {
            cases.add(Map.of("mode", "plain", "key", key, "type", kinds.get(name).name(), "values", noted.get(name)));
        }
        cases.add(Map.of("mode", "row", "key", key, "columns", kinds.keySet().stream()
                .map(name -> Map.of("type", kinds.get(name).name(), "values", noted.get(name))).toList()));
        List<JsonObject> expected = reference(cases);

        String calls = plain.stream().map(name -> String.format(
                        "keylane_hash('cluster', %1$s), keylane_hash128('cluster', %1$s), keylane_pseudonym('cluster', %1$s)", name))
                .collect(Collectors.joining(", "));
        Dataset<Row> tags = spark.sql("SELECT id, " + calls + ", keylane_hash_rows('cluster', "
                + String.join(", ", kinds.keySet()) + ") FROM t");
        List<Row> found = tags.collectAsList();
        assertEquals(count, found.size());
        for (Row row : found) {
            for (int i = 0; i < plain.size(); i++) {
                JsonElement narrow = expected.get(i).getAsJsonArray("siphash-1-3-64").get(row.getInt(0));
                JsonElement wide = expected.get(i).getAsJsonArray("siphash-2-4-128").get(row.getInt(0));
                String what = plain.get(i) + " of row " + row.getInt(0) + ", seed " + seed;
                assertEquals(narrow.isJsonNull(), row.isNullAt(3 * i + 1), what);
                if (!narrow.isJsonNull()) {
                    assertEquals(narrow.getAsString(), digits(row.getLong(3 * i + 1)), what);
                    assertEquals(wide.getAsString(), HexFormat.of().formatHex(row.getAs(3 * i + 2)), what);
                    assertEquals(wide.getAsString(), row.getString(3 * i + 3), what);
                }
            }
            JsonElement right = expected.get(plain.size()).getAsJsonArray("siphash-1-3-64").get(row.getInt(0));
            assertEquals(right.getAsString(), digits(row.getLong(1 + 3 * plain.size())), "the row " + row.getInt(0) + ", seed " + seed);
        }
        SHOWN.addAll(plans(tags));
    }

    /** What {@code explain} shows. */
    private static List<String> plans(Dataset<Row> query) {
        List<String> shown = new ArrayList<>(List.of(query.queryExecution().toString(), query.queryExecution().logical().toString()));
        for (String mode : List.of("simple", "extended", "codegen", "cost", "formatted")) {
            shown.add(query.queryExecution().explainString(ExplainMode.fromString(mode)));
        }
        return shown;
    }

    @Test
    @Order(2)
    void tenMillionRowsAndALostWorker() throws Exception {
        String path = folder.resolve("tags").toString();
        Dataset<Row> tags = spark.range(0, ROWS, 1, 40).selectExpr("id", "keylane_hash('cluster', id) AS tag",
                "keylane_hash('cluster', concat('user', id, '@example.com'), 'users.email') AS email");
        int before = rest("stages").getAsJsonArray().size();
        CompletableFuture<Void> job = CompletableFuture.runAsync(() -> tags.write().option("compression", "none").parquet(path));
        int[] done = {0};
        Cluster.await("some of the tasks", () -> {
            JsonArray stages = rest("stages").getAsJsonArray();
            done[0] = stages.size() == before ? 0 : stages.get(0).getAsJsonObject().get("numCompleteTasks").getAsInt();
            return done[0] >= 4 || job.isDone();
        });
        assertTrue(done[0] < 36, "the worker ends in the middle of the job: " + done[0]);
        cluster.kill("one");
        job.join();
        long lost = rest("allexecutors").getAsJsonArray().asList().stream()
                .filter(one -> !one.getAsJsonObject().get("isActive").getAsBoolean()).count();
        assertEquals(1, lost);

        SipHash numbers = SipHash.of(1, 3, CLUSTER);
        SipHash emails = SipHash.of(1, 3, CLUSTER.derive("users.email"));
        BitSet seen = new BitSet();
        for (Iterator<Row> rows = spark.read().parquet(path).toLocalIterator(); rows.hasNext(); ) {
            Row row = rows.next();
            long id = row.getLong(0);
            seen.set((int) id);
            if (row.getLong(1) != numbers.hash(id) || row.getLong(2) != emails.hash("user" + id + "@example.com")) {
                throw new AssertionError("the tags of row " + id);
            }
        }
        assertEquals(ROWS, seen.cardinality());
        cluster.addWorker("three", Map.of("KEYLANE_KEY_DIR", keys.toString()));
    }

    @Test
    @Order(3)
    void missingKeysAndKeysAsNames() {
        Throwable unknown = assertThrows(Exception.class, () -> spark.sql("SELECT keylane_hash('nobody', id) FROM t").collect());
        SHOWN.add(unknown.toString());
        assertTrue(unknown.toString().contains("no key is loaded under the name \"nobody\""), unknown.toString());
        // Other keys than that of the cluster: Spark keeps the text of a query in its log of events.
        byte[] other = HexFormat.of().parseHex("00d1f2a3b4c5968778695a4b3c2d1e0f");
        for (String text : List.of(HexFormat.of().formatHex(other), HexFormat.of().withUpperCase().formatHex(other),
                Base64.getEncoder().encodeToString(other), "cluster/" + HexFormat.of().formatHex(other))) {
            for (String call : List.of("keylane_hash('%s', id)", "keylane_pseudonym('%s', id)", "keylane_hash_rows('%s', id)")) {
                Exception refused = assertThrows(Exception.class, () -> spark.sql("SELECT " + String.format(call, text) + " FROM t"));
                assertFalse(refused.toString().contains(text), refused.toString());
            }
        }
    }

    /** The key and its subkeys, in every form in which they could stand in a text or a file. */
    private static List<String> secrets() {
        List<String> secrets = new ArrayList<>();
        // A subkey is a tag of 128 bits: docs/COLUMNS.md.
        SipHash derive = SipHash.of(4, 8, CLUSTER);
        for (String context : new String[] {null, "users.email", "KCE-1 row"}) {
            byte[] raw = context == null ? KEY : derive.hash128("keylane subkey 1\0" + context);
            String signed = Arrays.toString(raw);
            secrets.addAll(List.of(new String(raw, StandardCharsets.ISO_8859_1), HexFormat.of().formatHex(raw),
                    HexFormat.of().withUpperCase().formatHex(raw), HexFormat.ofDelimiter(" ").formatHex(raw),
                    Base64.getEncoder().withoutPadding().encodeToString(raw),
                    Base64.getUrlEncoder().withoutPadding().encodeToString(raw), signed.substring(1, signed.length() - 1)));
        }
        return secrets;
    }

    @Test
    @Order(4)
    void theKeyIsNowhere() throws Exception {
        Dataset<Row> query = spark.sql("SELECT keylane_hash('cluster', text, 'users.email') AS tag, keylane_hash_rows('cluster', id) FROM t");
        query.count();
        SHOWN.addAll(plans(query));
        String ui = spark.sparkContext().uiWebUrl().get();
        String rest = ui + "/api/v1/applications/" + spark.sparkContext().applicationId() + "/";
        for (String path : List.of("environment", "jobs", "stages?details=true", "allexecutors", "sql?details=true&planDescription=true&length=1000")) {
            SHOWN.add(Cluster.get(rest + path));
        }
        for (String page : List.of("jobs", "stages", "storage", "environment", "executors", "SQL")) {
            SHOWN.add(Cluster.get(ui + "/" + page + "/"));
        }
        for (JsonElement one : rest("sql").getAsJsonArray()) {
            SHOWN.add(Cluster.get(ui + "/SQL/execution/?id=" + one.getAsJsonObject().get("id").getAsString()));
        }
        SHOWN.add(Cluster.get(cluster.web() + "/json/"));
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    SHOWN.add(Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1));
                } catch (IOException ended) {
                    continue;
                }
            }
        }
        List<String> secrets = secrets();
        for (String text : SHOWN) {
            assertNotNull(text);
            for (String secret : secrets) {
                assertFalse(text.contains(secret));
            }
        }
        // The search would find it.
        assertTrue(SHOWN.stream().anyMatch(text -> text.contains("KeyRef[cluster]")));
        String file = Files.readString(keys.resolve("cluster"), StandardCharsets.ISO_8859_1);
        assertTrue(secrets.stream().anyMatch(file::contains));

        spark.stop();
        int files = 0;
        boolean named = false;
        try (var all = Files.walk(folder)) {
            for (Path path : all.filter(path -> Files.isRegularFile(path) && !path.startsWith(folder.resolve("home"))).toList()) {
                String text = new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
                for (String secret : secrets) {
                    assertFalse(text.contains(secret), path.toString());
                }
                named |= path.startsWith(folder.resolve("events")) && text.contains("KeyRef[cluster]");
                files++;
            }
        }
        assertTrue(named, "the log of events has the name of the key");
        assertTrue(files > 20, "logs, tables and events: " + files);
    }
}
