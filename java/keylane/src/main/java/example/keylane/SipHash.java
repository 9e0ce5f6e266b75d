package example.keylane;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import javax.security.auth.Destroyable;

/**
 * SipHash-c-d under one key, with tags of 64 and of 128 bits. The two are different functions.
 *
 * <pre>{@code
 * SipHash hash = SipHash.of(1, 3, SipHashKey.generate());
 * long tag = hash.hash("message");
 * }</pre>
 *
 * <p>A tag of 64 bits is a {@code long} that holds the 8 bytes of the tag, the lowest first. No method allocates memory,
 * but for those that return an array or a stream.
 *
 * <p>The fastest code is that of SipHash-1-3 and SipHash-2-4. Objects of this class do not change, but for
 * {@link #destroy}, and may be used by many threads. No thread may use one while another destroys it.
 *
 * <p>Unless noted otherwise, a {@code null} argument causes a {@link NullPointerException}, and a call after
 * {@link #destroy} causes an {@link IllegalStateException}.
 */
public final class SipHash implements Destroyable {
    private static final int COUNTED = 0;
    private static final int ROUNDS_1_3 = 1;
    private static final int ROUNDS_2_4 = 2;

    /** Which code runs; {@link #COUNTED} too after destruction, so that the fast paths need no check. */
    private int code;

    private final int c;
    private final int d;
    private boolean destroyed;
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    /** The first two words after the half of the first round that is the same for all messages. */
    private long started0;

    private long started1;

    private SipHash(int c, int d, long k0, long k1) {
        this.c = c;
        this.d = d;
        this.code = c == 1 && d == 3 ? ROUNDS_1_3 : c == 2 && d == 4 ? ROUNDS_2_4 : COUNTED;
        v0 = k0 ^ 0x736f6d6570736575L;
        v1 = k1 ^ 0x646f72616e646f6dL;
        v2 = k0 ^ 0x6c7967656e657261L;
        v3 = k1 ^ 0x7465646279746573L;
        started1 = Long.rotateLeft(v1, 13) ^ (v0 + v1);
        started0 = Long.rotateLeft(v0 + v1, 32);
        // Other threads see the state, even if they get this object by a race.
        VarHandle.storeStoreFence();
    }

    /**
     * Returns SipHash-c-d under a key. The key may be destroyed afterwards.
     *
     * @param c the rounds for each word, 1 to 255
     * @param d the rounds at the end, 1 to 255
     * @param key the key
     * @return the hash
     * @throws IllegalArgumentException if there are less than 1 or more than 255 rounds
     * @throws IllegalStateException if the key was destroyed
     */
    public static SipHash of(int c, int d, SipHashKey key) {
        checkRounds(c, d);
        return new SipHash(c, d, key.k0(), key.k1());
    }

    static void checkRounds(int c, int d) {
        if (c < 1 || c > 255 || d < 1 || d > 255) {
            throw new IllegalArgumentException("SipHash has 1 to 255 rounds, not " + c + " and " + d);
        }
    }

    /**
     * Returns the tag of an array.
     *
     * @param message the message
     * @return the tag
     */
    public long hash(byte[] message) {
        return hash(message, 0, message.length);
    }

    /**
     * Returns the tag of a range of an array.
     *
     * @param array the array
     * @param offset where the message begins
     * @param length the number of its bytes
     * @return the tag
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public long hash(byte[] array, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, array.length);
        switch (code) {
            case ROUNDS_1_3:
                return Rounds13.bytes(v0, v1, v2, v3, array, offset, length);
            case ROUNDS_2_4:
                return Rounds24.bytes(v0, v1, v2, v3, array, offset, length);
            default:
                checkIntact();
                return Rounds.bytes(v0, v1, v2, v3, c, d, array, offset, length, null, 0);
        }
    }

    /**
     * Returns the tag of what remains in a buffer, of any byte order. Upon return, the buffer's position is its limit.
     *
     * @param message the buffer
     * @return the tag
     */
    public long hash(ByteBuffer message) {
        long tag;
        if (message.hasArray()) {
            tag = hash(message.array(), message.arrayOffset() + message.position(), message.remaining());
        } else {
            checkIntact();
            tag = Rounds.buffer(v0, v1, v2, v3, c, d, message, null, 0);
        }
        message.position(message.limit());
        return tag;
    }

    /**
     * Returns the tag of a number's 8 bytes, the lowest first. For KCE-1, this is the tag of an integer.
     *
     * @param message the number
     * @return the tag
     */
    public long hash(long message) {
        switch (code) {
            case ROUNDS_1_3:
                return Rounds13.word(started0, started1, v2, v3, message);
            case ROUNDS_2_4:
                return Rounds24.word(started0, started1, v2, v3, message);
            default:
                checkIntact();
                return Rounds.word(v0, v1, v2, v3, c, d, message, null, 0);
        }
    }

