// Written by RoundsSourceTest from src/main/templates. Change the template.
package example.keylane;

/** SipHash-1-3 with tags of 8 bytes, with every round written out. */
final class Rounds13 {
    private Rounds13() {}

    static long bytes(long v0, long v1, long v2, long v3, byte[] message, int offset, int length) {
        int end = offset + (length & ~7);
        for (int i = offset; i < end; i += 8) {
            long word = Bytes.getLong(message, i);
            v3 ^= word;
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= word;
        }
        return last(v0, v1, v2, v3, Bytes.last(message, offset, length));
    }

    /** The tag of 8 bytes. The first half of the first round is done already in {@code v0} and {@code v1}. */
    static long word(long v0, long v1, long v2, long v3, long word) {
        v3 ^= word;
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
        v0 ^= word;
        return last(v0, v1, v2, v3, 8L << 56);
    }

    /** The tag, from the state before the last word. */
    static long last(long v0, long v1, long v2, long v3, long last) {
        v3 ^= last;
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
        v0 ^= last;
        v2 ^= 0xff;
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
        // The part of the last round that reaches the tag.
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v2 += v1;
        return Long.rotateLeft(v1, 17) ^ Long.rotateLeft(v3, 21) ^ v2 ^ Long.rotateLeft(v2, 32);
    }
}
