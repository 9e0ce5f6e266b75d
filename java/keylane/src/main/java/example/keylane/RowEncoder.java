package example.keylane;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * The message of a row by KCE-1, value by value. One object serves many rows after each other:
 *
 * <pre>{@code
 * RowEncoder row = columnHash.row();
 * long tag = row.begin(2).putLong(id).putText(email).hash();
 * }</pre>
 *
 * <p>The caller puts as many values as {@link #begin}, {@link #beginList} and {@link #beginStruct} say. A row with fewer
 * values has no tag, and more are refused. After a call that throws, the row has no tag and takes no values: {@link #begin}
 * begins the next. An object is for one thread at a time.
 */
public final class RowEncoder {
    private static final byte NULL = 0;
    private static final byte INTEGER = 1;
    private static final byte BYTES = 2;
    private static final byte FLOAT = 3;
    private static final byte DECIMAL = 4;
    private static final byte WIDE_TIME = 5;
    private static final byte LIST = 6;
    private static final byte STRUCT = 7;

    /** Rows begin with it. */
    private static final byte ROW = 1;

    private static final int MOST_LEVELS = 64;

    /** No row was begun, or a call failed. */
    private static final long NO_ROW = -1;

    private final ColumnHash hash;
    private byte[] message = new byte[256];
    private int length;

    /** How many values the row lacks. */
    private long missing = NO_ROW;

    RowEncoder(ColumnHash hash) {
        this.hash = hash;
    }

    /**
     * Begins a row. What was put before is forgotten.
     *
     * @param fields the number of fields that follow
     * @return this
     * @throws IllegalArgumentException if the number is negative
     */
    public RowEncoder begin(int fields) {
        missing = NO_ROW;
        length = 0;
        return counted(ROW, fields, 0);
    }

    /**
     * Begins a value. There is no row until {@link #missing} has what this returns: a call that throws before leaves none.
     *
     * @return how many values the row lacks after this one
     */
    private long value() {
        long before = missing;
        missing = NO_ROW;
        if (before == NO_ROW) {
            throw new IllegalStateException("no row was begun, or a value was refused");
        } else if (before == 0) {
            throw new IllegalStateException("the row has all its values");
        }
        return before - 1;
    }

    /**
     * Begins a list.
     *
     * @param elements the number of elements that follow
     * @return this
     * @throws IllegalArgumentException if the number is negative
     * @throws IllegalStateException if the row lacks no value
     */
    public RowEncoder beginList(int elements) {
        return counted(LIST, elements, value());
    }

    /**
     * Begins a struct.
     *
     * @param fields the number of fields that follow
     * @return this
     * @throws IllegalArgumentException if the number is negative
     * @throws IllegalStateException if the row lacks no value
     */
    public RowEncoder beginStruct(int fields) {
        return counted(STRUCT, fields, value());
    }

    private RowEncoder counted(byte kind, int count, long after) {
        if (count < 0) {
            throw new IllegalArgumentException("the number of values is negative");
        }
        word(kind, count);
        missing = after + count;
        return this;
    }

    private void word(byte kind, long word) {
        reserve(9);
        message[length] = kind;
        Bytes.putLong(message, length + 1, word);
        length += 9;
    }

    /**
     * Puts a null.
     *
     * @return this
     * @throws IllegalStateException if the row lacks no value
     */
    public RowEncoder putNull() {
        long after = value();
        reserve(1);
        message[length++] = NULL;
        missing = after;
        return this;
    }

    /**
     * Puts an integer of any width, a boolean as 0 or 1, or a date as days since 1970-01-01.
     *
     * @param value the value
     * @return this
     * @throws IllegalStateException if the row lacks no value
     */
    public RowEncoder putLong(long value) {
        long after = value();
        word(INTEGER, value);
        missing = after;
        return this;
    }

    /**
     * Puts a float of any width.
     *
     * @param value the value
     * @return this
     * @throws IllegalStateException if the row lacks no value
     */
    public RowEncoder putDouble(double value) {
        long after = value();
        word(FLOAT, bits(value));
        missing = after;
        return this;
    }

    /**
     * Puts bytes.
     *
     * @param array the array
     * @param offset where the bytes begin
     * @param count their number
     * @return this
     * @throws IllegalStateException if the row lacks no value
     * @throws IndexOutOfBoundsException if the range is not within the array
     * @throws NullPointerException if the array is {@code null}
     */
    public RowEncoder putBytes(byte[] array, int offset, int count) {
        long after = value();
        Objects.checkFromIndexSize(offset, count, array.length);
        word(BYTES, count);
        reserve(count);
        System.arraycopy(array, offset, message, length, count);
        length += count;
        missing = after;
        return this;
    }

    /**
     * Puts text, in UTF-8. A surrogate without its partner becomes {@code ?}.
     *
     * @param text the text
     * @return this
     * @throws IllegalStateException if the row lacks no value
     * @throws NullPointerException if the text is {@code null}
     */
    public RowEncoder putText(CharSequence text) {
        long after = value();
        text(BYTES, text);
        missing = after;
        return this;
    }

    private void text(byte kind, CharSequence text) {
        int start = length;
        int units = text.length();
        word(kind, 0);
        for (int i = 0; i < units; ) {
            char first = text.charAt(i++);
            long code = Utf8.code(first, i < units ? text.charAt(i) : 0);
            int count = (int) (code >>> 32);
            i += count == 4 ? 1 : 0;
            reserve(4);
            Bytes.putInt(message, length, (int) code);
            length += count;
        }
        Bytes.putLong(message, start + 1, length - start - 9L);
    }

    /**
     * Puts a decimal.
     *
     * @param value the value
     * @return this
     * @throws IllegalArgumentException if Arrow has no decimal with this value
     * @throws IllegalStateException if the row lacks no value
     * @throws NullPointerException if the value is {@code null}
     */
    public RowEncoder putDecimal(BigDecimal value) {
        long after = value();
        Object plain = decimal(value);
        if (plain instanceof Long number) {
            word(INTEGER, number);
        } else {
            text(DECIMAL, (String) plain);
        }
        missing = after;
        return this;
    }

    /**
     * Puts a time: an instant since 1970-01-01 00:00, a time of day, or a duration.
     *
     * @param seconds the seconds
     * @param nanos the nanoseconds that are added, 0 to 999,999,999
     * @return this
     * @throws IllegalArgumentException if the nanoseconds are not a part of a second
     * @throws IllegalStateException if the row lacks no value
     */
    public RowEncoder putTime(long seconds, int nanos) {
        long after = value();
        time(time(seconds, nanos));
        missing = after;
        return this;
    }

    private void time(Object plain) {
        if (plain instanceof Long micros) {
            word(INTEGER, micros);
        } else {
            reserve(17);
            message[length] = WIDE_TIME;
            System.arraycopy((byte[]) plain, 0, message, length + 1, 16);
            length += 17;
        }
    }

    /**
     * Puts a value, which may be nested. {@link ColumnHash} says of which types.
     *
     * @param value the value
     * @return this
     * @throws IllegalArgumentException if the value is of another type, or has more than 64 levels
     * @throws IllegalStateException if the row lacks no value, or a list has other elements than its size says
     */
    public RowEncoder put(Object value) {
        boolean whole = false;
        try {
            put(value, MOST_LEVELS);
            whole = true;
        } finally {
            if (!whole) {
                missing = NO_ROW;
            }
        }
        return this;
    }

    private void put(Object value, int levels) {
        List<?> values = value instanceof Struct struct ? struct.fields() : list(value);
        if (values != null) {
            if (levels == 0) {
                throw new IllegalArgumentException("a value has more than " + MOST_LEVELS + " levels");
            }
            long after = value();
            counted(value instanceof Struct ? STRUCT : LIST, values.size(), after);
            for (Object element : values) {
                put(element, levels - 1);
            }
            if (missing != after) {
                throw new IllegalStateException("a list has other elements than its size says");
            }
        } else if (value instanceof Float || value instanceof Double) {
            putDouble(((Number) value).doubleValue());
        } else if (value instanceof BigDecimal decimal) {
            putDecimal(decimal);
        } else if (value instanceof BigInteger integer) {
            putDecimal(new BigDecimal(integer));
        } else {
            Object plain = plain(value);
            if (plain == null) {
                putNull();
            } else if (plain instanceof Long number) {
                putLong(number);
            } else if (plain instanceof CharSequence text) {
                putText(text);
            } else if (plain instanceof ByteBuffer buffer) {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.get(bytes);
                putBytes(bytes, 0, bytes.length);
            } else if (value instanceof byte[] || value instanceof UUID) {
                putBytes((byte[]) plain, 0, ((byte[]) plain).length);
            } else {
                long after = value();
                time(plain);
                missing = after;
            }
        }
    }

    private static List<?> list(Object value) {
        if (value instanceof List<?> list) {
            return list;
        } else if (value instanceof Object[] array) {
            return Arrays.asList(array);
        } else if (value instanceof long[] array) {
            return Arrays.stream(array).boxed().toList();
        } else if (value instanceof int[] array) {
            return Arrays.stream(array).boxed().toList();
        } else if (value instanceof double[] array) {
            return Arrays.stream(array).boxed().toList();
        } else if (value instanceof short[] || value instanceof float[] || value instanceof boolean[]) {
            Object[] boxed = new Object[java.lang.reflect.Array.getLength(value)];
            Arrays.setAll(boxed, i -> java.lang.reflect.Array.get(value, i));
            return Arrays.asList(boxed);
        }
        return null;
    }

    /**
     * The plain message of a value: a {@code Long} for 8 bytes, text, or bytes in a {@code byte[]} or {@code ByteBuffer};
     * {@code null} for {@code null}.
     */
    static Object plain(Object value) {
        if (value == null || value instanceof Long || value instanceof CharSequence || value instanceof byte[]) {
            return value;
        } else if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        } else if (value instanceof Boolean truth) {
            return truth ? 1L : 0L;
        } else if (value instanceof Double || value instanceof Float) {
            return bits(((Number) value).doubleValue());
        } else if (value instanceof BigDecimal decimal) {
            return decimal(decimal);
        } else if (value instanceof BigInteger integer) {
            return decimal(new BigDecimal(integer));
        } else if (value instanceof ByteBuffer buffer) {
            return buffer.duplicate();
        } else if (value instanceof UUID uuid) {
            return ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).array();
        } else if (value instanceof LocalDate date) {
            return date.toEpochDay();
        }
        return moment(value);
    }

    private static Object moment(Object value) {
        if (value instanceof Instant instant) {
            return time(instant.getEpochSecond(), instant.getNano());
        } else if (value instanceof LocalDateTime local) {
            return time(local.toEpochSecond(ZoneOffset.UTC), local.getNano());
        } else if (value instanceof OffsetDateTime offset) {
            return time(offset.toEpochSecond(), offset.getNano());
        } else if (value instanceof ZonedDateTime zoned) {
            return time(zoned.toEpochSecond(), zoned.getNano());
        } else if (value instanceof LocalTime clock) {
            return time(clock.toSecondOfDay(), clock.getNano());
        } else if (value instanceof Duration duration) {
            return time(duration.getSeconds(), duration.getNano());
        }
        throw new IllegalArgumentException("no column has values of " + value.getClass().getName());
    }

    /** A float as its 8 bytes: one zero, one NaN. */
    static long bits(double value) {
        return Double.doubleToLongBits(value + 0.0);
    }

    /** An integer as {@code Long}, any other decimal as its canonical text. */
    static Object decimal(BigDecimal value) {
        // Without its zeros a decimal has a lower scale, which may be lower than an int can be.
        boolean low = value.scale() < -204 && value.signum() != 0;
        BigDecimal shortest = low ? value : value.stripTrailingZeros();
        int scale = shortest.signum() == 0 ? 0 : shortest.scale();
        if (low || scale < -204 || scale > 127 || shortest.unscaledValue().bitLength() > 255) {
            throw new IllegalArgumentException("a decimal has at most 256 bits, and a scale from -128 to 127");
        }
        if (scale <= 0) {
            BigInteger integer = shortest.toBigInteger();
            if (integer.bitLength() < 64) {
                return integer.longValue();
            }
        }
        return shortest.toPlainString();
    }

    /** Microseconds as {@code Long} if that is exact, else nanoseconds as 16 bytes. */
    static Object time(long seconds, int nanos) {
        if (nanos < 0 || nanos > 999_999_999) {
            throw new IllegalArgumentException("the nanoseconds are not a part of a second");
        }
        if (nanos % 1000 == 0) {
            // The product may be too small where the sum is not.
            long low = seconds * 1_000_000 + nanos / 1000;
            long high = Math.multiplyHigh(seconds, 1_000_000L)
                    + (Long.compareUnsigned(low, seconds * 1_000_000) < 0 ? 1 : 0);
            if (high == low >> 63) {
                return low;
            }
        }
        long low = seconds * 1_000_000_000 + nanos;
        long high = Math.multiplyHigh(seconds, 1_000_000_000L)
                + (Long.compareUnsigned(low, seconds * 1_000_000_000) < 0 ? 1 : 0);
        byte[] wide = new byte[16];
        Bytes.putLong(wide, 0, low);
        Bytes.putLong(wide, 8, high);
        return wide;
    }

    private void reserve(int count) {
        if (message.length - length < count) {
            long wanted = Math.max(2L * message.length, (long) length + count);
            if ((long) length + count > Integer.MAX_VALUE - 16) {
                throw new IllegalArgumentException("a row has less than 2 GiB");
            }
            message = Arrays.copyOf(message, (int) Math.min(wanted, Integer.MAX_VALUE - 16));
        }
    }

    /**
     * Returns the tag of 64 bits of the row.
     *
     * @return the tag
     * @throws UnsupportedOperationException if tags have 128 bits
     * @throws IllegalStateException if the row lacks values, none was begun, a call of it failed, or the {@link ColumnHash}
     *     was destroyed
     */
    public long hash() {
        if (hash.tagLength() != 8) {
            throw new UnsupportedOperationException("a tag of 128 bits is no long: use tag");
        }
        checkWhole();
        return hash.rows().hash(message, 0, length);
    }

    /**
     * Returns the tag of the row.
     *
     * @return its 8 or 16 bytes
     * @throws IllegalStateException if the row lacks values, none was begun, a call of it failed, or the {@link ColumnHash}
     *     was destroyed
     */
    public byte[] tag() {
        checkWhole();
        return hash.tagLength() == 8
                ? ColumnHash.bytes(hash.rows().hash(message, 0, length))
                : hash.rows().hash128(message, 0, length);
    }

    private void checkWhole() {
        if (missing != 0) {
            throw new IllegalStateException(
                    missing == NO_ROW ? "no row was begun, or a value was refused" : "the row lacks " + missing + " values");
        }
    }

    /** The message so far, for tests. */
    byte[] message() {
        return Arrays.copyOf(message, length);
    }

    /**
     * Returns a text without values.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "RowEncoder[" + length + " bytes]";
    }
}
