package example.keylane;

import java.nio.ByteBuffer;
import java.util.Objects;
import javax.security.auth.Destroyable;

/**
 * Poly1305: a tag of 16 bytes for one message under a key of 32 bytes.
 *
 * <p><b>A key is for one message.</b> Two messages under one key reveal it. So an object of this class gives its tag once;
 * afterwards its calls throw {@link IllegalStateException}, as they do after {@link #destroy}.
 *
 * <pre>{@code
 * Poly1305 mac = Poly1305.of(oneTimeKey);
 * mac.update(message);
 * byte[] tag = mac.tag();
 * }</pre>
 *
 * <p>An object is for one thread at a time. Unless noted otherwise, a {@code null} argument causes a
 * {@link NullPointerException}.
 */
public final class Poly1305 implements Destroyable {
    /** The number of bytes of a key. */
    public static final int KEY_LENGTH = 32;

    /** The number of bytes of a tag. */
    public static final int TAG_LENGTH = 16;

    private static final int BLOCK = 16;

    // Numbers below 2^130 in base 2^44: h = h0 + h1 2^44 + h2 2^88, and r likewise.
    private static final long LIMB = (1L << 44) - 1;
    private static final long TOP = (1L << 42) - 1;

    /** 2^128 in the third limb: the bit above a whole block. */
    private static final long ABOVE = 1L << 40;

    private long r0;
    private long r1;
    private long r2;
    private long s0;
    private long s1;
    private long h0;
    private long h1;
    private long h2;
    private final byte[] pending = new byte[BLOCK];
    private int waiting;
    private boolean done;

    private Poly1305(byte[] key) {
        long low = Bytes.getLong(key, 0) & 0x0ffffffc_0fffffffL;
        long high = Bytes.getLong(key, 8) & 0x0ffffffc_0ffffffcL;
        r0 = low & LIMB;
        r1 = (low >>> 44 | high << 20) & LIMB;
        r2 = high >>> 24;
        s0 = Bytes.getLong(key, 16);
        s1 = Bytes.getLong(key, 24);
    }

    /**
     * Returns an object for one message. The key is copied, and may be overwritten afterwards.
     *
     * @param key 32 bytes, which were never used for another message
     * @return the object, without bytes of the message
     * @throws IllegalArgumentException if there are not 32 bytes
     */
    public static Poly1305 of(byte[] key) {
        if (key.length != KEY_LENGTH) {
            throw new IllegalArgumentException("a key of Poly1305 has 32 bytes, not " + key.length);
        }
        return new Poly1305(key);
    }

    /**
     * Returns the tag of a message.
     *
     * @param key 32 bytes, which were never used for another message
     * @param message the message
     * @return the 16 bytes of the tag
     * @throws IllegalArgumentException if the key does not have 32 bytes
     */
    public static byte[] mac(byte[] key, byte[] message) {
        Poly1305 mac = of(key);
        mac.update(message);
        return mac.tag();
    }

    /**
     * Returns whether a tag is that of a message. The time does not depend on where tags differ.
     *
     * @param key the 32 bytes of the key
     * @param message the message
     * @param tag the tag; one of another length is never right
     * @return whether it is
     * @throws IllegalArgumentException if the key does not have 32 bytes
     */
    public static boolean verify(byte[] key, byte[] message, byte[] tag) {
        Poly1305 mac = of(key);
        mac.update(message);
        return mac.verify(tag);
    }

    /**
     * Adds a byte.
     *
     * @param b the byte
     */
    public void update(byte b) {
        checkOpen();
        pending[waiting++] = b;
        if (waiting == BLOCK) {
            blocks(pending, 0, BLOCK);
            waiting = 0;
        }
    }

