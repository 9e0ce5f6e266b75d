package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The vectors of KCE-1 on Java's values. */
class Kce1Test {
    private static final List<JsonObject> CASES = new ArrayList<>();

    static {
        for (JsonElement element : Vectors.json("kce1.json").getAsJsonArray("cases")) {
            CASES.add(element.getAsJsonObject());
        }
    }

    private static final List<String> ALGORITHMS =
            List.of("siphash-1-3-64", "siphash-2-4-64", "siphash-1-3-128", "siphash-2-4-128");

    private static List<JsonObject> cases(String mode) {
        return CASES.stream().filter(test -> test.get("mode").getAsString().equals(mode)).toList();
    }

    private static SipHashKey key(JsonObject test) {
        return SipHashKey.of(Vectors.bytes(test.get("key").getAsString()));
    }

    @Test
    void checkValuesAndSubkeys() {
        assertEquals(4, cases("check").size());
        for (JsonObject test : cases("check")) {
            assertEquals(test.get("check").getAsString(), key(test).check());
        }
        assertEquals(2, cases("row key").size());
        for (JsonObject test : cases("row key")) {
            assertEquals(SipHashKey.of(Vectors.bytes(test.get("subkey").getAsString())), key(test).rowKey());
        }
        int reserved = 0;
        for (JsonObject test : cases("derive")) {
            String context = test.get("context").getAsString();
            if (test.has("error")) {
                assertEquals("reserved", test.getAsJsonObject("error").get("kind").getAsString());
                for (Executable call : List.<Executable>of(
                        () -> key(test).derive(context),
                        () -> KeyRef.of("users").derive(context),
                        () -> KeyRef.parse("users/" + context))) {
                    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
                    assertTrue(message.contains("reserved"), message);
                }
                reserved++;
            } else {
                SipHashKey subkey = SipHashKey.of(Vectors.bytes(test.get("subkey").getAsString()));
                assertEquals(subkey, key(test).derive(context));
            }
        }
        assertTrue(reserved >= 5 && cases("derive").size() - reserved >= 20, reserved + " reserved");
    }

    /** Whatever a column hashes, no tag is a subkey or a check value. */
    @Test
    void noTagIsASubkey() {
        for (String mode : List.of("derive", "row key", "check")) {
            for (JsonObject test : cases(mode)) {
                if (test.has("error")) {
                    continue;
                }
                byte[] message = Vectors.bytes(test.get("message").getAsString());
                String made = test.get(mode.equals("check") ? "check" : "subkey").getAsString();
                assertTrue(Vectors.hex(SipHash.of(4, 8, key(test)).hash128(message)).startsWith(made));
                for (String algorithm : ALGORITHMS) {
                    String tag = Vectors.hex(ColumnHash.of(algorithm, key(test)).tag(message));
                    assertFalse(tag.startsWith(made) || made.startsWith(tag), algorithm);
                }
            }
        }
    }

    @Test
    void metadata() {
        for (JsonObject test : cases("metadata")) {
            String name = test.get("name").getAsString();
            KeyRef ref;
            try {
                ref = KeyRef.bind(name, key(test));
            } catch (IllegalArgumentException e) {
                // A name that KCE-1 can write, and that no key can have here.
                assertFalse(name.matches("[A-Za-z0-9_-]{1,19}"), name);
                continue;
            }
            for (JsonElement context : test.getAsJsonArray("contexts")) {
                ref = ref.derive(context.getAsString());
            }
            assertEquals(
                    test.get("metadata").getAsString(),
                    ref.metadata(test.get("algorithm").getAsString(), test.get("of").getAsString()));
        }
    }

    @Test
    void plain() {
        int checked = 0;
        for (JsonObject test : cases("plain")) {
            if (test.has("error")) {
                continue;
            }
            String type = test.get("type").getAsString();
            JsonArray values = test.getAsJsonArray("values");
            for (String algorithm : test.getAsJsonObject("tags").keySet()) {
                ColumnHash hash = ColumnHash.of(algorithm, key(test));
                JsonArray tags = test.getAsJsonObject("tags").getAsJsonArray(algorithm);
                for (int i = 0; i < values.size(); i++) {
                    Object value = value(type, values.get(i));
                    if (value == TOO_LATE) {
                        continue;
                    }
                    byte[] tag = hash.tag(value);
                    assertEquals(tags.get(i).isJsonNull() ? null : tags.get(i).getAsString(), tag == null ? null : Vectors.hex(tag),
                            test.get("name") + " " + i);
                    primitive(hash, value, tag);
                    checked++;
                }
            }
        }
        assertTrue(checked > 4000, checked + " values");
    }

