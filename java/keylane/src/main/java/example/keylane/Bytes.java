package example.keylane;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Loads and stores of words, the lowest byte first. The handles check their indices. */
final class Bytes {
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BUFFER_LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Bytes() {}

    static long getLong(byte[] array, int index) {
        return (long) LONG.get(array, index);
    }

    static int getInt(byte[] array, int index) {
        return (int) INT.get(array, index);
    }

    static long getLong(ByteBuffer buffer, int index) {
        return (long) BUFFER_LONG.get(buffer, index);
    }

    static void putLong(byte[] array, int index, long value) {
        LONG.set(array, index, value);
    }

    static void putInt(byte[] array, int index, int value) {
        INT.set(array, index, value);
    }

    /**
     * The bytes behind the last whole word of a message, with the message's length in the highest byte. Branches depend
     * on the length only.
     */
    static long last(byte[] array, int offset, int length) {
        long top = (long) length << 56;
        if (length >= 8) {
            // One load that ends with the message. Its lowest bytes belong to the last whole word.
            long end = getLong(array, offset + length - 8);
            return top | (end >>> 8 >>> 56 - 8 * (length & 7));
        }
        if (length >= 4) {
            // Two loads that overlap, in bits that are equal.
            long low = getInt(array, offset) & 0xffff_ffffL;
            long high = getInt(array, offset + length - 4) & 0xffff_ffffL;
            return top | low | high << 8 * (length - 4);
        }
        return top | few(array, offset, length);
    }

    /** Up to seven bytes as a number. */
    static long few(byte[] array, int offset, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (array[offset + i] & 0xffL) << 8 * i;
        }
        return word;
    }

    /** Whether two tags are equal. The time does not depend on where they differ. */
    static boolean equal(byte[] tag, byte[] other) {
        int difference = 0;
        for (int i = 0; i < tag.length; i++) {
            difference |= tag[i] ^ other[i];
        }
        return difference == 0;
    }

    static void wipe(byte[] secret) {
        Arrays.fill(secret, (byte) 0);
    }
}
