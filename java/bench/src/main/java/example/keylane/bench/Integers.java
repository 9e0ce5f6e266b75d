package example.keylane.bench;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import example.keylane.SipHash;
import example.keylane.SipHashKey;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Integers of 8 bytes: in a chain, independent of each other, and many in a call. Time for each integer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 16, time = 50, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class Integers {
    private static final int COUNT = 4096;

    /** SipHash-1-3 or SipHash-2-4. */
    @Param({"1", "2"})
    public int c;

    private final long[] values = new long[COUNT];
    private final long[] tags = new long[COUNT];
    private SipHash hash;
    private HashFunction guava;

    /** Makes the key and the integers. */
    @Setup
    public void setUp() {
        hash = SipHash.of(c, c + 2, SipHashKey.of(new byte[16]));
        guava = Hashing.sipHash24(0, 0);
        for (int i = 0; i < COUNT; i++) {
            values[i] = i * 0x9e37_79b9_7f4a_7c15L;
        }
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long chain() {
        long tag = 0;
        for (int i = 0; i < COUNT; i++) {
            tag = hash.hash(tag);
        }
        return tag;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long[] oneByOne() {
        for (int i = 0; i < COUNT; i++) {
            tags[i] = hash.hash(values[i]);
        }
        return tags;
    }

    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long[] batch() {
        hash.hashLongs(values, 0, COUNT, tags, 0);
        return tags;
    }

    /** The same by keylane-vector, which the flag lets in. The compiler takes a second or more before it is fast. */
    @Benchmark
    @Warmup(iterations = 8, time = 400, timeUnit = TimeUnit.MILLISECONDS)
    @OperationsPerInvocation(COUNT)
    @Fork(value = 1, jvmArgsAppend = "--add-modules=jdk.incubator.vector")
    public long[] batchVector() {
        hash.hashLongs(values, 0, COUNT, tags, 0);
        return tags;
    }

    /** Two cycles each, an xor and a rotation, which says how fast the processor runs. */
    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long clock() {
        long word = values[1];
        long key = values[2];
        for (int i = 0; i < COUNT; i++) {
            word = Long.rotateLeft(word ^ key, 7);
        }
        return word;
    }

    /** Guava has SipHash-2-4 only. */
    @Benchmark
    @OperationsPerInvocation(COUNT)
    public long[] guava24() {
        for (int i = 0; i < COUNT; i++) {
            tags[i] = guava.hashLong(values[i]).asLong();
        }
        return tags;
    }
}
