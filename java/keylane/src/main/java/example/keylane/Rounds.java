// Written by RoundsSourceTest from src/main/templates. Change the template.
package example.keylane;

import java.nio.ByteBuffer;

/**
 * SipHash of whole messages, with any rounds and both widths of tags. The state is in local variables and arguments, so
 * that nothing is allocated whatever the compiler does.
 *
 * <p>The tag has 8 bytes if {@code tag} is {@code null}; else it has 16, which go there. The first 8 are returned.
 */
final class Rounds {
    private Rounds() {}

    static long bytes(
            long v0, long v1, long v2, long v3, int c, int d, byte[] message, int offset, int length, byte[] tag, int at) {
        v1 ^= tag == null ? 0 : 0xee;
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
            if (c > 1) {
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
                for (int round = 2; round < c; round++) {
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
                }
            }
            v0 ^= word;
        }
        return finish(v0, v1, v2, v3, c, d, Bytes.last(message, offset, length), tag, at);
    }

    /** What remains in a buffer without an array. */
    static long buffer(long v0, long v1, long v2, long v3, int c, int d, ByteBuffer message, byte[] tag, int at) {
        v1 ^= tag == null ? 0 : 0xee;
        int offset = message.position();
        int length = message.remaining();
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
            if (c > 1) {
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
                for (int round = 2; round < c; round++) {
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
                }
            }
            v0 ^= word;
        }
        long last = (long) length << 56;
        for (int i = end; i < offset + length; i++) {
            last |= (message.get(i) & 0xffL) << 8 * (i - end);
        }
        return finish(v0, v1, v2, v3, c, d, last, tag, at);
    }

    static long word(long v0, long v1, long v2, long v3, int c, int d, long word, byte[] tag, int at) {
        v1 ^= tag == null ? 0 : 0xee;
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
        if (c > 1) {
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
            for (int round = 2; round < c; round++) {
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
            }
        }
        v0 ^= word;
        return finish(v0, v1, v2, v3, c, d, 8L << 56, tag, at);
    }

    /** A message of less than 8 bytes. */
    static long last(long v0, long v1, long v2, long v3, int c, int d, long last, byte[] tag, int at) {
        return finish(v0, v1 ^ (tag == null ? 0 : 0xee), v2, v3, c, d, last, tag, at);
    }

    /** A text in UTF-8. A surrogate without its partner becomes {@code ?}. */
    static long text(long v0, long v1, long v2, long v3, int c, int d, CharSequence message, byte[] tag, int at) {
        v1 ^= tag == null ? 0 : 0xee;
        int length = message.length();
        long bytes = 0;
        long pending = 0;
        int bits = 0;
        int i = 0;
        while (i < length) {
            // Eight characters of ASCII are a word. Else one character at a time joins the word that is not yet whole.
            long word = bits == 0 && length - i >= 8 ? Utf8.ascii(message, i) : -1;
            if (word >= 0) {
                i += 8;
                bytes += 8;
            } else {
                char first = message.charAt(i++);
                long code = Utf8.code(first, i < length ? message.charAt(i) : 0);
                int count = (int) (code >>> 32);
                code &= 0xffff_ffffL;
                i += count == 4 ? 1 : 0;
                bytes += count;
                word = pending | code << bits;
                bits += 8 * count;
                if (bits < 64) {
                    pending = word;
                    continue;
                }
                bits -= 64;
                // The bytes that the word had no room for. If there are none, the shift is by 8 * count.
                pending = code >>> 8 * count - bits;
            }
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
            if (c > 1) {
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
                for (int round = 2; round < c; round++) {
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
                }
            }
            v0 ^= word;
        }
        return finish(v0, v1, v2, v3, c, d, pending | bytes << 56, tag, at);
    }

    private static long finish(long v0, long v1, long v2, long v3, int c, int d, long word, byte[] tag, int at) {
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
        if (c > 1) {
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
            for (int round = 2; round < c; round++) {
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
            }
        }
        v0 ^= word;
        v2 ^= tag == null ? 0xff : 0xee;
        for (int round = 0; round < d; round++) {
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
        }
        long first = v0 ^ v1 ^ v2 ^ v3;
        if (tag != null) {
            v1 ^= 0xdd;
            for (int round = 0; round < d; round++) {
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
            }
            Bytes.putLong(tag, at, first);
            Bytes.putLong(tag, at + 8, v0 ^ v1 ^ v2 ^ v3);
        }
        return first;
    }
}
