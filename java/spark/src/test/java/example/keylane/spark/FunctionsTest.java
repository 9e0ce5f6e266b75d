package example.keylane.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.keylane.ColumnHash;
import example.keylane.KeyRef;
import example.keylane.SipHashKey;
import example.keylane.Struct;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

/** The functions in one process. */
class FunctionsTest {
    private static final byte[] KEY = HexFormat.of().parseHex("f1e2d3c4b5a6978877665544332211ee");
    private static final SipHashKey USERS = SipHashKey.of(KEY);
    private static final ColumnHash SHORT = ColumnHash.of("siphash-1-3-64", USERS);
    private static final ColumnHash LONG = ColumnHash.of("siphash-2-4-128", USERS);

    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() throws Exception {
        Path keys = Path.of(System.getenv("KEYLANE_KEY_DIR"));
        Files.createDirectories(keys);
        Files.writeString(keys.resolve("users"), HexFormat.of().formatHex(KEY));
        spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.sql.extensions", KeylaneExtensions.class.getName())
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.datetime.java8API.enabled", "true")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.warehouse.dir", folder.toString())
                .config("spark.eventLog.enabled", "true")
                .config("spark.eventLog.dir", folder.toUri().toString())
                .getOrCreate();
        table().createOrReplaceTempView("t");
    }

    @AfterAll
    static void stop() throws Exception {
        spark.stop();
        // Nothing that Spark wrote shows the key.
        int files = 0;
        try (var all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                assertFalse(shows(new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1)), file.toString());
                files++;
            }
        }
        assertTrue(files > 0, "there is an event log");
    }

    private static boolean shows(String text) {
        return text.toLowerCase(Locale.ROOT).contains(HexFormat.of().formatHex(KEY).substring(0, 16))
                || text.contains(Base64.getEncoder().encodeToString(KEY).substring(0, 12))
                || text.contains(new String(KEY, java.nio.charset.StandardCharsets.ISO_8859_1).substring(0, 8));
    }

    private static final StructType INNER = new StructType().add("x", DataTypes.IntegerType).add("y", DataTypes.StringType);

    private static final StructType TYPE = new StructType()
            .add("b", DataTypes.BooleanType)
            .add("i8", DataTypes.ByteType)
            .add("i16", DataTypes.ShortType)
            .add("i32", DataTypes.IntegerType)
            .add("i64", DataTypes.LongType)
            .add("f32", DataTypes.FloatType)
            .add("f64", DataTypes.DoubleType)
            .add("text", DataTypes.StringType)
            .add("bytes", DataTypes.BinaryType)
            .add("date", DataTypes.DateType)
            .add("ts", DataTypes.TimestampType)
            .add("ntz", DataTypes.TimestampNTZType)
            .add("dur", DataTypes.createDayTimeIntervalType())
            .add("d9", DataTypes.createDecimalType(9, 2))
            .add("d18", DataTypes.createDecimalType(18, 0))
            .add("d38", DataTypes.createDecimalType(38, 10))
            .add("list", DataTypes.createArrayType(DataTypes.LongType))
            .add("struct", INNER)
            .add("deep", DataTypes.createArrayType(INNER))
            .add("id", DataTypes.IntegerType, false);

    private static Object[] row(int i) {
        return new Object[] {
            i % 2 == 0, (byte) -i, (short) (i * 1000), i * 100_000_000, Long.MIN_VALUE + i, i / 3f, i == 1 ? -0.0 : i == 2 ? Double.NaN : i / 7.0,
            "text \u20ac".repeat(i), new byte[] {(byte) i, 0, -1}, LocalDate.ofEpochDay(-i * 1000L),
            Instant.ofEpochSecond(i * 1_000_000_000L - 5, 123_456_000), LocalDateTime.of(1900 + 40 * i, 1, 2, 3, 4, 5, 6_000),
            Duration.ofMillis(-i * 12_345L), new BigDecimal("-12.30").add(BigDecimal.valueOf(i)), BigDecimal.valueOf(i * 100_000_000_000L),
            new BigDecimal(i % 2 == 0 ? "12345678901234567890.5" : "7").setScale(10), Arrays.asList(1L, null, (long) i),
            RowFactory.create(i, null), Arrays.asList(RowFactory.create(i, "a"), null), i
        };
    }

    /** Rows of values, then one of nulls. */
    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            rows.add(RowFactory.create(row(i)));
        }
        Object[] nulls = new Object[TYPE.size()];
        nulls[TYPE.size() - 1] = 5;
        rows.add(RowFactory.create(nulls));
        return rows;
    }

    /** A table whose rows go through a shuffle, so that values lie in Spark's own rows. */
    private static Dataset<Row> table() {
        return spark.createDataFrame(rows(), TYPE).repartition(2, new Column("id"));
    }

    /** A value as ColumnHash takes it. */
    private static Object value(Object value) {
        if (value instanceof Row row) {
            Object[] fields = new Object[row.size()];
            Arrays.setAll(fields, i -> value(row.get(i)));
            return Struct.of(fields);
        }
        return value instanceof List<?> list ? list.stream().map(FunctionsTest::value).toList() : value;
    }

    private static long hash(byte[] tag) {
        return java.nio.ByteBuffer.wrap(tag).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong();
    }

    @Test
    void everyTypeInEveryWay() {
        for (String factory : List.of("CODEGEN_ONLY", "NO_CODEGEN")) {
            spark.conf().set("spark.sql.codegen.factoryMode", factory);
            spark.conf().set("spark.sql.codegen.wholeStage", factory.equals("CODEGEN_ONLY"));
            List<String> names = new ArrayList<>(List.of(TYPE.fieldNames()));
            names.removeAll(List.of("list", "struct", "deep"));
            ColumnHash derived = ColumnHash.of("siphash-1-3-64", USERS.derive("c"));
            check(names, "keylane_hash('users', %s)", value -> hash(SHORT.tag(value)));
            check(names, "hex(keylane_hash128('users', %s))", value -> hex(LONG.tag(value)).toUpperCase(Locale.ROOT));
            check(names, "keylane_pseudonym('users', %s)", value -> hex(LONG.tag(value)));
            check(names, "keylane_hash('users', %s, 'c')", value -> hash(derived.tag(value)));
            String all = String.join(", ", TYPE.fieldNames());
            for (Row row : spark.sql("SELECT id, keylane_hash_rows('users', " + all + ") FROM t").collectAsList()) {
                Row values = rows().get(row.getInt(0));
                Object[] fields = new Object[values.size()];
                Arrays.setAll(fields, i -> value(values.get(i)));
                assertEquals(hash(SHORT.rowTag(fields)), row.getLong(1));
            }
        }
        spark.conf().unset("spark.sql.codegen.factoryMode");
        spark.conf().unset("spark.sql.codegen.wholeStage");
    }

    /** A function of every column, in one query. */
    private static void check(List<String> names, String call, Function<Object, Object> expected) {
        String calls = names.stream().map(name -> String.format(call, name)).collect(Collectors.joining(", "));
        List<Row> found = spark.sql("SELECT id, " + calls + " FROM t").collectAsList();
        assertEquals(6, found.size());
        for (Row row : found) {
            for (int i = 0; i < names.size(); i++) {
                Object value = rows().get(row.getInt(0)).get(TYPE.fieldIndex(names.get(i)));
                assertEquals(value == null ? null : expected.apply(value), row.get(1 + i), call + names.get(i));
            }
        }
    }

    /** Names with dots and quotes, and names that stand twice, among the columns that are hashed and beside them. */
    @Test
    void oddNames() {
        String[] names = {"id", "a.b", "a`b", "a\"b'", "x", "x", "X"};
        Dataset<Row> odd = spark.range(3).selectExpr("id", "id + 1", "id + 2", "id + 3", "id + 4", "id + 5", "id + 6").toDF(names);
        Dataset<Row> tagged = odd.selectExpr("*", "keylane_hash('users', `a.b`)", "hex(keylane_hash128('users', `a``b`))",
                "keylane_pseudonym('users', `a\"b'`)", "keylane_hash_rows('users', *)",
                "keylane_hash_rows('users', `a.b`, `a.b`, named_struct('c.d', id, 'c.d', `a``b`))");
        for (Row row : tagged.collectAsList()) {
            long id = row.getLong(0);
            Object[] all = new Object[names.length];
            Arrays.setAll(all, place -> id + place);
            assertEquals(List.of(all), CollectionConverters.asJava(row.toSeq()).subList(0, names.length));
            assertEquals(hash(SHORT.tag(id + 1)), row.getLong(7));
            assertEquals(hex(LONG.tag(id + 2)).toUpperCase(Locale.ROOT), row.getString(8));
            assertEquals(hex(LONG.tag(id + 3)), row.getString(9));
            assertEquals(hash(SHORT.rowTag(all)), row.getLong(10));
            assertEquals(hash(SHORT.rowTag(id + 1, id + 1, Struct.of(id, id + 2))), row.getLong(11));
        }
        // A name that stands twice has no meaning. Spark says so when the query is analysed.
        Exception error = assertThrows(Exception.class, () -> odd.selectExpr("keylane_hash('users', x)"));
        assertTrue(error.getMessage().contains("AMBIGUOUS_REFERENCE"), error.getMessage());
    }

    private static String hex(byte[] tag) {
        return HexFormat.of().formatHex(tag);
    }

    @Test
    void parquetAndWholeStage() {
        String path = folder.resolve("parquet").toString();
        table().write().parquet(path);
        Dataset<Row> read = spark.read().parquet(path);
        Dataset<Row> tags = read.select(
                new Column("id"),
                functions.call_function("keylane_hash", functions.lit("users"), new Column("text")).as("tag"));
        for (Row row : tags.collectAsList()) {
            Object value = rows().get(row.getInt(0)).getAs(TYPE.fieldIndex("text"));
            assertEquals(value == null ? null : hash(SHORT.tag(value)), row.get(1));
        }
        // Within whole-stage code: the plan has one stage with the projection.
        String plan = tags.queryExecution().executedPlan().toString();
        assertTrue(plan.contains("*(1) Project") && plan.contains("keylane_hash(KeyRef[users]"), plan);
        assertFalse(shows(tags.queryExecution().toString()) || shows(plan));
        long joined = read.as("a").join(read.as("b"), functions.expr(
                "keylane_hash('users', a.i32) = keylane_hash('users', CAST(b.i32 AS DECIMAL(20, 3)))")).count();
        assertEquals(5, joined);
    }

    @Test
    void nulls() {
        Row row = spark.sql("SELECT keylane_hash('users', NULL), keylane_pseudonym('users', NULL),"
                + " keylane_hash_rows('users', NULL, 1), keylane_hash_rows('users', 1, NULL)").first();
        assertNull(row.get(0));
        assertNull(row.get(1));
        assertEquals(hash(SHORT.rowTag(null, 1)), row.getLong(2));
        assertEquals(hash(SHORT.rowTag(1, null)), row.getLong(3));
    }

    @Test
    void errors() {
        String hex = HexFormat.of().formatHex(KEY);
        for (String call : List.of("keylane_hash('users')", "keylane_hash('users', 1, 'c', 2)", "keylane_hash(text, 1)",
                "keylane_hash('users', list)", "keylane_hash('users', struct)", "keylane_hash('users', map(1, 2))",
                "keylane_hash_rows('users')", "keylane_hash_rows('users', map(1, 2))", "keylane_hash('users/', 1)", "keylane_hash('/c', 1)",
                "keylane_hash('users/KCE-1 row', 1)", "keylane_hash('users/" + hex + "', 1)",
                "keylane_hash_rows('users', array(map(1, 2)))", "keylane_hash('" + hex + "', 1)", "keylane_hash(X'" + hex + "', 1)",
                "keylane_hash('users', 1, 'KCE-1 row')", "keylane_hash('users', INTERVAL 1 MONTH)", "keylane_hash(NULL, 1)")) {
            Exception e = assertThrows(Exception.class, () -> spark.sql("SELECT " + call + " FROM t").collect(), call);
            assertFalse(e instanceof NullPointerException || e instanceof ClassCastException, e.toString());
        }
        Exception e = assertThrows(Exception.class, () -> spark.sql("SELECT keylane_hash('users', map(1, 2)) AS x FROM t"));
        assertTrue(e.getMessage().contains("map"), e.getMessage());
        Throwable unknown = assertThrows(Exception.class, () -> spark.sql("SELECT keylane_hash('no-such', id) FROM t").collect());
        while (unknown.getCause() != null && !unknown.getMessage().contains("no-such")) {
            unknown = unknown.getCause();
        }
        assertTrue(unknown.getMessage().contains("no key is loaded under the name \"no-such\""), unknown.getMessage());
    }

    /** A column without a name of its own is named by its call, which says the context. */
    @Test
    void columnsAreNamedByTheirCalls() {
        List<String> calls = List.of("keylane_hash('users', text)", "keylane_hash('users', text, 'c')",
                "keylane_hash('users', text, 'it\\'s \\\\')", "keylane_pseudonym('users', text, 'c')",
                "keylane_hash_rows('users', id, text)", "keylane_hash_rows('users/c', id, struct)",
                "keylane_hash('users/c', text, 'd')");
        Dataset<Row> tags = spark.sql("SELECT " + String.join(", ", calls) + " FROM t ORDER BY id");
        assertEquals(calls, List.of(tags.columns()));
        // Two columns of one name are no table.
        tags.createOrReplaceTempView("called");
        assertEquals(tags.collectAsList(), spark.sql("SELECT `" + String.join("`, `", calls) + "` FROM called").collectAsList());
        assertEquals(tags.collectAsList(), spark.sql("SELECT " + String.join(", ", tags.columns()) + " FROM t ORDER BY id").collectAsList());
    }

    /** A context stands behind the name of the key, as in other engines, or behind the value. */
    @Test
    void contextsBehindTheName() {
        SipHashKey slashes = USERS.derive("a/b");
        ColumnHash plain = ColumnHash.of("siphash-1-3-64", slashes);
        ColumnHash twice = ColumnHash.of("siphash-2-4-128", slashes.derive("c"));
        Row row = spark.sql("SELECT keylane_hash('users/a/b', 'x'), keylane_hash('users', 'x', 'a/b'),"
                + " keylane_hash_rows('users/a/b', 'x', 1), keylane_pseudonym('users/a/b', 'x', 'c')").first();
        assertEquals(hash(plain.tag("x")), row.getLong(0));
        assertEquals(hash(plain.tag("x")), row.getLong(1));
        assertEquals(hash(plain.rowTag("x", 1)), row.getLong(2));
        assertEquals(hex(twice.tag("x")), row.getString(3));
    }

    @Test
    void names() {
        assertEquals(USERS, KeyRef.of("users").key());
        assertEquals(4, spark.sql("SHOW FUNCTIONS LIKE 'keylane_*'").count());
    }
}
