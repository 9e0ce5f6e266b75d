package example.keylane;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Calls that allocate nothing. */
class AllocationTest {
    private static final int CALLS = 10_000;

    private static final SipHashKey KEY = SipHashKey.of(new byte[16]);
    private static final byte[] MESSAGE = new byte[100];
    private static final byte[] TAG = new byte[16];
    private static final ByteBuffer DIRECT = ByteBuffer.allocateDirect(100);
    private static final String ASCII = "somebody.with.a.long.name@example.com";
    private static final String TEXT = "M\u00fcller \u20ac \ud83d\udd11";

    private long sink;

    @Test
    void nothing() {
        Map<String, LongUnaryOperator> calls = new LinkedHashMap<>();
        for (int[] rounds : new int[][] {{1, 3}, {2, 4}, {3, 5}}) {
            SipHash hash = SipHash.of(rounds[0], rounds[1], KEY);
            calls.put(hash + " long", i -> hash.hash(i));
            calls.put(hash + " int", i -> hash.hash((int) i));
            calls.put(hash + " array", i -> hash.hash(MESSAGE, (int) i & 7, 80));
            calls.put(hash + " text", i -> hash.hash((i & 1) == 0 ? ASCII : TEXT));
            calls.put(hash + " buffer", i -> hash.hash(DIRECT.position((int) i & 7)));
            calls.put(hash + " array, 128", i -> {
                hash.hash128(MESSAGE, (int) i & 7, 80, TAG, 0);
                return TAG[0];
            });
            calls.put(hash + " long, 128", i -> {
                hash.hash128(i, TAG, 0);
                return TAG[0];
            });
            TagStream stream = hash.stream();
            calls.put(hash + " stream", i -> {
                stream.update(MESSAGE, 0, (int) i & 63);
                return 0;
            });
        }
        calls.put("planted", i -> new byte[(int) (i & 63)].hashCode());
        calls.forEach((name, call) -> {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 100 && least > CALLS / 10; round++) {
                least = Math.min(least, allocated(call));
            }
            // The virtual machine itself may take some bytes meanwhile.
            boolean none = least <= CALLS / 10;
            assertTrue(none != name.equals("planted"), name + " allocates " + least + " bytes in 10,000 calls");
        });
    }

    private long allocated(LongUnaryOperator call) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 0; i < CALLS; i++) {
            sink += call.applyAsLong(i);
        }
        return threads.getThreadAllocatedBytes(id) - before;
    }
}
