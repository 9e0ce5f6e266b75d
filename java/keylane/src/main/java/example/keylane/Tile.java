package example.keylane;

import java.util.Arrays;

/**
 * SipHash of many integers: 64 states side by side, one step of all after the other. Each loop is so simple that the
 * compiler turns it into vector instructions. Interleaving two or three messages by hand gains nothing, since the
 * processor overlaps independent messages by itself.
 */
final class Tile {
    /** The number of messages in a tile. */
    static final int SIZE = 64;

    private final long[] v0 = new long[SIZE];
    private final long[] v1 = new long[SIZE];
    private final long[] v2 = new long[SIZE];
    private final long[] v3 = new long[SIZE];
    private final long[] words = new long[SIZE];

    /** The tags of a tile of integers, of 8 bytes each. */
    void hash(long k0, long k1, long k2, long k3, int c, int d, long[] values, int offset, long[] tags, int tagOffset) {
        Arrays.fill(v0, k0);
        Arrays.fill(v1, k1);
        Arrays.fill(v2, k2);
        Arrays.fill(v3, k3);
        System.arraycopy(values, offset, words, 0, SIZE);
        xor(v3, words);
        rounds(c);
        xor(v0, words);
        Arrays.fill(words, 8L << 56);
        xor(v3, words);
        rounds(c);
        xor(v0, words);
        Arrays.fill(words, 0xff);
        xor(v2, words);
        rounds(d);
        xor(v0, v1);
        xor(v2, v3);
        xor(v0, v2);
        System.arraycopy(v0, 0, tags, tagOffset, SIZE);
    }

    private static void xor(long[] words, long[] others) {
        for (int i = 0; i < SIZE; i++) {
            words[i] ^= others[i];
        }
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round(v0, v1, v2, v3);
        }
    }

    private static void round(long[] v0, long[] v1, long[] v2, long[] v3) {
        for (int i = 0; i < SIZE; i++) {
            long a = v0[i];
            long b = v1[i];
            long c = v2[i];
            long d = v3[i];
            a += b;
            c += d;
            b = Long.rotateLeft(b, 13) ^ a;
            d = Long.rotateLeft(d, 16) ^ c;
            a = Long.rotateLeft(a, 32);
            c += b;
            a += d;
            v0[i] = a;
            v1[i] = Long.rotateLeft(b, 17) ^ c;
            v2[i] = Long.rotateLeft(c, 32);
            v3[i] = Long.rotateLeft(d, 21) ^ a;
        }
    }

    void wipe() {
        Arrays.fill(v0, 0);
        Arrays.fill(v1, 0);
        Arrays.fill(v2, 0);
        Arrays.fill(v3, 0);
    }
}
