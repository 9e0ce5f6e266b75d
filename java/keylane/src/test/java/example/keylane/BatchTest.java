package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Many messages in a call, against one by one. */
class BatchTest {
    private static final SipHashKey KEY = SipHashKey.of(new Vectors.Random(8).bytes(16));

    @Test
    void longs() {
        Vectors.Random random = new Vectors.Random(9);
        for (int[] rounds : new int[][] {{1, 1}, {1, 3}, {2, 4}, {3, 5}}) {
            SipHash hash = SipHash.of(rounds[0], rounds[1], KEY);
            for (int count : new int[] {0, 1, 63, 64, 65, 127, 128, 200}) {
                long[] values = new long[count + 3];
                long[] expected = new long[count + 7];
                for (int i = 0; i < values.length; i++) {
                    values[i] = random.word();
                }
                for (int i = 0; i < count; i++) {
                    expected[5 + i] = hash.hash(values[2 + i]);
                }
                long[] tags = new long[count + 7];
                hash.hashLongs(values, 2, count, tags, 5);
                assertArrayEquals(expected, tags);
                // In place.
                hash.hashLongs(values, 2, count, values, 2);
                for (int i = 0; i < count; i++) {
                    assertEquals(expected[5 + i], values[2 + i]);
                }
            }
        }
    }

    @Test
    void rowsAndOffsets() {
        byte[] bytes = new Vectors.Random(10).bytes(2000);
        SipHash hash = SipHash.of(1, 3, KEY);
        for (int width : new int[] {0, 1, 7, 8, 12, 16, 40}) {
            long[] tags = new long[32];
            int[] offsets = new int[31];
            for (int i = 0; i < 31; i++) {
                offsets[i] = 3 + i * width;
            }
            hash.hashRows(bytes, 3, width, 30, tags, 1);
            long[] same = new long[30];
            hash.hashOffsets(bytes, offsets, same);
            for (int i = 0; i < 30; i++) {
                assertEquals(hash.hash(bytes, 3 + i * width, width), tags[1 + i]);
                assertEquals(tags[1 + i], same[i]);
            }
            assertEquals(0, tags[0] | tags[31]);
        }
    }

    @Test
    void errors() {
        SipHash hash = SipHash.of(1, 3, KEY);
        byte[] bytes = new byte[10];
        Class<IndexOutOfBoundsException> bounds = IndexOutOfBoundsException.class;
        assertThrows(bounds, () -> hash.hashLongs(new long[3], 1, 3, new long[9], 0));
        assertThrows(bounds, () -> hash.hashLongs(new long[3], 0, 3, new long[3], 1));
        assertThrows(bounds, () -> hash.hashRows(bytes, 0, -1, 2, new long[2], 0));
        assertThrows(bounds, () -> hash.hashRows(bytes, 1, 5, 2, new long[2], 0));
        assertThrows(bounds, () -> hash.hashRows(bytes, 0, Integer.MAX_VALUE, 2, new long[2], 0));
        assertThrows(bounds, () -> hash.hashOffsets(bytes, new int[] {0, 11}, new long[1]));
        assertThrows(bounds, () -> hash.hashOffsets(bytes, new int[] {0, 5, 4}, new long[2]));
        assertThrows(bounds, () -> hash.hashOffsets(bytes, new int[] {-1, 5}, new long[1]));
        assertThrows(IllegalArgumentException.class, () -> hash.hashOffsets(bytes, new int[0], new long[0]));
    }
}
