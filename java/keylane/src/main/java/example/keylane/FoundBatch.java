package example.keylane;

import example.keylane.spi.LongBatch;
import java.util.Arrays;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The code for many integers that another artefact brings. */
final class FoundBatch {
    /** {@code null} if there is none that works here. */
    static final LongBatch FOUND = find();

    private FoundBatch() {}

    private static LongBatch find() {
        try {
            for (LongBatch batch : ServiceLoader.load(LongBatch.class, FoundBatch.class.getClassLoader())) {
                if (agrees(batch)) {
                    return batch;
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            // The artefact is here, and what it needs is not: the module jdk.incubator.vector, or a processor.
        }
        return null;
    }

    /** Whether it gives the tags that this library's own code gives, of some numbers under some state. */
    static boolean agrees(LongBatch batch) {
        long[] values = new long[Tile.SIZE];
        Arrays.setAll(values, i -> i * 0x9e37_79b9_7f4a_7c15L);
        for (int c = 1; c <= 3; c++) {
            long[] tags = new long[Tile.SIZE];
            long[] others = new long[Tile.SIZE];
            new Tile().hash(c, 2, 3, 4, c, c + 2, values, 0, tags, 0);
            int done = batch.hash(c, 2, 3, 4, c, c + 2, values, 0, Tile.SIZE, others, 0);
            if (done != Tile.SIZE || !Arrays.equals(tags, others)) {
                return false;
            }
        }
        return true;
    }
}