    /**
     * Returns the tag of a number's 4 bytes, the lowest first. KCE-1 hashes an integer of any width as 8 bytes: for it,
     * use {@link #hash(long)}.
     *
     * @param message the number
     * @return the tag
     */
    public long hash(int message) {
        long last = message & 0xffff_ffffL | 4L << 56;
        switch (code) {
            case ROUNDS_1_3:
                return Rounds13.last(v0, v1, v2, v3, last);
            case ROUNDS_2_4:
                return Rounds24.last(v0, v1, v2, v3, last);
            default:
                checkIntact();
                return Rounds.last(v0, v1, v2, v3, c, d, last, null, 0);
        }
    }

    /**
     * Returns the tag of a text in UTF-8. No array is made. As with {@link String#getBytes(java.nio.charset.Charset)}, a
     * surrogate without its partner becomes {@code ?}. The time depends on which characters are ASCII.
     *
     * @param message the text
     * @return the tag
     */
    public long hash(CharSequence message) {
        checkIntact();
        return Rounds.text(v0, v1, v2, v3, c, d, message, null, 0);
    }

    /**
     * Returns the tag of 128 bits of an array.
     *
     * @param message the message
     * @return the 16 bytes of the tag
     */
    public byte[] hash128(byte[] message) {
        return hash128(message, 0, message.length);
    }

    /**
     * Returns the tag of 128 bits of a range of an array.
     *
     * @param array the array
     * @param offset where the message begins
     * @param length the number of its bytes
     * @return the 16 bytes of the tag
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public byte[] hash128(byte[] array, int offset, int length) {
        byte[] tag = new byte[16];
        hash128(array, offset, length, tag, 0);
        return tag;
    }

    /**
     * Writes the tag of 128 bits of a range of an array. Ranges may overlap.
     *
     * @param array the array
     * @param offset where the message begins
     * @param length the number of its bytes
     * @param tag where the tag goes
     * @param tagOffset where its 16 bytes begin
     * @throws IndexOutOfBoundsException if a range is not within its array
     */
    public void hash128(byte[] array, int offset, int length, byte[] tag, int tagOffset) {
        Objects.checkFromIndexSize(offset, length, array.length);
        Objects.checkFromIndexSize(tagOffset, 16, tag.length);
        checkIntact();
        Rounds.bytes(v0, v1, v2, v3, c, d, array, offset, length, tag, tagOffset);
    }

    /**
     * Returns the tag of 128 bits of what remains in a buffer, of any byte order. Upon return, the buffer's position is
     * its limit.
     *
     * @param message the buffer
     * @return the 16 bytes of the tag
     */
    public byte[] hash128(ByteBuffer message) {
        checkIntact();
        byte[] tag = new byte[16];
        if (message.hasArray()) {
            hash128(message.array(), message.arrayOffset() + message.position(), message.remaining(), tag, 0);
        } else {
            Rounds.buffer(v0, v1, v2, v3, c, d, message, tag, 0);
        }
        message.position(message.limit());
        return tag;
    }

    /**
     * Returns the tag of 128 bits of a number's 8 bytes, the lowest first.
     *
     * @param message the number
     * @return the 16 bytes of the tag
     */
    public byte[] hash128(long message) {
        byte[] tag = new byte[16];
        hash128(message, tag, 0);
        return tag;
    }

    /**
     * Writes the tag of 128 bits of a number's 8 bytes, the lowest first.
     *
     * @param message the number
     * @param tag where the tag goes
     * @param tagOffset where its 16 bytes begin
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public void hash128(long message, byte[] tag, int tagOffset) {
        Objects.checkFromIndexSize(tagOffset, 16, tag.length);
        checkIntact();
        Rounds.word(v0, v1, v2, v3, c, d, message, tag, tagOffset);
    }

    /**
     * Returns the tag of 128 bits of a number's 4 bytes, the lowest first.
     *
     * @param message the number
     * @return the 16 bytes of the tag
     */
    public byte[] hash128(int message) {
        byte[] tag = new byte[16];
        checkIntact();
        Rounds.last(v0, v1, v2, v3, c, d, message & 0xffff_ffffL | 4L << 56, tag, 0);
        return tag;
    }

    /**
     * Returns the tag of 128 bits of a text in UTF-8, as {@link #hash(CharSequence)} encodes it.
     *
     * @param message the text
     * @return the 16 bytes of the tag
     */
    public byte[] hash128(CharSequence message) {
        byte[] tag = new byte[16];
        hash128(message, tag, 0);
        return tag;
    }

    /**
     * Writes the tag of 128 bits of a text in UTF-8, as {@link #hash(CharSequence)} encodes it.
     *
     * @param message the text
     * @param tag where the tag goes
     * @param tagOffset where its 16 bytes begin
     * @throws IndexOutOfBoundsException if the range is not within the array
     */
    public void hash128(CharSequence message, byte[] tag, int tagOffset) {
        Objects.checkFromIndexSize(tagOffset, 16, tag.length);
        checkIntact();
        Rounds.text(v0, v1, v2, v3, c, d, message, tag, tagOffset);
    }

