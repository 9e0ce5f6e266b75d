package example.keylane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.bouncycastle.crypto.macs.Poly1305;
import org.bouncycastle.crypto.macs.SipHash128;
import org.bouncycastle.crypto.params.KeyParameter;

/** Random input, with Guava and Bouncy Castle as oracles. */
class OracleTest {
    @Provide
    Arbitrary<byte[]> messages() {
        return Arbitraries.bytes().array(byte[].class).ofMaxSize(200);
    }

    @Property
    void guava(@ForAll @Size(16) byte[] key, @ForAll("messages") byte[] message) {
        SipHash hash = SipHash.of(2, 4, SipHashKey.of(key));
        long k0 = Bytes.getLong(key, 0);
        long k1 = Bytes.getLong(key, 8);
        assertEquals(Hashing.sipHash24(k0, k1).hashBytes(message).asLong(), hash.hash(message));
    }

    @Property
    void integers(@ForAll @Size(16) byte[] key, @ForAll long message, @ForAll @IntRange(min = 1, max = 9) int c) {
        for (int d = 1; d < 6; d++) {
            SipHash hash = SipHash.of(c, d, SipHashKey.of(key));
            PublishedTest.check(hash, Vectors.bytes(message, 8), Vectors.bytes(bouncyCastle(c, d, key, Vectors.bytes(message, 8)), 8));
            assertEquals(bouncyCastle(c, d, key, Vectors.bytes(message, 4)), hash.hash((int) message));
        }
    }

    private static long bouncyCastle(int c, int d, byte[] key, byte[] message) {
        org.bouncycastle.crypto.macs.SipHash mac = new org.bouncycastle.crypto.macs.SipHash(c, d);
        mac.init(new KeyParameter(key));
        mac.update(message, 0, message.length);
        return mac.doFinal();
    }

    @Property
    void bouncyCastle128(
            @ForAll @Size(16) byte[] key,
            @ForAll("messages") byte[] message,
            @ForAll @IntRange(min = 1, max = 8) int c,
            @ForAll @IntRange(min = 1, max = 8) int d) {
        SipHash128 mac = new SipHash128(c, d);
        mac.init(new KeyParameter(key));
        mac.update(message, 0, message.length);
        byte[] tag = new byte[16];
        mac.doFinal(tag, 0);
        PublishedTest.check(SipHash.of(c, d, SipHashKey.of(key)), message, tag);
    }

    @Property
    void poly1305(@ForAll @Size(32) byte[] key, @ForAll("messages") byte[] message) {
        Poly1305 mac = new Poly1305();
        mac.init(new KeyParameter(key));
        mac.update(message, 0, message.length);
        byte[] tag = new byte[16];
        mac.doFinal(tag, 0);
        assertArrayEquals(tag, example.keylane.Poly1305.mac(key, message));
    }

    /** Bytes near 0 and 255, where carries run far. */
    @Property
    void poly1305Limits(@ForAll @Size(32) byte[] bits, @ForAll("messages") byte[] pattern) {
        byte[] key = new byte[32];
        byte[] message = new byte[pattern.length];
        for (int i = 0; i < 32; i++) {
            key[i] = bits[i] < 100 ? (byte) -1 : bits[i];
        }
        for (int i = 0; i < message.length; i++) {
            message[i] = pattern[i] < 60 ? -1 : pattern[i] < 100 ? (byte) -5 : 0;
        }
        poly1305(key, message);
    }

    @Property
    void text(@ForAll @Size(16) byte[] key, @ForAll String text, @ForAll @Size(max = 40) char[] units) {
        SipHash hash = SipHash.of(1, 3, SipHashKey.of(key));
        HalfSipHash half = HalfSipHash.of(2, 4, HalfSipHashKey.of(java.util.Arrays.copyOf(key, 8)));
        String ascii = text.replaceAll("[^\\x00-\\x7f]", "a");
        for (String message : new String[] {text, new String(units), ascii, ascii + text, ascii.repeat(3) + "\ud83d"}) {
            byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
            assertEquals(hash.hash(bytes), hash.hash(message));
            assertEquals(hash.hash(bytes), hash.hash(new StringBuilder(message)));
            assertArrayEquals(hash.hash128(bytes), hash.hash128(message));
            assertEquals(half.hash(bytes), half.hash(message));
            assertEquals(half.hash64(bytes), half.hash64(message));
        }
    }
}