    /**
     * Adds an array.
     *
     * @param array the array
     */
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
     */
    public void update(byte[] array, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, array.length);
        checkOpen();
        int end = offset + length;
        if (waiting > 0) {
            int count = Math.min(BLOCK - waiting, length);
            System.arraycopy(array, offset, pending, waiting, count);
            waiting += count;
            offset += count;
            if (waiting < BLOCK) {
                return;
            }
            blocks(pending, 0, BLOCK);
            waiting = 0;
        }
        int whole = end - offset & -BLOCK;
        blocks(array, offset, offset + whole);
        offset += whole;
        waiting = end - offset;
        System.arraycopy(array, offset, pending, 0, waiting);
    }

    /**
     * Adds what remains in a buffer. Upon return, the buffer's position is its limit.
     *
     * @param buffer the buffer
     */
    public void update(ByteBuffer buffer) {
        checkOpen();
        if (buffer.hasArray()) {
            update(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
            buffer.position(buffer.limit());
            return;
        }
        while (buffer.hasRemaining()) {
            int count = Math.min(BLOCK - waiting, buffer.remaining());
            buffer.get(pending, waiting, count);
            waiting += count;
            if (waiting == BLOCK) {
                blocks(pending, 0, BLOCK);
                waiting = 0;
            }
        }
    }

    /**
     * Returns the tag, and overwrites the key.
     *
     * @return the 16 bytes of the tag
     */
    public byte[] tag() {
        byte[] tag = new byte[TAG_LENGTH];
        tag(tag);
        return tag;
    }

    /**
     * Returns whether a tag is that of the message, and overwrites the key. The time does not depend on where tags differ.
     *
     * @param tag the tag; one of another length is never right
     * @return whether it is
     */
    public boolean verify(byte[] tag) {
        int length = tag.length;
        byte[] right = tag();
        return length == TAG_LENGTH && Bytes.equal(right, tag);
    }

    /**
     * Blocks with the bit above them: h <- (h + block) r mod 2^130 - 5.
     *
     * <p>h0 and h2 are below 2^44, h1 below 2^45, r below 2^44, and 20 r below 2^49. A product is split at bit 44: its
     * upper part is the upper 64 bits of the product of both factors times 2^10. So upper parts are below 2^50, and sums
     * of three with a carry below 2^53. 2^132 in the product of two third limbs is 20.
     */
    private void blocks(byte[] array, int offset, int end) {
        long r0 = this.r0;
        long r1 = this.r1;
        long r2 = this.r2;
        long t1 = 20 * r1;
        long t2 = 20 * r2;
        long h0 = this.h0;
        long h1 = this.h1;
        long h2 = this.h2;
        for (int i = offset; i < end; i += BLOCK) {
            long low = Bytes.getLong(array, i);
            long high = Bytes.getLong(array, i + 8);
            h0 += low & LIMB;
            h1 += (low >>> 44 | high << 20) & LIMB;
            h2 += high >>> 24 | ABOVE;

            long d0 = low(h0, r0) + low(h1, t2) + low(h2, t1);
            long d1 = low(h0, r1) + low(h1, r0) + low(h2, t2);
            long d2 = low(h0, r2) + low(h1, r1) + low(h2, r0);
            long e0 = high(h0, r0) + high(h1, t2) + high(h2, t1);
            long e1 = high(h0, r1) + high(h1, r0) + high(h2, t2);
            long e2 = high(h0, r2) + high(h1, r1) + high(h2, r0);

            d1 += e0 + (d0 >>> 44);
            d2 += e1 + (d1 >>> 44);
            h0 = (d0 & LIMB) + 5 * ((e2 << 2) + (d2 >>> 42));
            h1 = (d1 & LIMB) + (h0 >>> 44);
            h0 &= LIMB;
            h2 = d2 & TOP;
        }
        this.h0 = h0;
        this.h1 = h1;
        this.h2 = h2;
    }

    /** The lowest 44 bits of a product. */
    private static long low(long a, long b) {
        return a * b & LIMB;
    }

    /** A product without its lowest 44 bits. */
    private static long high(long a, long b) {
        return Math.multiplyHigh(a << 10, b << 10);
    }

    private void tag(byte[] tag) {
        checkOpen();
        if (waiting > 0) {
            // The last block has a 1 behind its bytes, and no bit above.
            pending[waiting] = 1;
            for (int i = waiting + 1; i < BLOCK; i++) {
                pending[i] = 0;
            }
            h2 -= ABOVE;
            blocks(pending, 0, BLOCK);
        }

        // Below 2^130.
        long c = h1 >>> 44;
        h1 &= LIMB;
        h2 += c;
        for (int i = 0; i < 2; i++) {
            c = h2 >>> 42;
            h2 &= TOP;
            h0 += 5 * c;
            c = h0 >>> 44;
            h0 &= LIMB;
            h1 += c;
            c = h1 >>> 44;
            h1 &= LIMB;
            h2 += c;
        }

        // Below 2^130 - 5: h + 5 - 2^130 if that is not negative.
        long g0 = h0 + 5;
        long g1 = h1 + (g0 >>> 44);
        long g2 = h2 + (g1 >>> 44) - (1L << 42);
        long negative = g2 >> 63;
        h0 = h0 & negative | g0 & LIMB & ~negative;
        h1 = h1 & negative | g1 & LIMB & ~negative;
        h2 = h2 & negative | g2 & ~negative;

        // h + s mod 2^128.
        h0 += s0 & LIMB;
        h1 += (s0 >>> 44 | s1 << 20) & LIMB;
        h1 += h0 >>> 44;
        h2 += s1 >>> 24;
        h2 += h1 >>> 44;
        Bytes.putLong(tag, 0, h0 & LIMB | h1 << 44);
        Bytes.putLong(tag, 8, (h1 & LIMB) >>> 20 | h2 << 24);
        destroy();
    }

    /** Sets h, for tests of limits that no short message reaches. */
    void preset(byte[] h) {
        long low = Bytes.getLong(h, 0);
        long high = Bytes.getLong(h, 8);
        h0 = low & LIMB;
        h1 = (low >>> 44 | high << 20) & LIMB;
        h2 = high >>> 24 | Bytes.getLong(h, 16) << 40;
    }

    private void checkOpen() {
        if (done) {
            throw new IllegalStateException("this Poly1305 gave its tag, or was destroyed; a key is for one message");
        }
    }

    /** Overwrites the key and the state. */
    @Override
    public void destroy() {
        done = true;
        r0 = 0;
        r1 = 0;
        r2 = 0;
        s0 = 0;
        s1 = 0;
        h0 = 0;
        h1 = 0;
        h2 = 0;
        waiting = 0;
        Bytes.wipe(pending);
    }

    /**
     * Returns whether the key was overwritten, by {@link #destroy} or because the tag was given.
     *
     * @return whether it was
     */
    @Override
    public boolean isDestroyed() {
        return done;
    }

    /**
     * Returns a text without the key.
     *
     * @return a text for logs
     */
    @Override
    public String toString() {
        return "Poly1305";
    }
}