    /** The calls for one type agree. */
    private static void primitive(ColumnHash hash, Object value, byte[] tag) {
        if (hash.tagLength() != 8 || value == null) {
            return;
        }
        long expected = Bytes.getLong(tag, 0);
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            assertEquals(expected, hash.hash(((Number) value).longValue()));
        } else if (value instanceof Boolean truth) {
            assertEquals(expected, hash.hash(truth));
        } else if (value instanceof Number number && (value instanceof Double || value instanceof Float)) {
            assertEquals(expected, hash.hash(number.doubleValue()));
        } else if (value instanceof CharSequence text) {
            assertEquals(expected, hash.hash(text));
        } else if (value instanceof byte[] bytes) {
            assertEquals(expected, hash.hash(bytes, 0, bytes.length));
        } else if (value instanceof BigDecimal decimal) {
            assertEquals(expected, hash.hash(decimal));
        }
    }

    @Test
    void rows() {
        int checked = 0;
        for (JsonObject test : cases("row")) {
            JsonArray columns = test.getAsJsonArray("columns");
            if (test.has("error")) {
                continue;
            }
            JsonArray messages = test.getAsJsonArray("messages");
            for (int row = 0; row < messages.size(); row++) {
                Object[] fields = new Object[columns.size()];
                boolean late = false;
                for (int i = 0; i < fields.length; i++) {
                    JsonObject column = columns.get(i).getAsJsonObject();
                    fields[i] = value(column.get("type").getAsString(), element(column, row));
                    late |= fields[i] == TOO_LATE;
                }
                if (late) {
                    continue;
                }
                for (String algorithm : test.getAsJsonObject("tags").keySet()) {
                    ColumnHash hash = ColumnHash.of(algorithm, key(test));
                    RowEncoder encoder = hash.row().begin(fields.length);
                    for (Object field : fields) {
                        encoder.put(field);
                    }
                    String name = test.get("name") + " " + row;
                    assertEquals(messages.get(row).getAsString(), Vectors.hex(encoder.message()), name);
                    String tag = test.getAsJsonObject("tags").getAsJsonArray(algorithm).get(row).getAsString();
                    assertEquals(tag, Vectors.hex(hash.rowTag(fields)), name);
                    if (hash.tagLength() == 8) {
                        assertEquals(tag, Vectors.hex(ColumnHash.bytes(encoder.hash())), name);
                    }
                    checked++;
                }
            }
        }
        assertTrue(checked > 500, checked + " rows");
    }

    /** The value of a row, of a dictionary or a run if the column does not repeat the values. */
    private static JsonElement element(JsonObject column, int row) {
        if (column.has("values")) {
            return column.getAsJsonArray("values").get(row);
        }
        if (column.has("indices")) {
            JsonElement index = column.getAsJsonArray("indices").get(row);
            return index.isJsonPrimitive() ? column.getAsJsonArray("dictionary").get(index.getAsInt()) : index;
        }
        JsonArray ends = column.getAsJsonArray("run_ends");
        int run = 0;
        while (ends.get(run).getAsInt() <= row) {
            run++;
        }
        return column.getAsJsonArray("runs").get(run);
    }

    /** A time that no class of java.time can hold. */
    private static final Object TOO_LATE = new Object();

    /** A value of an Arrow type, in the notation of tests/kce1/README.md. */
    private static Object value(String type, JsonElement json) {
        if (json.isJsonNull() || json.isJsonObject() && json.getAsJsonObject().has("behind_null") || type.equals("null")) {
            return null;
        }
        if (type.startsWith("dictionary<values=")) {
            return value(type.substring("dictionary<values=".length(), type.lastIndexOf(", indices=")), json);
        }
        if (type.startsWith("run_end_encoded<")) {
            return value(type.substring(type.indexOf("values: ") + 8, type.length() - 1), json);
        }
        if (type.matches("(large_|fixed_size_)?list(_view)?<.*")) {
            String item = type.substring(type.indexOf("<item: ") + 7, type.lastIndexOf('>'));
            List<Object> list = new ArrayList<>();
            json.getAsJsonArray().forEach(element -> list.add(value(item, element)));
            return list;
        }
        if (type.startsWith("struct<")) {
            List<String> fields = fields(type.substring(7, type.length() - 1));
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < fields.size(); i++) {
                values.add(value(fields.get(i), json.getAsJsonArray().get(i)));
            }
            return new Struct(values);
        }
        return leaf(type, json.getAsString());
    }

    /** The types of a struct's fields. */
    private static List<String> fields(String text) {
        List<String> fields = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : ',';
            depth += c == '<' || c == '(' || c == '[' ? 1 : c == '>' || c == ')' || c == ']' ? -1 : 0;
            if (c == ',' && depth == 0 && i > start) {
                String field = text.substring(start, i).strip();
                fields.add(field.substring(field.indexOf(": ") + 2));
                start = i + 1;
            }
        }
        return fields;
    }

    private static Object leaf(String type, String text) {
        switch (type.replaceAll("[\\[(].*", "")) {
            case "bool":
                return Boolean.valueOf(text);
            case "int8":
                return Byte.valueOf(text);
            case "int16":
                return Short.valueOf(text);
            case "int32", "uint8", "uint16":
                return Integer.valueOf(text);
            case "int64", "uint32":
                return Long.valueOf(text);
            case "uint64":
                return Long.parseUnsignedLong(text);
            case "float16":
                return half(Integer.decode(text));
            case "float32":
                return Float.intBitsToFloat(Long.decode(text).intValue());
            case "float64":
                return Double.longBitsToDouble(new BigInteger(text.substring(2), 16).longValue());
            case "utf8", "large_utf8", "utf8_view":
                return text;
            case "binary", "large_binary", "binary_view", "fixed_size_binary":
                return Vectors.bytes(text);
            case "date32":
                return LocalDate.ofEpochDay(Long.parseLong(text));
            case "date64":
                return LocalDate.ofEpochDay(Math.floorDiv(Long.parseLong(text), 86_400_000L));
            case "decimal32", "decimal64", "decimal128", "decimal256":
                int scale = Integer.parseInt(type.substring(type.indexOf(", ") + 2, type.length() - 1));
                return new BigDecimal(new BigInteger(text), scale);
            default:
                return time(type, Long.parseLong(text));
        }
    }

    private static Object time(String type, long number) {
        String unit = type.replaceAll(".*\\[([a-z]+).*", "$1");
        long units = unit.equals("s") ? 1 : unit.equals("ms") ? 1000 : unit.equals("us") ? 1_000_000 : 1_000_000_000;
        long seconds = Math.floorDiv(number, units);
        int nanos = (int) (Math.floorMod(number, units) * (1_000_000_000 / units));
        if (type.startsWith("duration")) {
            return java.time.Duration.ofSeconds(seconds, nanos);
        }
        if (type.startsWith("time32") || type.startsWith("time64")) {
            boolean day = seconds >= 0 && seconds < 86_400;
            return day ? LocalTime.ofNanoOfDay(seconds * 1_000_000_000 + nanos) : java.time.Duration.ofSeconds(seconds, nanos);
        }
        if (seconds < Instant.MIN.getEpochSecond() || seconds > Instant.MAX.getEpochSecond()) {
            return TOO_LATE;
        }
        if (type.contains("tz=")) {
            return Instant.ofEpochSecond(seconds, nanos).atOffset(ZoneOffset.ofHours(9));
        }
        return number % 2 == 0
                ? Instant.ofEpochSecond(seconds, nanos)
                : LocalDateTime.ofEpochSecond(seconds, nanos, ZoneOffset.UTC);
    }

    private static float half(int bits) {
        int exponent = bits >> 10 & 31;
        int mantissa = bits & 1023;
        float value = exponent == 31
                ? mantissa == 0 ? Float.POSITIVE_INFINITY : Float.NaN
                : exponent == 0 ? mantissa * 0x1p-24f : Math.scalb(1024 + mantissa, exponent - 25);
        return bits >> 15 == 0 ? value : -value;
    }

    /** Calls of a row that fail, one for each way to fail. */
    private static final List<Consumer<RowEncoder>> FAILURES = List.of(
            row -> row.put(new Object()),
            row -> row.put(List.of(1L, new Object())),
            row -> row.put(Struct.of(1L, "x", List.of(new Object()))),
            row -> row.put(new BigDecimal("1e-999")),
            row -> row.putDecimal(new BigDecimal("1e-999")),
            row -> row.putDecimal(null),
            row -> row.putText(null),
            row -> row.putText(new Broken()),
            row -> row.put(new Broken()),
            row -> row.putBytes(null, 0, 0),
            row -> row.putBytes(new byte[4], 2, 3),
            row -> row.putTime(0, -1),
            row -> row.beginList(-1),
            row -> row.beginStruct(-1),
            row -> row.begin(-1));

    /** A text that fails when a part of it was read. */
    private static final class Broken implements CharSequence {
        @Override
        public int length() {
            return 3;
        }

        @Override
        public char charAt(int index) {
            if (index == 2) {
                throw new IllegalStateException("broken");
            }
            return 'a';
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            throw new UnsupportedOperationException();
        }
    }

    private static void hasNoTag(RowEncoder row) {
        assertThrows(IllegalStateException.class, row::hash);
        assertThrows(IllegalStateException.class, row::tag);
    }

    @Test
    void aRowOfWhichACallFailedHasNoTag() {
        ColumnHash hash = ColumnHash.of("siphash-1-3-64", SipHashKey.of(new byte[16]));
        RowEncoder row = hash.row();
        for (int i = 0; i < FAILURES.size(); i++) {
            Consumer<RowEncoder> failure = FAILURES.get(i);
            for (int before = 0; before < 3; before++) {
                // The failed value is one of those that the row was to have, or one more.
                for (int fields = before; fields < before + 3; fields++) {
                    row.begin(fields);
                    for (int put = 0; put < before; put++) {
                        row.putLong(put);
                    }
                    assertThrows(RuntimeException.class, () -> failure.accept(row), "failure " + i);
                    hasNoTag(row);
                    // Nor does it take other values.
                    assertThrows(IllegalStateException.class, row::putNull);
                    assertThrows(IllegalStateException.class, () -> row.put(1));
                    assertThrows(IllegalStateException.class, () -> row.beginList(0));
                    hasNoTag(row);
                }
            }
            // The next row is as if nothing had failed.
            assertArrayEquals(hash.rowTag(7, "x"), row.begin(2).put(7).put("x").tag());
        }
    }

    @Test
    void aRowHasAsManyValuesAsItSays() {
        ColumnHash hash = ColumnHash.of("siphash-1-3-64", SipHashKey.of(new byte[16]));
        List<Consumer<RowEncoder>> puts = List.of(
                RowEncoder::putNull, row -> row.putLong(1), row -> row.putDouble(1), row -> row.putBytes(new byte[4], 1, 2),
                row -> row.putText("x"), row -> row.putDecimal(BigDecimal.ONE), row -> row.putDecimal(new BigDecimal("0.1")),
                row -> row.putTime(1, 1), row -> row.put(null), row -> row.put(Instant.MIN), row -> row.beginList(0),
                row -> row.put(List.of(1L, List.of())), row -> row.put(Struct.of(1L, "x")), row -> row.beginStruct(1).putNull());
        RowEncoder row = hash.row();
        hasNoTag(row);
        for (Consumer<RowEncoder> put : puts) {
            assertThrows(IllegalStateException.class, () -> put.accept(hash.row()));
            row.begin(2);
            hasNoTag(row);
            put.accept(row);
            hasNoTag(row);
            put.accept(row);
            assertEquals(row.hash(), row.hash());
            assertThrows(IllegalStateException.class, () -> put.accept(row));
            hasNoTag(row);
        }
        // Values of lists and structs count too.
        row.begin(1).beginList(2).putNull();
        hasNoTag(row);
        row.beginStruct(2).putLong(1);
        hasNoTag(row);
        row.putText("x");
        assertArrayEquals(hash.rowTag(Arrays.asList(null, Struct.of(1L, "x"))), row.tag());
        // Nor has a row a tag if a list has other elements than its size says, whatever follows.
        for (int size : new int[] {0, 1, 3, Integer.MAX_VALUE}) {
            List<Object> wrong = new AbstractList<>() {
                @Override
                public Object get(int index) {
                    return 1L;
                }

                @Override
                public Iterator<Object> iterator() {
                    return List.<Object>of(1L, 2L).iterator();
                }

                @Override
                public int size() {
                    return size;
                }
            };
            assertThrows(IllegalStateException.class, () -> row.begin(3).put(wrong));
            assertThrows(IllegalStateException.class, () -> row.putLong(1));
            hasNoTag(row);
        }
        assertArrayEquals(hash.rowTag(), row.begin(0).tag());
    }

    @Test
    void otherValues() {
        ColumnHash hash = ColumnHash.of("siphash-2-4-128", SipHashKey.of(new byte[16]));
        UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        assertArrayEquals(hash.tag(Vectors.bytes("00112233445566778899aabbccddeeff")), hash.tag(uuid));
        ByteBuffer buffer = ByteBuffer.wrap(new byte[] {9, 1, 2}).position(1);
        assertArrayEquals(hash.tag(new byte[] {1, 2}), hash.tag(buffer));
        assertEquals(2, buffer.remaining());
        assertArrayEquals(hash.rowTag(uuid, new byte[] {1, 2}), hash.rowTag(
                Vectors.bytes("00112233445566778899aabbccddeeff"), buffer));
        assertArrayEquals(hash.tag(new BigDecimal("12")), hash.tag(BigInteger.valueOf(12)));
        assertArrayEquals(hash.rowTag(List.of(1L, 2L)), hash.rowTag(new long[] {1, 2}));
        assertArrayEquals(hash.rowTag(List.of(1L, 2L)), hash.rowTag((Object) new short[] {1, 2}));
        assertArrayEquals(hash.rowTag(List.of(1.0, 2.0)), hash.rowTag((Object) new float[] {1, 2}));
        assertArrayEquals(hash.rowTag("\u20ac"), hash.rowTag(Vectors.utf8("\u20ac")));
        assertNotEquals(Vectors.hex(hash.rowTag(Struct.of(1L))), Vectors.hex(hash.rowTag(List.of(1L))));
        assertNull(hash.tag(null));
        for (Object wrong : new Object[] {new Object(), List.of(), new long[1], 'c', java.util.Map.of(), Struct.of(),
                new BigDecimal("1e-999"), new BigDecimal("1e999999999"), BigInteger.ONE.shiftLeft(256)}) {
            assertThrows(IllegalArgumentException.class, () -> hash.tag(wrong), wrong.toString());
        }
        assertThrows(IllegalArgumentException.class, () -> hash.rowTag(java.util.Map.of()));
        List<Object> endless = new ArrayList<>();
        endless.add(endless);
        assertThrows(IllegalArgumentException.class, () -> hash.rowTag(endless));
        Object deep = 1L;
        for (int i = 0; i < 64; i++) {
            deep = List.of(deep);
        }
        assertEquals(16, hash.rowTag(deep).length);
        KeyRef ref = KeyRef.bind("names-of-algorithms", SipHashKey.generate());
        for (String name : List.of("siphash-1-3", "siphash-0-4-64", "siphash-256-4-64", "SipHash-1-3-64", "siphash-01-3-64", "",
                "siphash-4-8-64", "siphash-4-8-128", "siphash-1-4-64", "siphash-2-3-128", "siphash-1-3-64\n")) {
            assertThrows(IllegalArgumentException.class, () -> ColumnHash.of(name, ref.key()), name);
            assertThrows(IllegalArgumentException.class, () -> ref.metadata(name, "plain"), name);
        }
        for (String name : ALGORITHMS) {
            assertEquals(name, ColumnHash.of(name, ref.key()).algorithm());
        }
    }
}
