package example.keylane;

import java.nio.ByteBuffer;

/**
 * The state of a hash over words of 8 bytes, and the ways that bytes get there. A local variable of this type is kept in
 * registers by the compiler.
 */
abstract class Words {
    /** Absorbs 8 bytes. */
    abstract void word(long word);

    /** Absorbs the last bytes, with the message's length in the highest byte. Returns the tag's first 8 bytes. */
    abstract long finish(long last);

    /** Returns the 8 bytes of the tag that follow, if it has 16. */
    abstract long second();

    abstract Words copy();

    abstract void wipe();

    /** Absorbs a message but for its last bytes, which are returned as {@link #finish} takes them. */
    final long bytes(byte[] message, int offset, int length) {
        int end = offset + (length & ~7);
        for (int i = offset; i < end; i += 8) {
            word(Bytes.getLong(message, i));
        }
        return Bytes.last(message, offset, length);
    }

    /** The same for a buffer without an array, from its position to its limit. */
    final long buffer(ByteBuffer message) {
        int offset = message.position();
        int length = message.remaining();
        int end = offset + (length & ~7);
        for (int i = offset; i < end; i += 8) {
            word(Bytes.getLong(message, i));
        }
        long last = (long) length << 56;
        for (int i = end; i < offset + length; i++) {
            last |= (message.get(i) & 0xffL) << 8 * (i - end);
        }
        return last;
    }

    /** The same for text in UTF-8. A surrogate without its partner becomes {@code ?}. */
    final long text(CharSequence text) {
        int length = text.length();
        long pending = 0;
        long bytes = 0;
        for (int i = 0; i < length; ) {
            char first = text.charAt(i++);
            long code = Utf8.code(first, i < length ? text.charAt(i) : 0);
            int count = (int) (code >>> 32);
            i += count == 4 ? 1 : 0;
            for (; count > 0; count--) {
                pending |= (code & 0xff) << 8 * (bytes++ & 7);
                code >>>= 8;
                if ((bytes & 7) == 0) {
                    word(pending);
                    pending = 0;
                }
            }
        }
        return pending | bytes << 56;
    }
}
