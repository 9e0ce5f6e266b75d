package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.keylane.spi.LongBatch;
import example.keylane.vector.VectorBatch;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The tags of vectors are those of one integer at a time. */
class VectorBatchTest {
    @Test
    void itIsFound() {
        assertTrue(FoundBatch.FOUND instanceof VectorBatch, String.valueOf(FoundBatch.FOUND));
    }

    /** Rounds that are written out and rounds that are counted, often enough that the compiler takes part. */
    @Test
    void tagsAreThoseOfTheScalarCode() {
        SplittableRandom random = new SplittableRandom(5);
        for (int c = 1; c <= 4; c++) {
            for (int d = 1; d <= 5; d++) {
                byte[] key = new byte[16];
                random.nextBytes(key);
                SipHash hash = SipHash.of(c, d, SipHashKey.of(key));
                for (int turn = 0; turn < 100; turn++) {
                    int count = turn < 20 ? 60 + turn : random.nextInt(2000);
                    int before = random.nextInt(4);
                    int tagsBefore = random.nextInt(4);
                    long[] values = random.longs(before + count + 1L).toArray();
                    long[] expected = new long[tagsBefore + count + 1];
                    for (int i = 0; i < count; i++) {
                        expected[tagsBefore + i] = hash.hash(values[before + i]);
                    }
                    long[] tags = new long[expected.length];
                    hash.hashLongs(values, before, count, tags, tagsBefore);
                    assertArrayEquals(expected, tags, c + "-" + d + " " + count);
                    // In place.
                    hash.hashLongs(values, before, count, values, before);
                    for (int i = 0; i < count; i++) {
                        assertEquals(expected[tagsBefore + i], values[before + i]);
                    }
                }
            }
        }
    }

    /** The code alone leaves what is less than a vector. */
    @Test
    void itDoesWholeVectors() {
        LongBatch batch = new VectorBatch();
        for (int count = 0; count < 40; count++) {
            long[] tags = new long[count];
            int done = batch.hash(1, 2, 3, 4, 1, 3, new long[count], 0, count, tags, 0);
            assertTrue(done <= count && count - done < 8, done + " of " + count);
        }
    }

    /** Code that gives other tags is not taken. */
    @Test
    void wrongCodeIsNotTaken() {
        assertTrue(FoundBatch.agrees(new VectorBatch()));
        for (int wrong = 0; wrong < 64; wrong++) {
            int at = wrong;
            assertFalse(FoundBatch.agrees((v0, v1, v2, v3, c, d, values, offset, count, tags, tagOffset) -> {
                int done = new VectorBatch().hash(v0, v1, v2, v3, c, d, values, offset, count, tags, tagOffset);
                tags[tagOffset + at] ^= c == 3 ? 1L << at : 0;
                return done;
            }));
        }
        assertFalse(FoundBatch.agrees((v0, v1, v2, v3, c, d, values, offset, count, tags, tagOffset) -> 0));
    }
}
