package example.keylane;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.Checksum;
import javax.security.auth.Destroyable;

/**
 * A message in pieces, for its tag by {@link SipHash} or {@link HalfSipHash}. A tag can be asked for at any time, and
 * the message can go on.
 *
 * <p>A stream is for one thread at a time. After {@link #destroy}, calls that need the state throw
 * {@link IllegalStateException}.
 */
public final class TagStream implements Checksum, Destroyable {
    private final Words start;
    private final int tagLength;
    private Words words;
    private long pending;
    private long length;
    private boolean destroyed;

    TagStream(Words start, int tagLength) {
        this.start = start;
        this.tagLength = tagLength;
        this.words = start.copy();
    }

    private TagStream(TagStream other) {
        start = other.start.copy();
        tagLength = other.tagLength;
        words = other.words.copy();
        pending = other.pending;
        length = other.length;
    }

    /**
     * Adds a byte.
     *
     * @param b the byte, in the lowest 8 bits
     */
    @Override
    public void update(int b) {
        checkIntact();
        add((byte) b);
    }

    private void add(byte b) {
        int bits = 8 * (int) (length & 7);
        pending |= (b & 0xffL) << bits;
        length++;
        if (bits == 56) {
            words.word(pending);
            pending = 0;
        }
    }

    /**
     * Adds an array.
     *
     * @param array the array
     * @throws NullPointerException if {@code array} is {@code null}
     */
    @Override
    public void update(byte[] array) {
        update(array, 0, array.length);
    }

    /**
     * Adds a range of an array.
     *
     * @param array the array
     * @param offset where the range begins
     * @param length the number of its bytes
     * @throws IndexOutOfBoundsException if the range is not within the array
     * @throws NullPointerException if {@code array} is {@code null}
     */
    @Override
    public void update(byte[] array, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, array.length);
        checkIntact();
        int end = offset + length;
        while (offset < end && (this.length & 7) != 0) {
            add(array[offset++]);
        }
        int whole = end - offset & ~7;
        Words words = this.words;
        for (int i = offset; i < offset + whole; i += 8) {
            words.word(Bytes.getLong(array, i));
        }
        this.length += whole;
        for (int i = offset + whole; i < end; i++) {
            add(array[i]);
        }
    }

    /**
     * Adds what remains in a buffer. Upon return, the buffer's position is its limit.
     *
     * @param buffer the buffer
     * @throws NullPointerException if {@code buffer} is {@code null}
     */
    @Override
    public void update(ByteBuffer buffer) {
        checkIntact();
        if (buffer.hasArray()) {
            update(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
        } else {
            int end = buffer.limit();
            int at = buffer.position();
            while (at < end && (length & 7) != 0) {
                add(buffer.get(at++));
            }
            for (; end - at >= 8; at += 8) {
                words.word(Bytes.getLong(buffer, at));
                length += 8;
            }
            while (at < end) {
                add(buffer.get(at++));
            }
        }
        buffer.position(buffer.limit());
    }

    /**
     * Returns the tag of the message so far.
     *
     * @return the tag; one of 32 bits as a number from 0 to 2<sup>32</sup> - 1
     * @throws UnsupportedOperationException if the tag has 128 bits
     */
    @Override
    public long getValue() {
        checkIntact();
        if (tagLength > 8) {
            throw new UnsupportedOperationException("a tag of 128 bits is no long: use getTag");
        }
        return words.copy().finish(last());
    }

    /**
     * Returns the tag of the message so far.
     *
     * @return the 4, 8 or 16 bytes of the tag
     */
    public byte[] getTag() {
        checkIntact();
        byte[] tag = new byte[tagLength];
        Words copy = words.copy();
        long first = copy.finish(last());
        if (tagLength == 4) {
            Bytes.putInt(tag, 0, (int) first);
        } else {
            Bytes.putLong(tag, 0, first);
        }
        if (tagLength == 16) {
            Bytes.putLong(tag, 8, copy.second());
        }
        return tag;
    }

    /**
     * Returns whether a tag is that of the message so far. The time does not depend on where tags differ.
     *
     * @param tag the tag; one of another length is never right
     * @return whether it is
     * @throws NullPointerException if {@code tag} is {@code null}
     */
    public boolean verify(byte[] tag) {
        byte[] right = getTag();
        return tag.length == right.length && Bytes.equal(right, tag);
    }

    /**
     * Returns the number of bytes of a tag.
     *
     * @return 4, 8 or 16
     */
    public int tagLength() {
        return tagLength;
    }

    /** Begins a new message. */
    @Override
    public void reset() {
        checkIntact();
        words.wipe();
        words = start.copy();
        pending = 0;
        length = 0;
    }

    /**
     * Returns a stream with the same bytes, which goes on by itself.
     *
     * @return a copy
     */
    public TagStream copy() {
        checkIntact();
        return new TagStream(this);
    }

    private long last() {
        return pending | length << 56;
    }

    private void checkIntact() {
        if (destroyed) {
            throw new IllegalStateException("the stream was destroyed");
        }
    }

    /** Overwrites the state. */
    @Override
    public void destroy() {
        destroyed = true;
        start.wipe();
        words.wipe();
        pending = 0;
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
     * Returns a text without the state.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "TagStream[tagLength=" + tagLength + "]";
    }
}
