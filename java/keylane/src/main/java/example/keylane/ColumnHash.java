package example.keylane;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.security.auth.Destroyable;

/**
 * Tags of the values of columns and of rows by KCE-1, the keylane column encoding, version 1. They equal the tags that
 * keylane computes in every other language and engine.
 *
 * <pre>{@code
 * ColumnHash hash = ColumnHash.of("siphash-2-4-128", key.derive("users.email"));
 * byte[] tag = hash.tag("a@example.com");
 * byte[] row = hash.rowTag("a@example.com", 30, null);
 * }</pre>
 *
 * <table>
 * <caption>Values</caption>
 * <tr><th>Java</th><th>KCE-1</th></tr>
 * <tr><td>{@code Byte}, {@code Short}, {@code Integer}, {@code Long}, {@code Boolean}</td><td>integer</td></tr>
 * <tr><td>{@code Float}, {@code Double}</td><td>float</td></tr>
 * <tr><td>{@code BigDecimal}, {@code BigInteger}</td><td>decimal</td></tr>
 * <tr><td>{@code CharSequence} in UTF-8, {@code byte[]}, {@code ByteBuffer}, {@code UUID}</td><td>bytes</td></tr>
 * <tr><td>{@code LocalDate}</td><td>date</td></tr>
 * <tr><td>{@code Instant}, {@code LocalDateTime}, {@code OffsetDateTime}, {@code ZonedDateTime}, {@code LocalTime},
 * {@code Duration}</td><td>time</td></tr>
 * <tr><td>{@code List}, arrays of {@code Object}, {@code long}, {@code int}, {@code short}, {@code double},
 * {@code float} and {@code boolean}; in rows only</td><td>list</td></tr>
 * <tr><td>{@link Struct}; in rows only</td><td>struct</td></tr>
 * <tr><td>{@code null}</td><td>null</td></tr>
 * </table>
 *
 * <p>Other values cause an {@link IllegalArgumentException}. Objects may be used by many threads. No thread may use one
 * while another destroys it. After {@link #destroy}, calls throw {@link IllegalStateException}.
 */
public final class ColumnHash implements Destroyable {
    private static final Pattern NAME = Pattern.compile("siphash-(1-3|2-4)-(64|128)");

    private final String algorithm;
    private final int tagLength;
    private final SipHash plain;
    private final SipHash rows;

    private ColumnHash(String algorithm, int[] rounds, SipHashKey key) {
        this.algorithm = algorithm;
        tagLength = rounds[2] / 8;
        plain = SipHash.of(rounds[0], rounds[1], key);
        SipHashKey subkey = key.rowKey();
        rows = SipHash.of(rounds[0], rounds[1], subkey);
        subkey.destroy();
    }

    /**
     * Returns the hash of columns under a key. The key may be destroyed afterwards.
     *
     * @param algorithm {@code siphash-1-3-64}, {@code siphash-2-4-64}, {@code siphash-1-3-128} or
     *     {@code siphash-2-4-128}; the first for joins and samples inside one process, the last for pseudonyms that leave it
     * @param key the key
     * @return the hash
     * @throws IllegalArgumentException if there is no such algorithm
     * @throws IllegalStateException if the key was destroyed
     * @throws NullPointerException if an argument is {@code null}
     */
    public static ColumnHash of(String algorithm, SipHashKey key) {
        return new ColumnHash(algorithm, rounds(algorithm), key);
    }

