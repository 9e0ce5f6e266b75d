package example.keylane.spark;

import example.keylane.ColumnHash;
import example.keylane.KeyRef;
import example.keylane.RowEncoder;
import example.keylane.SipHash;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.LocalTime;
import java.util.Objects;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * What generated code calls. It holds the name of a key, and is sent to executors; each of them finds the key by that
 * name when it hashes its first value.
 */
public final class ColumnFunction implements Serializable {
    private static final long serialVersionUID = 1L;

    /** What a tag becomes. */
    enum Form {
        INT64,
        BINARY,
        HEX
    }

    private final String name;
    private final KeyRef ref;
    private final String algorithm;
    private final Form form;
    private transient volatile ColumnHash hash;
    private transient volatile SipHash plain;
    private transient volatile ThreadLocal<RowEncoder> rows;
    private transient volatile ValueWriter[] fields;

    ColumnFunction(String name, KeyRef ref, String algorithm, Form form) {
        this.name = name;
        this.ref = ref;
        this.algorithm = algorithm;
        this.form = form;
    }

    String name() {
        return name;
    }

    KeyRef ref() {
        return ref;
    }

    Form form() {
        return form;
    }

    private ColumnHash hash() {
        ColumnHash found = hash;
        if (found == null) {
            found = ColumnHash.of(algorithm, ref.key());
            hash = found;
        }
        return found;
    }

    private SipHash plain() {
        SipHash found = plain;
        if (found == null) {
            found = hash().plain();
            plain = found;
        }
        return found;
    }

    /**
     * Returns the tag of an integer.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(long value) {
        return plain().hash(value);
    }

    /**
     * Returns the tag of a boolean.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(boolean value) {
        return plain().hash(value ? 1L : 0L);
    }

    /**
     * Returns the tag of a float.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(double value) {
        return hash().hash(value);
    }

    /**
     * Returns the tag of a text.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(UTF8String value) {
        if (value.getBaseObject() instanceof byte[] array) {
            return plain().hash(array, offset(value), value.numBytes());
        }
        return plain().hash(value.getBytes());
    }

    /** Where a text begins in its array. */
    static int offset(UTF8String text) {
        return (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
    }

    /**
     * Returns the tag of bytes.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(byte[] value) {
        return plain().hash(value);
    }

    /**
     * Returns the tag of a decimal.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(Decimal value) {
        if (value.scale() == 0 && value.precision() <= Decimal.MAX_LONG_DIGITS()) {
            return plain().hash(value.toUnscaledLong());
        }
        return hash().hash(value.toJavaBigDecimal());
    }

    /**
     * Returns the tag of a time of day.
     *
     * @param value the value
     * @return the tag
     */
    public long hash(LocalTime value) {
        return ByteBuffer.wrap(hash().tag(value)).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /**
     * Returns the tag of any value that is not null, in the form of this function.
     *
     * @param value the value, as Spark holds it; a time of day as a {@code LocalTime}
     * @return a {@code Long}, a {@code byte[]} or a {@code UTF8String}
     */
    public Object tag(Object value) {
        if (form == Form.INT64) {
            return hashAny(value);
        }
        byte[] tag;
        if (value instanceof UTF8String text && text.getBaseObject() instanceof byte[] array) {
            tag = plain().hash128(array, offset(text), text.numBytes());
        } else if (value instanceof UTF8String text) {
            tag = plain().hash128(text.getBytes());
        } else if (value instanceof Decimal decimal) {
            tag = hash().tag(decimal.toJavaBigDecimal());
        } else {
            tag = hash().tag(value);
        }
        return form == Form.BINARY ? tag : hex(tag);
    }

    private long hashAny(Object value) {
        if (value instanceof UTF8String text) {
            return hash(text);
        } else if (value instanceof byte[] bytes) {
            return hash(bytes);
        } else if (value instanceof Decimal decimal) {
            return hash(decimal);
        } else if (value instanceof LocalTime time) {
            return hash(time);
        } else if (value instanceof Boolean truth) {
            return hash(truth.booleanValue());
        } else if (value instanceof Double || value instanceof Float) {
            return hash(((Number) value).doubleValue());
        }
        return hash(((Number) value).longValue());
    }

    /**
     * Returns the tag of a row.
     *
     * @param row the row
     * @param type its type
     * @return the tag
     */
    public long hashRow(InternalRow row, StructType type) {
        ThreadLocal<RowEncoder> encoders = rows;
        if (encoders == null) {
            encoders = ThreadLocal.withInitial(() -> hash().row());
            rows = encoders;
        }
        ValueWriter[] writers = fields;
        if (writers == null) {
            writers = ValueWriter.of(type);
            fields = writers;
        }
        RowEncoder encoder = encoders.get().begin(writers.length);
        for (int i = 0; i < writers.length; i++) {
            writers[i].put(row, i, encoder);
        }
        return encoder.hash();
    }

    /** The digits of a tag. No table is read, and nothing branches on it. */
    private static UTF8String hex(byte[] tag) {
        byte[] digits = new byte[2 * tag.length];
        for (int i = 0; i < tag.length; i++) {
            digits[2 * i] = digit(tag[i] >> 4 & 15);
            digits[2 * i + 1] = digit(tag[i] & 15);
        }
        return UTF8String.fromBytes(digits);
    }

    private static byte digit(int value) {
        return (byte) ('0' + value + (9 - value >> 31 & 'a' - '0' - 10));
    }

    /** Why a column of this type has no tags, or {@code null} if it has. */
    static String fault(DataType type, boolean row) {
        return ValueWriter.fault(type, row);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColumnFunction function
                && name.equals(function.name)
                && ref.equals(function.ref)
                && algorithm.equals(function.algorithm);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, ref, algorithm);
    }

    @Override
    public String toString() {
        return ref.toString();
    }
}