    /**
     * Writes the tags of many numbers, each hashed as by {@link #hash(long)}. From 64 numbers on, the virtual machine can
     * use vector instructions; then this call allocates 3 KiB. The ranges may be the same, but must not overlap otherwise.
     *
     * @param values the numbers
     * @param offset where they begin
     * @param count how many they are
     * @param tags where the tags go
     * @param tagOffset where they begin
     * @throws IndexOutOfBoundsException if a range is not within its array
     */
    public void hashLongs(long[] values, int offset, int count, long[] tags, int tagOffset) {
        Objects.checkFromIndexSize(offset, count, values.length);
        Objects.checkFromIndexSize(tagOffset, count, tags.length);
        checkIntact();
        int done = 0;
        if (count >= Tile.SIZE && FoundBatch.FOUND != null) {
            done = FoundBatch.FOUND.hash(v0, v1, v2, v3, c, d, values, offset, count, tags, tagOffset);
        } else if (count >= Tile.SIZE) {
            Tile tile = new Tile();
            for (; count - done >= Tile.SIZE; done += Tile.SIZE) {
                tile.hash(v0, v1, v2, v3, c, d, values, offset + done, tags, tagOffset + done);
            }
            tile.wipe();
        }
        for (; done < count; done++) {
            tags[tagOffset + done] = hash(values[offset + done]);
        }
    }

    /**
     * Writes the tags of many messages of one width, which lie one after the other.
     *
     * @param array the array
     * @param offset where the first message begins
     * @param width the number of bytes of each
     * @param count how many they are
     * @param tags where the tags go
     * @param tagOffset where they begin
     * @throws IndexOutOfBoundsException if a range is not within its array, or {@code width} is negative
     */
    public void hashRows(byte[] array, int offset, int width, int count, long[] tags, int tagOffset) {
        Objects.checkFromIndexSize(tagOffset, count, tags.length);
        long bytes = (long) width * count;
        if (width < 0 || bytes > Integer.MAX_VALUE) {
            throw new IndexOutOfBoundsException("rows of " + width + " bytes are not within the array");
        }
        Objects.checkFromIndexSize(offset, (int) bytes, array.length);
        checkIntact();
        for (int i = 0; i < count; i++) {
            tags[tagOffset + i] = hash(array, offset + i * width, width);
        }
    }

    /**
     * Writes the tags of many messages, as Arrow lays them out: message i has the bytes from {@code offsets[i]} to
     * {@code offsets[i + 1]}.
     *
     * @param array the array
     * @param offsets the limits of the messages, one more than there are messages
     * @param tags where the tags go, one for each message
     * @throws IllegalArgumentException if there is not one more offset than there are tags
     * @throws IndexOutOfBoundsException if a message is not within the array; tags of earlier messages are then written
     */
    public void hashOffsets(byte[] array, int[] offsets, long[] tags) {
        if (offsets.length != tags.length + 1) {
            throw new IllegalArgumentException("there are " + offsets.length + " offsets for " + tags.length + " tags");
        }
        Objects.requireNonNull(array);
        checkIntact();
        for (int i = 0; i < tags.length; i++) {
            int begin = offsets[i];
            Objects.checkFromToIndex(begin, offsets[i + 1], array.length);
            tags[i] = hash(array, begin, offsets[i + 1] - begin);
        }
    }

    /**
     * Returns whether a tag of 64 bits is that of a message. The time does not depend on where tags differ.
     *
     * @param message the message
     * @param tag the tag
     * @return whether it is
     */
    public boolean verify(byte[] message, long tag) {
        return (hash(message) ^ tag) == 0;
    }

    /**
     * Returns whether a tag of 8 or 16 bytes is that of a message. The time does not depend on where tags differ.
     *
     * @param message the message
     * @param tag the tag; one of another length is never right
     * @return whether it is
     */
    public boolean verify(byte[] message, byte[] tag) {
        if (tag.length == 8) {
            return verify(message, Bytes.getLong(tag, 0));
        }
        byte[] right = hash128(message);
        return tag.length == 16 && Bytes.equal(right, tag);
    }

    /**
     * Returns an object that takes a message in pieces, for its tag of 64 bits.
     *
     * @return a stream without bytes
     */
    public TagStream stream() {
        return new TagStream(words(8), 8);
    }

    /**
     * Returns an object that takes a message in pieces, for its tag of 128 bits.
     *
     * @return a stream without bytes
     */
    public TagStream stream128() {
        return new TagStream(words(16), 16);
    }

    /** The state before the first word. */
    private SipWords words(int tagLength) {
        checkIntact();
        return tagLength == 8
                ? new SipWords(v0, v1, v2, v3, c, d, 0xff)
                : new SipWords(v0, v1 ^ 0xee, v2, v3, c, d, 0xee);
    }

    void checkIntact() {
        if (destroyed) {
            throw new IllegalStateException("the hash was destroyed");
        }
    }

    /** Overwrites the state, which is as secret as the key. */
    @Override
    public void destroy() {
        destroyed = true;
        code = COUNTED;
        v0 = 0;
        v1 = 0;
        v2 = 0;
        v3 = 0;
        started0 = 0;
        started1 = 0;
    }

    /**
     * Returns whether the state was overwritten.
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
        return "SipHash-" + c + "-" + d;
    }
}
