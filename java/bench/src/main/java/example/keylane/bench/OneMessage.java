package example.keylane.bench;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import example.keylane.SipHash;
import example.keylane.SipHashKey;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.bouncycastle.crypto.params.KeyParameter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One message a call. The tag says where the next message begins, so that this is latency. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 16, time = 50, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class OneMessage {
    /** The number of bytes. */
    @Param({"8", "16", "32", "64", "1024"})
    public int length;

    private byte[] array;
    private int offset;
    private byte[] message;
    private String text;
    private SipHash keylane13;
    private SipHash keylane24;
    private HashFunction guava;
    private org.bouncycastle.crypto.macs.SipHash bouncyCastle;
    private io.whitfin.siphash.SipHasherContainer whitfin;
    private Mac hmac;

    /** Makes the keys and the message. */
    @Setup
    public void setUp() throws Exception {
        byte[] key = new byte[16];
        message = new byte[length];
        array = new byte[length + 64];
        text = "a".repeat(length);
        keylane13 = SipHash.of(1, 3, SipHashKey.of(key));
        keylane24 = SipHash.of(2, 4, SipHashKey.of(key));
        guava = Hashing.sipHash24(0, 0);
        bouncyCastle = new org.bouncycastle.crypto.macs.SipHash(2, 4);
        bouncyCastle.init(new KeyParameter(key));
        whitfin = io.whitfin.siphash.SipHasher.container(key);
        hmac = Mac.getInstance("HmacSHA256");
        hmac.init(new SecretKeySpec(key, "HmacSHA256"));
    }

    private long chain(long tag) {
        offset = (int) tag & 63;
        return tag;
    }

    @Benchmark
    public long keylane13() {
        return chain(keylane13.hash(array, offset, length));
    }

    @Benchmark
    public long keylane24() {
        return chain(keylane24.hash(array, offset, length));
    }

    @Benchmark
    public byte[] keylane24x128() {
        return keylane24.hash128(array, 0, length);
    }

    @Benchmark
    public long keylane24Text() {
        return keylane24.hash(text);
    }

    @Benchmark
    public long keylane24TextByArray() {
        return keylane24.hash(text.getBytes(StandardCharsets.UTF_8));
    }

    @Benchmark
    public long guava24() {
        return chain(guava.hashBytes(array, offset, length).asLong());
    }

    @Benchmark
    public long bouncyCastle24() {
        bouncyCastle.update(array, offset, length);
        return chain(bouncyCastle.doFinal());
    }

    @Benchmark
    public long whitfin24() {
        return whitfin.hash(message);
    }

    @Benchmark
    public byte[] hmacSha256() {
        hmac.update(array, offset, length);
        return hmac.doFinal();
    }
}
