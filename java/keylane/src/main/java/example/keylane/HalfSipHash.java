package example.keylane;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import javax.security.auth.Destroyable;

/**
 * HalfSipHash-c-d under one key, with tags of 32 and of 64 bits. The two are different functions. Its words have 4 bytes,
 * so it suits processors of 32 bits, and protocols that name it. Its key of 8 bytes can be found by trying all of them.
 *
 * <p>Objects of this class do not change, but for {@link #destroy}, and may be used by many threads. No thread may use
 * one while another destroys it.
 *
 * <p>Unless noted otherwise, a {@code null} argument causes a {@link NullPointerException}, and a call after
 * {@link #destroy} causes an {@link IllegalStateException}.
 */
public final class HalfSipHash implements Destroyable {
    private final int c;
    private final int d;
    private boolean destroyed;
    private int k0;
    private int k1;

    private HalfSipHash(int c, int d, long key) {
        this.c = c;
        this.d = d;
        this.k0 = (int) key;
        this.k1 = (int) (key >>> 32);
        VarHandle.storeStoreFence();
    }

    /**
     * Returns HalfSipHash-c-d under a key. The key may be destroyed afterwards.
     *
     * @param c the rounds for each word, 1 to 255
     * @param d the rounds at the end, 1 to 255
     * @param key the key
     * @return the hash
     * @throws IllegalArgumentException if there are less than 1 or more than 255 rounds
     * @throws IllegalStateException if the key was destroyed
     */
    public static HalfSipHash of(int c, int d, HalfSipHashKey key) {
        SipHash.checkRounds(c, d);
        return new HalfSipHash(c, d, key.bits());
    }

    /**
     * Returns the tag of 32 bits of an array.
     *
     * @param message the message
     * @return the tag
     */
    public int hash(byte[] message) {
        return hash(message, 0, message.length);
    }

    /**
     * Returns the tag of 32 bits of a range of an array.
     *
     * @param array the array
     * @param offset where the message begins
     * @param length the number of its bytes
     * @return the tag
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public int hash(byte[] array, int offset, int length) {
        return (int) tag(array, offset, length, 4);
    }

    /**
     * Returns the tag of 32 bits of what remains in a buffer. Upon return, the buffer's position is its limit.
     *
     * @param message the buffer
     * @return the tag
     */
    public int hash(ByteBuffer message) {
        return (int) tag(message, 4);
    }

    /**
     * Returns the tag of 32 bits of a number's 8 bytes, the lowest first.
     *
     * @param message the number
     * @return the tag
     */
    public int hash(long message) {
        return (int) tag(message, 4);
    }

    /**
     * Returns the tag of 32 bits of a number's 4 bytes, the lowest first.
     *
     * @param message the number
     * @return the tag
     */
    public int hash(int message) {
        return (int) words(4).finish(message & 0xffff_ffffL | 4L << 56);
    }

    /**
     * Returns the tag of 32 bits of a text in UTF-8, as {@link SipHash#hash(CharSequence)} encodes it.
     *
     * @param message the text
     * @return the tag
     */
    public int hash(CharSequence message) {
        return (int) tag(message, 4);
    }

    /**
     * Returns the tag of 64 bits of an array.
     *
     * @param message the message
     * @return the tag
     */
    public long hash64(byte[] message) {
        return hash64(message, 0, message.length);
    }

    /**
     * Returns the tag of 64 bits of a range of an array.
     *
     * @param array the array
     * @param offset where the message begins
     * @param length the number of its bytes
     * @return the tag
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public long hash64(byte[] array, int offset, int length) {
        return tag(array, offset, length, 8);
    }

    /**
     * Returns the tag of 64 bits of what remains in a buffer. Upon return, the buffer's position is its limit.
     *
     * @param message the buffer
     * @return the tag
     */
    public long hash64(ByteBuffer message) {
        return tag(message, 8);
    }

    /**
     * Returns the tag of 64 bits of a number's 8 bytes, the lowest first.
     *
     * @param message the number
     * @return the tag
     */
    public long hash64(long message) {
        return tag(message, 8);
    }

    /**
     * Returns the tag of 64 bits of a number's 4 bytes, the lowest first.
     *
     * @param message the number
     * @return the tag
     */
    public long hash64(int message) {
        return words(8).finish(message & 0xffff_ffffL | 4L << 56);
    }

    /**
     * Returns the tag of 64 bits of a text in UTF-8, as {@link SipHash#hash(CharSequence)} encodes it.
     *
     * @param message the text
     * @return the tag
     */
    public long hash64(CharSequence message) {
        return tag(message, 8);
    }

    /**
     * Returns whether a tag of 4 or 8 bytes is that of a message. The time does not depend on where tags differ.
     *
     * @param message the message
     * @param tag the tag; one of another length is never right
     * @return whether it is
     */
    public boolean verify(byte[] message, byte[] tag) {
        if (tag.length == 4) {
            return (hash(message) ^ Bytes.getInt(tag, 0)) == 0;
        }
        long right = hash64(message);
        return tag.length == 8 && (right ^ Bytes.getLong(tag, 0)) == 0;
    }

    /**
     * Returns an object that takes a message in pieces, for its tag of 32 bits.
     *
     * @return a stream without bytes
     */
    public TagStream stream() {
        return new TagStream(words(4), 4);
    }

    /**
     * Returns an object that takes a message in pieces, for its tag of 64 bits.
     *
     * @return a stream without bytes
     */
    public TagStream stream64() {
        return new TagStream(words(8), 8);
    }

    private long tag(byte[] array, int offset, int length, int tagLength) {
        Objects.checkFromIndexSize(offset, length, array.length);
        HalfWords words = words(tagLength);
        return words.finish(words.bytes(array, offset, length));
    }

    private long tag(ByteBuffer message, int tagLength) {
        HalfWords words = words(tagLength);
        long last = message.hasArray()
                ? words.bytes(message.array(), message.arrayOffset() + message.position(), message.remaining())
                : words.buffer(message);
        message.position(message.limit());
        return words.finish(last);
    }

    private long tag(long message, int tagLength) {
        HalfWords words = words(tagLength);
        words.word(message);
        return words.finish(8L << 56);
    }

    private long tag(CharSequence message, int tagLength) {
        HalfWords words = words(tagLength);
        return words.finish(words.text(message));
    }

    /** The state before the first word. */
    private HalfWords words(int tagLength) {
        if (destroyed) {
            throw new IllegalStateException("the hash was destroyed");
        }
        boolean wide = tagLength == 8;
        int v1 = wide ? k1 ^ 0xee : k1;
        return new HalfWords(k0, v1, k0 ^ 0x6c796765, k1 ^ 0x74656462, c, d, wide ? 0xee : 0xff);
    }

    /** Overwrites the key. */
    @Override
    public void destroy() {
        destroyed = true;
        k0 = 0;
        k1 = 0;
    }

    /**
     * Returns whether the key was overwritten.
     *
     * @return whether it was
     */
    @Override
    public boolean isDestroyed() {
        return destroyed;
    }

    /**
     * Returns the name of the function, without the key.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "HalfSipHash-" + c + "-" + d;
    }
}