    /** c, d and the number of bits. */
    static int[] rounds(String algorithm) {
        Matcher matcher = NAME.matcher(algorithm);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("columns are hashed by siphash-1-3 or siphash-2-4, with -64 or -128");
        }
        int bits = Integer.parseInt(matcher.group(2));
        return matcher.group(1).equals("1-3") ? new int[] {1, 3, bits} : new int[] {2, 4, bits};
    }

    /**
     * Returns the algorithm.
     *
     * @return its name
     */
    public String algorithm() {
        return algorithm;
    }

    /**
     * Returns the number of bytes of a tag.
     *
     * @return 8 or 16
     */
    public int tagLength() {
        return tagLength;
    }

    /**
     * Returns the tag of 64 bits of an integer of any width.
     *
     * @param value the value
     * @return the tag
     * @throws UnsupportedOperationException if tags have 128 bits
     */
    public long hash(long value) {
        return narrow().hash(value);
    }

    /**
     * Returns the tag of 64 bits of a boolean.
     *
     * @param value the value
     * @return the tag
     * @throws UnsupportedOperationException if tags have 128 bits
     */
    public long hash(boolean value) {
        return narrow().hash(value ? 1L : 0L);
    }

    /**
     * Returns the tag of 64 bits of a float of any width.
     *
     * @param value the value
     * @return the tag
     * @throws UnsupportedOperationException if tags have 128 bits
     */
    public long hash(double value) {
        return narrow().hash(RowEncoder.bits(value));
    }

    /**
     * Returns the tag of 64 bits of a text.
     *
     * @param value the value
     * @return the tag
     * @throws UnsupportedOperationException if tags have 128 bits
     * @throws NullPointerException if the value is {@code null}
     */
    public long hash(CharSequence value) {
        return narrow().hash(value);
    }

    /**
     * Returns the tag of 64 bits of bytes.
     *
     * @param array the array
     * @param offset where the value begins
     * @param length the number of its bytes
     * @return the tag
     * @throws IndexOutOfBoundsException if the range is not within the array
     * @throws UnsupportedOperationException if tags have 128 bits
     * @throws NullPointerException if the array is {@code null}
     */
    public long hash(byte[] array, int offset, int length) {
        return narrow().hash(array, offset, length);
    }

    /**
     * Returns the tag of 64 bits of a decimal.
     *
     * @param value the value
     * @return the tag
     * @throws IllegalArgumentException if Arrow has no decimal with this value
     * @throws UnsupportedOperationException if tags have 128 bits
     * @throws NullPointerException if the value is {@code null}
     */
    public long hash(BigDecimal value) {
        SipHash hash = narrow();
        Object message = RowEncoder.decimal(value);
        return message instanceof Long number ? hash.hash(number.longValue()) : hash.hash((String) message);
    }

    /**
     * Returns the tag of a value of a column.
     *
     * @param value the value
     * @return the 8 or 16 bytes of the tag; {@code null} for {@code null}
     * @throws IllegalArgumentException if the value is of a type that columns cannot have
     */
    public byte[] tag(Object value) {
        Object message = RowEncoder.plain(value);
        if (message == null) {
            return null;
        }
        if (message instanceof Long number) {
            return tagLength == 16 ? plain.hash128(number.longValue()) : bytes(plain.hash(number.longValue()));
        }
        if (message instanceof CharSequence text) {
            return tagLength == 16 ? plain.hash128(text) : bytes(plain.hash(text));
        }
        if (message instanceof ByteBuffer buffer) {
            return tagLength == 16 ? plain.hash128(buffer) : bytes(plain.hash(buffer));
        }
        byte[] array = (byte[]) message;
        return tagLength == 16 ? plain.hash128(array) : bytes(plain.hash(array));
    }

    /**
     * Returns the tag of a row.
     *
     * @param fields the values of its fields, in order
     * @return the 8 or 16 bytes of the tag
     * @throws IllegalArgumentException if a value is of a type that rows cannot have, or has more than 64 levels
     * @throws NullPointerException if {@code fields} is {@code null}
     */
    public byte[] rowTag(Object... fields) {
        RowEncoder row = row().begin(fields.length);
        for (Object field : fields) {
            row.put(field);
        }
        return row.tag();
    }

    /**
     * Returns an object that takes the fields of rows one by one.
     *
     * @return the object
     */
    public RowEncoder row() {
        plain.checkIntact();
        return new RowEncoder(this);
    }

    static byte[] bytes(long tag) {
        byte[] bytes = new byte[8];
        Bytes.putLong(bytes, 0, tag);
        return bytes;
    }

    SipHash rows() {
        return rows;
    }

    /**
     * Returns the function for columns, under the key of this object. Its tag of a message equals that of a value with
     * this message.
     *
     * @return the function, which is destroyed with this object
     */
    public SipHash plain() {
        return plain;
    }

    private SipHash narrow() {
        if (tagLength != 8) {
            throw new UnsupportedOperationException("a tag of 128 bits is no long: use tag");
        }
        return plain;
    }

    /** Overwrites the state, which is as secret as the key. */
    @Override
    public void destroy() {
        plain.destroy();
        rows.destroy();
    }

    /**
     * Returns whether the state was overwritten.
     *
     * @return whether it was
     */
    @Override
    public boolean isDestroyed() {
        return plain.isDestroyed();
    }

    /**
     * Returns the algorithm, without the key.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "ColumnHash[" + algorithm + "]";
    }
}
